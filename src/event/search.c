/* SPDX-License-Identifier: MIT */
/* Finding events by what a user wants to know: words in names and descriptions, ranked. */
#include "src/base/nearest.h"
#include "src/event/event.h"
#include "src/base/writer.h"

#define WORDS 8

/* Words that say the same in another place; a match by these counts as much as a whole word. */
static const struct {
  const char *word, *also;
} related[] = {
    {"bandwidth", "bw,bytes,cas,data_req,flits"},
    {"traffic", "bw,bytes,flits,requests"},
    {"read", "rd,reads,drd"},
    {"reads", "rd,read,drd"},
    {"write", "wr,writes"},
    {"writes", "wr,write"},
    {"latency", "occupancy,lifetime"},
    {"memory", "dram,mem,cas"},
    {"dram", "mem,cas,memory"},
    {"miss", "misses,missed"},
    {"misses", "miss,missed"},
    {"hit", "hits"},
    {"hits", "hit"},
    {"cache", "llc,line,lines"},
    {"llc", "cache"},
    {"clock", "clockticks,cycles"},
    {"clocks", "clockticks"},
    {"cycles", "clockticks,clock"},
    {"power", "energy,pkg,throttle"},
    {"pcie", "iio,port"},
    {"upi", "link,flits"},
    {"remote", "rem,upi"},
    {"local", "loc"},
    {"queue", "rpq,wpq,inserts"},
    {"page", "row,act,pre"},
};

struct query {
  struct text words[WORDS];
  uint32_t n;
};

static bool is_word_char(char c)
{
  return (text_lower(c) >= 'a' && text_lower(c) <= 'z') || (c >= '0' && c <= '9');
}

static void split(const char *text, struct query *q)
{
  q->n = 0;
  while (*text && q->n < WORDS) {
    size_t n = 0;
    while (is_word_char(text[n]))
      n++;
    if (n)
      q->words[q->n++] = (struct text){text, n};
    text += n ? n : 1;
  }
}

/* 4: `in` contains `word` as a whole word, 2: a word begins with it, 1: a word contains it, 0: no match. */
static uint32_t match(struct text word, const char *in)
{
  uint32_t best = 0;
  char first = text_lower(word.s[0]);
  size_t length = strlen(in);
  for (size_t i = 0; i + word.n <= length && best < 4; i++) {
    if (text_lower(in[i]) != first || !text_same(in + i, word.s, word.n))
      continue;
    bool begins = i == 0 || !is_word_char(in[i - 1]), ends = !is_word_char(in[i + word.n]);
    uint32_t found = begins && ends ? 4 : begins ? 2 : 1;
    best = found > best ? found : best;
  }
  return best;
}

/* A searched text, and the score of a match in it. */
struct place {
  const char *text;
  uint32_t weight;
};

static uint32_t score_word(struct text word, const struct place *places, size_t n)
{
  uint32_t score = 0;
  for (size_t i = 0; i < n; i++)
    score += places[i].text ? match(word, places[i].text) * places[i].weight : 0;
  return score;
}

/* Related words match whole words only, because their parts occur in many other words. */
static uint32_t score_related(struct text word, const struct place *places, size_t n)
{
  uint32_t best = 0;
  for (size_t r = 0; r < sizeof related / sizeof *related; r++) {
    if (!text_is(word, related[r].word))
      continue;
    for (const char *s = related[r].also; *s;) {
      struct text other = {s, strcspn(s, ",")};
      uint32_t score = 0;
      for (size_t i = 0; i < n; i++)
        if (places[i].text && match(other, places[i].text) == 4)
          score += places[i].weight;
      best = score > best ? score : best;
      s += other.n + (s[other.n] == ',');
    }
  }
  return best;
}

/* All words must be found, in one place or another; 0 when one is not. */
static uint32_t score(const struct query *q, const struct place *places, size_t n)
{
  uint32_t sum = 0;
  for (uint32_t i = 0; i < q->n; i++) {
    uint32_t word = score_word(q->words[i], places, n) + 4 * score_related(q->words[i], places, n);
    if (!word)
      return 0;
    sum += word;
  }
  return sum;
}

/* A match in a short name says more than one in a long name. */
static uint32_t by_length(uint32_t points, const char *a, const char *b)
{
  return (uint32_t)((uint64_t)points * 100 / (30 + strlen(a) + (b ? strlen(b) : 0)));
}

static void search_insert_match(struct pmon_event_match *matches, size_t *n, size_t room,
                                const struct pmon_event_match *m)
{
  size_t at = *n < room ? (*n)++ : room;
  if (at == room && (room == 0 || matches[--at].score >= m->score))
    return;
  for (; at > 0 && matches[at - 1].score < m->score; at--)
    matches[at] = matches[at - 1];
  matches[at] = *m;
}

size_t pmon_event_search(const struct pmon_platform *platform, const char *query, struct pmon_event_match *matches,
                         size_t n)
{
  struct query q;
  split(query, &q);
  size_t found = 0;
  struct pmon_event_cursor c = {0};
  struct pmon_event_info e = {.size = sizeof e};
  while (q.n && pmon_event_next(platform, UINT32_MAX, &c, &e)) {
    struct pmon_event_cursor at = c;
    at.umask--; /* the cursor is after the row that it returned */
    const struct place places[] = {
        {e.event, 10},
        {e.umask, 8},
        {e.unit, 6},
        {e.umask ? pmon_event_umask_brief(platform, &at) : e.brief, 4},
        {e.umask ? e.event_brief : NULL, 2},
        {e.category, 1},
        {e.result, 4},
    };
    struct pmon_event_match m = {by_length(score(&q, places, sizeof places / sizeof *places), e.event, e.umask), at};
    m.score += m.score && (e.is_default || !e.umask) ? 2 : 0;
    if (m.score)
      search_insert_match(matches, &found, n, &m);
  }
  return found;
}

uint32_t pmon_metric_score(const struct pmon_metric_info *metric, const char *query)
{
  struct query q;
  split(query, &q);
  const struct place places[] = {
      {metric->name, 10},  {metric->unit, 6},   {metric->brief, 6},
      {metric->result, 4}, {metric->source, 1}, /* the name that another tool has for it */
  };
  const uint32_t points = q.n ? by_length(score(&q, places, sizeof places / sizeof *places), metric->name, NULL) : 0;
  return metric->default_place ? points + points / 2 : points; /* the default metrics answer common questions */
}

/* The umask of event row `event` nearest to `name`; DB_NONE when it has none or none is near. */
static uint32_t near_umask(const struct db *db, uint32_t event, struct text name)
{
  struct nearest near = {.name = name};
  struct db_span umasks = db->events[event].umasks;
  for (uint32_t u = umasks.first; u < umasks.first + umasks.n; u++)
    nearest_add(&near, text_of(db_text(db, db->umasks[u].name)), u, 0);
  return near.n ? near.best[0].a : DB_NONE;
}

size_t pmon_event_suggest(const struct pmon_platform *platform, const char *name, char *texts, size_t size, size_t n)
{
  const struct db *db = platform->db;
  const char *slash = strchr(name, '/'), *begin = slash ? slash + 1 : name;
  size_t length = strcspn(begin, "./,:{ ");
  struct nearest near = {.name = {begin, length}};
  struct text umask = {begin + length, 0};
  if (begin[length] == '.')
    umask = (struct text){begin + length + 1, strcspn(begin + length + 1, "/,:{ ")};
  for (uint32_t i = 0; i < platform->row->units.n; i++) {
    struct db_span imports = db->units[platform_unit_row(platform, i)].imports;
    for (uint32_t k = imports.first; k < imports.first + imports.n; k++) {
      struct db_span events = db->sets[db->imports[k].set].events;
      for (uint32_t e = events.first; e < events.first + events.n; e++)
        nearest_add(&near, text_of(db_text(db, db->events[e].name)), platform_unit_row(platform, i), e);
    }
  }
  size_t found = 0;
  for (; found < near.n && found < n; found++) {
    struct writer w = {texts + found * size, size, 0};
    uint32_t u = umask.n ? near_umask(db, near.best[found].b, umask) : DB_NONE;
    write_text(&w, db_text(db, db->units[near.best[found].a].name));
    write_char(&w, '/');
    write_bytes(&w, near.best[found].name.s, near.best[found].name.n);
    write_text(&w, u == DB_NONE ? "" : ".");
    write_text(&w, u == DB_NONE ? "" : db_text(db, db->umasks[u].name));
    write_char(&w, '/');
    write_end(&w);
  }
  return found;
}
