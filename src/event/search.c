/* SPDX-License-Identifier: MIT */
/* Finds events by words that a user asks for, in names and descriptions, ranked. */
#include "src/base/nearest.h"
#include "src/event/event.h"
#include "src/event/query.h"
#include "src/base/writer.h"

/* A match in a short name counts more than one in a long name. */
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
  query_parse(&q, query);
  size_t found = 0;
  struct pmon_event_cursor c = {0};
  struct pmon_event_info e = {.size = sizeof e};
  while (q.n && pmon_event_next(platform, UINT32_MAX, &c, &e)) {
    struct pmon_event_cursor at = c;
    at.umask--; /* the cursor is after the row that it returned */
    const struct query_place places[] = {
        {e.event, 10},
        {e.umask, 8},
        {e.unit, 6},
        {e.umask ? pmon_event_umask_brief(platform, &at) : e.brief, 4},
        {e.umask ? e.event_brief : NULL, 2},
        {e.category, 1},
        {e.result, 4},
    };
    struct pmon_event_match m = {by_length(query_score(&q, places, sizeof places / sizeof *places), e.event, e.umask),
                                 at};
    m.score += m.score && (e.is_default || !e.umask) ? 2 : 0;
    if (m.score)
      search_insert_match(matches, &found, n, &m);
  }
  return found;
}

uint32_t pmon_metric_score(const struct pmon_metric_info *metric, const char *query)
{
  struct query q;
  query_parse(&q, query);
  const struct query_place places[] = {
      {metric->name, 10},  {metric->unit, 6},   {metric->brief, 6},
      {metric->result, 4}, {metric->source, 1}, {metric->alias, 1}, /* the names that other tools have for it */
  };
  /* Words of the name that are not in the question lower the score: the metric answers another question. The default
   * metrics answer common questions. */
  const uint32_t points = q.n ? 100 * query_score(&q, places, sizeof places / sizeof *places) : 0;
  const uint32_t fit = points / (20 + 12 * query_foreign(&q, metric->name) + (uint32_t)strlen(metric->name) / 4);
  return metric->default_place ? fit + fit / 2 : fit;
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
