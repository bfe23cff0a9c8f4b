/* SPDX-License-Identifier: MIT */
#include "cli/facts/topics.h"
#include <pmon/metric.h>
#include "cli/common/cli.h"

/* Limits of the results: their number, and the factor by which a score may be lower than the best. */
enum { TOPICS_SHOWN = 4, TOPICS_WORTH = 2 };

struct found_topic {
  uint32_t score;
  const struct topic *topic;
};

/* Inserts a topic into the best ones, which are in descending order; of equal scores the earlier topic comes first. */
static void topic_insert(struct found_topic best[TOPICS_SHOWN], struct found_topic t)
{
  for (size_t i = 0; i < TOPICS_SHOWN; i++)
    if (t.score > best[i].score) {
      const struct found_topic moved = best[i];
      best[i] = t;
      t = moved;
    }
}

static void topic_print(struct cli *cli, const struct topic *t, bool json)
{
  struct out *o = &cli->out;
  if (json) {
    json_open(o, NULL, '{');
    json_text(o, t->kind, t->name);
    json_text(o, "brief", t->brief);
    json_close(o, '}');
    json_end_line(o);
    return;
  }
  out_style(o, OUT_BOLD);
  out_text(o, t->kind);
  out_char(o, ' ');
  out_text(o, t->name);
  out_style(o, OUT_PLAIN);
  out_text(o, "\n    ");
  out_wrapped(o, *t->brief ? t->brief : "-", 4, cli_width());
}

size_t topics_search(struct cli *cli, const char *query, bool json)
{
  struct found_topic best[TOPICS_SHOWN] = {{0, NULL}};
  size_t n = 0;
  for (size_t i = 0; i < n_topics; i++) {
    const struct pmon_metric_info fact = {
        .name = topics[i].name, .unit = "", .brief = topics[i].brief, .result = "", .source = ""};
    topic_insert(best, (struct found_topic){pmon_metric_score(&fact, query), &topics[i]});
  }
  for (; n < TOPICS_SHOWN && best[n].score && best[n].score >= best[0].score / TOPICS_WORTH; n++)
    topic_print(cli, best[n].topic, json);
  return n;
}
