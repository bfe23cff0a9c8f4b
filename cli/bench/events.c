/* SPDX-License-Identifier: MIT */
/* The check `events`: made from the facts, because no hand-written list has every event. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/bench/suite.h"
#include "cli/common/event_name.h"
#include "machine/model.h"

enum { EVENTS_OF_UNIT = 256, COUNTERS_MOST = 16, RANGE = 64 };

/* An event of a kind of unit, and its round. */
struct events_row {
  char text[160];
  uint64_t config;
  uint32_t counters; /* bit n: counter n can count it */
  unsigned round, slot;
};

struct events_maker {
  struct cli *cli;
  struct bench_suite *suite;
  const struct bench_events *what;
  struct pmon_unit_info unit;
  unsigned check, first; /* the check's number, the number of its first round */
  struct events_row row[EVENTS_OF_UNIT];
  unsigned n;
};

static bool events_excepted(const struct bench_suite *s, const char *text)
{
  for (unsigned i = 0; i < s->n_excepts; i++)
    if (!fnmatch(s->except[i], text, 0))
      return true;
  return false;
}

/* Whether each of n events can have a counter of its own, besides the taken ones. */
static bool events_fit(const uint32_t *counters, unsigned n, uint32_t taken)
{
  bool fit = !n;
  for (unsigned i = 0; n && !fit && i < COUNTERS_MOST; i++)
    if (counters[n - 1] & ~taken & 1u << i)
      fit = events_fit(counters, n - 1, taken | 1u << i);
  return fit;
}

/* Puts the row into the first round in which the unit still has a counter for it. */
static void events_place(struct events_maker *m, struct events_row *row)
{
  uint32_t counters[COUNTERS_MOST + 1];
  unsigned n;
  for (row->round = 0;; row->round++) {
    n = 0;
    for (const struct events_row *r = m->row; r < row; r++)
      if (r->round == row->round)
        counters[n++] = r->counters;
    counters[n] = row->counters;
    if (n < m->unit.counters && n < COUNTERS_MOST && events_fit(counters, n + 1, 0))
      break;
  }
  row->slot = n;
}

/* Finds perf's `config`: the control register without the bit that starts the counter. */
static bool events_config(const struct events_maker *m, const struct pmon_event *event, uint64_t *ret)
{
  struct pmon_image image;
  struct pmon_register_info r = {.size = sizeof r};
  const uint32_t counters = pmon_event_counters(event);
  const struct pmon_platform *platform = m->cli->platform;
  if (!counters || pmon_event_encode(event, 0, 0, (uint32_t)__builtin_ctz(counters), &image) || !image.n)
    return false;
  const struct pmon_image_register *last = &image.registers[image.n - 1];
  struct pmon_field_info f = {.size = sizeof f};
  if (image.n > 1 || pmon_register_describe(platform, last->id.unit, last->id.reg, &r) || r.role != PMON_ROLE_CTL)
    return false;
  *ret = last->value;
  for (uint32_t i = 0; pmon_field_describe(platform, last->id.unit, last->id.reg, i, &f) == PMON_OK; i++)
    if (!strcmp(f.name, "en"))
      *ret &= ~(UINT64_C(1) << f.lo);
  return true;
}

/* Adds one row for each code: events with the same code differ in their umask only, which is the same path in a
 * driver. */
static void events_add(struct events_maker *m, const struct pmon_event_info *e, uint32_t *last_code)
{
  struct events_row *row = &m->row[m->n];
  struct pmon_event *event;
  event_name_format(m->unit.name, e, row->text, sizeof row->text);
  if (m->n >= m->what->most || m->n == EVENTS_OF_UNIT - 1 || e->kind != PMON_EVENT_PROGRAMMED ||
      e->code == *last_code || events_excepted(m->suite, row->text) ||
      pmon_event_resolve(NULL, m->cli->platform, row->text, &event))
    return;
  row->counters = pmon_event_counters(event);
  if (events_config(m, event, &row->config)) {
    *last_code = e->code;
    events_place(m, row);
    m->n++;
  }
  pmon_event_free(event);
}

/* Returns a different count for each event of a round, each unit and each socket. */
static uint64_t events_want(const struct events_row *row, uint32_t instance, unsigned socket)
{
  return (row->slot + 1) * BENCH_SOCKETS * RANGE + socket * RANGE + instance;
}

static bool events_add_lines(struct events_maker *m, const struct events_row *row, uint32_t instance)
{
  const char *pmu = *m->what->pmu ? m->what->pmu : m->unit.perf;
  char text[256], number[16] = "";
  struct bench_line line = {BENCH_INJECT, m->check, m->first + row->round, text, {0}};
  const char *name = strchr(row->text, '/') + 1;
  for (unsigned socket = 0; socket < BENCH_SOCKETS; socket++) {
    line.want[socket] = events_want(row, instance, socket);
    snprintf(text, sizeof text, "%s%" PRIu32 " %.*s %" PRIu64 " socket %u", m->unit.name, instance,
             (int)strcspn(name, "/"), name, line.want[socket], socket);
    if (!suite_add(m->suite, &line))
      return false;
  }
  if (m->unit.instances > 1)
    snprintf(number, sizeof number, "_%" PRIu32, instance);
  line.kind = BENCH_COUNT;
  snprintf(text, sizeof text, "%s%s/config=0x%" PRIx64 "/", pmu, number, row->config);
  return suite_add(m->suite, &line);
}

/* Adds the events of one kind of unit. */
static int events_of_unit(struct events_maker *m, unsigned *rounds)
{
  struct pmon_event_cursor cursor = {0};
  struct pmon_event_info e = {.size = sizeof e};
  uint32_t unit, last_code = UINT32_MAX;
  m->n = 0;
  m->unit.size = sizeof m->unit;
  if (pmon_unit_find(m->cli->platform, m->what->unit, &unit) || pmon_unit_describe(m->cli->platform, unit, &m->unit))
    return cli_fail_context(m->cli, m->what->unit);
  /* The facts have the largest number of instances on any processor of the platform. */
  m->unit.instances = model_instances(model_find(m->cli->platform_name), m->unit.name);
  while (pmon_event_next(m->cli->platform, unit, &cursor, &e))
    events_add(m, &e, &last_code);
  for (unsigned i = 0; i < m->n; i++) {
    *rounds = m->row[i].round + 1 > *rounds ? m->row[i].round + 1 : *rounds;
    for (uint32_t k = 0; k < m->unit.instances; k++)
      if (!events_add_lines(m, &m->row[i], k))
        return cli_fail_memory(m->cli);
  }
  return CLI_DONE;
}

/* Brings the lines of each round together: several kinds of units share a round. */
static bool events_order(struct bench_suite *s)
{
  struct bench_line *line = calloc(s->n_lines + 1, sizeof *line);
  unsigned n = 0;
  if (!line)
    return false;
  for (unsigned round = 0; round < s->rounds; round++)
    for (unsigned i = 0; i < s->n_lines; i++)
      if (s->line[i].round == round)
        line[n++] = s->line[i];
  free(s->line);
  s->line = line;
  return true;
}

int suite_add_events(struct cli *cli, struct bench_suite *s)
{
  struct events_maker *m = calloc(1, sizeof *m);
  unsigned rounds = 0;
  int result = m ? suite_parse(cli, "events", "check events: each event of each unit counts its own occurrences", s)
                 : cli_fail_memory(cli);
  if (result == CLI_DONE) {
    m->cli = cli;
    m->suite = s;
    m->check = s->n_checks - 1;
    m->first = s->rounds - 1;
  }
  for (unsigned i = 0; result == CLI_DONE && i < s->n_events; i++) {
    m->what = &s->events[i];
    result = events_of_unit(m, &rounds);
  }
  s->rounds += rounds ? rounds - 1 : 0;
  free(m);
  return result == CLI_DONE && !events_order(s) ? cli_fail_memory(cli) : result;
}
