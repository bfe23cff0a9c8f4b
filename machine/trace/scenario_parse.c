/* SPDX-License-Identifier: MIT */
/* Parses the lines of a scenario; those of threads here, the others in files by subject. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/scenario_parser.h"
#include "machine/common/address.h"

#define FIRST_THREAD (UINT64_C(1) << 40)
#define FS_PER_NS UINT64_C(1000000)
#define LINE 64u
#define PAGE 4096u

/* ---- thread lines ---- */

static const struct {
  const char *name;
  enum scenario_pattern pattern;
} patterns[] = {
    {"stream", SCENARIO_STREAM}, {"random", SCENARIO_RANDOM}, {"chase", SCENARIO_CHASE},
    {"copy", SCENARIO_COPY},     {"spin", SCENARIO_SPIN},     {"sleep", SCENARIO_SLEEP},
};
static const char *const actions[SCENARIO_ACTIONS] = {"read",     "write",       "modify",     "past-caches",
                                                      "prefetch", "flush",       "flush-opt",  "write-back",
                                                      "demote",   "whole-lines", "hoped-lines"};

/* Parses the number of chains of a chase; all chains have the same number of lines. */
static int scenario_chains(struct parser *p, struct scenario_step *step)
{
  const uint64_t chains[2] = {1, SCENARIO_CHAINS}, lines = step->span / LINE;
  uint64_t n = 1;
  const int rc = scenario_number(p, "a number of chains", scenario_plain_units, chains, &n);

  if (rc == 0 && lines < n)
    return scenario_wrong(p, PMON_E_RANGE, "the memory has fewer 64-byte lines than chains");
  step->chains = (uint32_t)n;
  step->count = lines / n * n;
  return rc;
}

/* Parses the next option of a step. `loads`: its loads can depend on each other. */
static int scenario_step_option(struct parser *p, struct scenario_step *step, bool loads, uint64_t *times)
{
  static const uint64_t any[2] = {1, UINT64_C(1) << 48}, strides[2] = {1, SCENARIO_SPAN_MAX};
  const bool strided = step->pattern != SCENARIO_CHASE && step->pattern != SCENARIO_RANDOM;
  if (scenario_take(p, "shared"))
    return scenario_shared(p, &step->base);
  if (scenario_take(p, "cxl"))
    return scenario_cxl_base(p, step->thread, 0, &step->base);
  if (scenario_take(p, "accelerator"))
    return scenario_cxl_base(p, step->thread, CXL_DEVICES, &step->base);
  if (loads && scenario_take(p, "dependent"))
    step->dependent = true;
  else if (loads && scenario_take(p, "independent"))
    step->dependent = false;
  else if (scenario_take(p, "code"))
    step->far_code = true;
  else if (scenario_take(p, "pages"))
    return scenario_pages(p, &step->pages);
  else if (strided && scenario_take(p, "stride"))
    return scenario_number(p, "a stride in bytes", scenario_byte_units, strides, &step->stride);
  else if (step->pattern == SCENARIO_RANDOM && scenario_take(p, "count"))
    return scenario_number(p, "a number of accesses", scenario_plain_units, any, &step->count);
  else if (step->pattern == SCENARIO_CHASE && scenario_take(p, "chains"))
    return scenario_chains(p, step);
  else if (scenario_take(p, "times"))
    return scenario_number(p, "a number of times", scenario_plain_units, any, times);
  else
    return scenario_meaningless(p);
  return 0;
}

/* Refuses options that exclude each other. */
static int scenario_check_step(struct parser *p, const struct scenario_step *step)
{
  if (step->pages && step->base / PAGE >= CXL_PAGES)
    return scenario_wrong(p, PMON_E_SYNTAX,
                          "memory of a CXL device has no large pages: omit 'pages', or 'cxl' and "
                          "'accelerator'");
  if (step->dependent && step->far_code)
    return scenario_wrong(p, PMON_E_SYNTAX, "with 'code' no load waits for another: omit 'code', or add 'independent'");
  if (!step->dependent && step->chains > 1)
    return scenario_wrong(p, PMON_E_SYNTAX, "the loads of a chain wait for each other: omit 'chains' or 'independent'");
  if (step->stride > step->span)
    return scenario_wrong(p, PMON_E_RANGE, "the stride is larger than the memory");
  return 0;
}

/* Parses the options after pattern, action and size: location, stride, number of accesses. */
static int scenario_parse_step_options(struct parser *p, struct scenario_step *step)
{
  const bool loads =
      step->pattern != SCENARIO_COPY && (step->action == SCENARIO_READ || step->action == SCENARIO_MODIFY);
  uint64_t times = 1;
  int rc = 0;

  step->dependent = loads && step->pattern == SCENARIO_CHASE;
  step->stride = step->pattern == SCENARIO_STREAM ? 8 : LINE;
  step->chains = 1;
  while (rc == 0 && p->at < p->n)
    rc = scenario_step_option(p, step, loads, &times);
  if (rc == 0)
    rc = scenario_check_step(p, step);
  if (rc < 0)
    return rc;
  if (!step->count)
    step->count = (step->span + step->stride - 1) / step->stride;
  if (step->count > UINT64_MAX / times / 2)
    return scenario_wrong(p, PMON_E_RANGE, "too many accesses");
  step->count *= times * (step->pattern == SCENARIO_COPY ? 2 : 1);
  return 0;
}

static int scenario_parse_step(struct parser *p, struct scenario_step *step)
{
  static const uint64_t spans[2] = {LINE, SCENARIO_SPAN_MAX}, counts[2] = {1, UINT64_C(1) << 48},
                        sleeps[2] = {FS_PER_NS, UINT64_C(1000000000000000)};
  unsigned i = 0;
  int rc;

  while (i < sizeof patterns / sizeof patterns[0] && !scenario_take(p, patterns[i].name))
    i++;
  if (i == sizeof patterns / sizeof patterns[0])
    return scenario_wrong(p, PMON_E_SYNTAX, "expected stream, random, chase, copy, spin or sleep, not '%.40s'",
                          scenario_peek(p));
  step->pattern = patterns[i].pattern;
  if (step->pattern == SCENARIO_SPIN || step->pattern == SCENARIO_SLEEP) {
    rc = step->pattern == SCENARIO_SPIN
             ? scenario_number(p, "a number of instructions", scenario_plain_units, counts, &step->count)
             : scenario_number(p, "a time (10us)", scenario_time_units, sleeps, &step->count);
    step->count /= step->pattern == SCENARIO_SLEEP ? FS_PER_NS : 1;
    return rc ? rc : scenario_end(p);
  }
  for (unsigned a = 0; a < SCENARIO_ACTIONS && step->pattern != SCENARIO_COPY && step->pattern != SCENARIO_CHASE; a++)
    if (scenario_take(p, actions[a])) {
      step->action = (enum scenario_action)a;
      break;
    }
  rc = scenario_number(p, "an amount of memory (64M)", scenario_byte_units, spans, &step->span);
  return rc == 0 ? scenario_parse_step_options(p, step) : rc;
}

/* Parses `on core N`. A thread keeps its first core. */
static int scenario_parse_core(struct parser *p, struct scenario_thread *t)
{
  static const uint64_t cores[2] = {0, 4095};
  uint64_t core;
  int rc;

  if (!scenario_take(p, "on"))
    return 0;
  if (!scenario_take(p, "core"))
    return scenario_wrong(p, PMON_E_SYNTAX, "expected 'core' after 'on'");
  rc = scenario_number(p, "a core", scenario_plain_units, cores, &core);
  if (rc == 0 && t->used && t->core != (int)core)
    return scenario_wrong(p, PMON_E_CONFLICT, "an earlier line assigns another core to the thread");
  t->core = rc == 0 ? (int)core : -1;
  t->line = t->line ? t->line : p->line;
  return rc;
}

static int scenario_parse_thread(struct parser *p)
{
  static const uint64_t threads[2] = {0, SCENARIO_THREADS - 1};
  struct scenario *s = p->s;
  struct scenario_step step = {0}, *list;
  struct scenario_thread *t;
  uint64_t thread;
  int rc = scenario_number(p, "a thread's number", scenario_plain_units, threads, &thread);

  if (rc < 0)
    return rc;
  t = &s->thread[thread];
  rc = scenario_parse_core(p, t);
  if (rc == 0 && !scenario_take(p, ":"))
    rc = scenario_wrong(p, PMON_E_SYNTAX, "expected ':' and the thread's step, not '%.40s'", scenario_peek(p));
  step.thread = (unsigned)thread;
  step.base = FIRST_THREAD + thread * SCENARIO_REGION;
  step.line = p->line;
  if (rc < 0 || (rc = scenario_parse_step(p, &step)) < 0)
    return rc;
  list = scenario_grow_list(s->step, s->n_steps, sizeof *list);
  if (!list)
    return PMON_E_MEMORY;
  s->step = list;
  list[s->n_steps++] = step;
  t->used = true;
  if (thread >= s->n_threads)
    s->n_threads = (unsigned)thread + 1;
  return 0;
}

/* ---- the other lines ---- */

static int scenario_parse_set(struct parser *p)
{
  struct scenario *s = p->s;
  int rc = 0;

  if (p->at == p->n)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected NAME=VALUE");
  for (; p->at < p->n && rc == 0; p->at++) {
    char(*list)[SCENARIO_TEXT];

    if (strlen(scenario_peek(p)) >= SCENARIO_TEXT)
      return scenario_wrong(p, PMON_E_SYNTAX, "'%.40s...' is too long", scenario_peek(p));
    list = scenario_grow_list(s->setting, s->n_settings, sizeof *list);
    if (!list)
      return PMON_E_MEMORY;
    s->setting = list;
    strcpy(list[s->n_settings++], scenario_peek(p));
  }
  return rc;
}

static int scenario_parse_line(struct parser *p)
{
  static const uint64_t seeds[2] = {1, UINT64_MAX};

  if (!p->n)
    return 0;
  if (scenario_take(p, "thread"))
    return scenario_parse_thread(p);
  if (scenario_take(p, "dma"))
    return scenario_device_line(p, SCENARIO_DMA);
  if (scenario_take(p, "mmio"))
    return scenario_device_line(p, SCENARIO_MMIO);
  if (scenario_take(p, "cxl"))
    return scenario_device_line(p, SCENARIO_CXL);
  if (scenario_take(p, "device"))
    return scenario_named_line(p);
  if (scenario_take(p, "message"))
    return scenario_message_line(p);
  if (scenario_take(p, "set"))
    return scenario_parse_set(p);
  if (scenario_take(p, "seed")) {
    int rc = scenario_number(p, "a seed", scenario_plain_units, seeds, &p->s->seed);

    return rc ? rc : scenario_end(p);
  }
  bool known;
  int rc = scenario_script_line(p, &known);
  if (rc || known)
    return rc;
  return scenario_wrong(p, PMON_E_SYNTAX,
                        "expected thread, dma, mmio, device, message, set, seed, inject or another "
                        "keyword of a scenario, not '%.40s'",
                        scenario_peek(p));
}

/* Splits a line into words at blanks. A colon is a separate word, except in `set` and `device` lines; # starts a
 * comment. */
static bool scenario_split_line(struct parser *p, char *line, char *room)
{
  p->n = p->at = 0;
  for (;;) {
    size_t n;

    line += strspn(line, " \t\r");
    if (!*line || *line == '#')
      return true;
    if (p->n == SCENARIO_WORDS)
      return false;
    const bool setting = p->n && (!strcmp(p->word[0], "set") || !strcmp(p->word[0], "device"));
    n = *line == ':' ? 1 : strcspn(line, setting ? " \t\r#" : " \t\r:#");
    memcpy(room, line, n);
    room[n] = 0;
    p->word[p->n++] = room;
    room += n + 1;
    line += n;
  }
}

int scenario_parse(const char *name, const char *text, size_t n, char *error, size_t error_size, struct scenario *ret)
{
  struct parser p = {.s = ret, .name = name, .error = error, .error_size = error_size};
  char *copy = malloc(n + 1), *room = malloc(2 * n + 2);
  int rc = copy && room ? 0 : PMON_E_MEMORY;

  *ret = (struct scenario){.seed = 1};
  for (unsigned i = 0; i < SCENARIO_THREADS; i++)
    ret->thread[i].core = -1;
  snprintf(error, error_size, "out of memory");
  if (rc == 0) {
    memcpy(copy, text, n);
    copy[n] = 0;
  }
  for (char *line = copy, *next; rc == 0 && line; line = next) {
    next = memchr(line, '\n', n - (size_t)(line - copy));
    if (next)
      *next++ = 0;
    p.line++;
    rc = scenario_split_line(&p, line, room) ? scenario_parse_line(&p)
                                             : scenario_wrong(&p, PMON_E_SYNTAX, "more than %u words", SCENARIO_WORDS);
  }
  free(copy);
  free(room);
  if (rc == 0 && !ret->n_steps && !ret->n_dma && !ret->n_injects && !ret->n_actions && !ret->n_faults)
    rc = scenario_wrong(&p, PMON_E_SYNTAX, "the scenario is empty: it has no thread, dma or inject line");
  if (rc < 0)
    scenario_fini(ret);
  return rc;
}
