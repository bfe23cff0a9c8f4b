/* SPDX-License-Identifier: MIT */
/* The text form of the stream, docs/bundles.md. */
#include "machine/montecito/stream/stream.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/events/events.h"
#include "machine/montecito/stream/line.h"
#include "machine/pmon/compare.h"

/* rse KEY=NUMBER ... */
static int stream_parse_rse(struct stream_line *l, struct montecito_record *r)
{
  enum { LOADS, STORES, AT, CURRENT, DIRTY };
  static const char *const keys[] = {
      [LOADS] = "loads", [STORES] = "stores", [AT] = "at", [CURRENT] = "current", [DIRTY] = "dirty"};
  r->kind = RECORD_RSE;
  for (unsigned w = 1; w < l->n; w++) {
    char *value = strchr(l->word[w], '=');
    uint64_t v;
    if (!value)
      return stream_error(l, PMON_E_SYNTAX, "expected KEY=NUMBER, not", l->word[w]);
    *value++ = 0;
    const int key = STREAM_FIND(keys, l->word[w]);
    if (key < 0)
      return STREAM_ERROR_WORDS(l, "rse", l->word[w], keys);
    if (!stream_parse_number(value, &v) || (key != AT && v > 96))
      return stream_error(l, PMON_E_RANGE,
                          key == AT ? "rse at: expected an address, not" : "rse: expected a number from 0 to 96, not",
                          value);
    switch (key) {
    case LOADS: r->n = (uint32_t)v; break;
    case STORES: r->b = (uint8_t)v; break;
    case AT: r->address = v; break;
    case CURRENT: r->value |= v; break;
    default: r->value |= v << 8; break;
    }
  }
  return PMON_OK;
}

/* signal EVENT[.UMASK[+UMASK...]] N [CYCLES] */
static int stream_parse_signal(struct stream_line *l, struct montecito_record *r)
{
  char *umask = strchr(l->word[1], '.');
  uint64_t n, cycles = 1;
  uint16_t values = 0;
  const struct montecito_event *e;
  if (umask)
    *umask++ = 0;
  e = montecito_event_find_by_name(l->word[1]);
  if (!e)
    return stream_error(l, PMON_E_UNKNOWN, "signal: no such event; `pmon list -p montecito` lists the events",
                        l->word[1]);
  for (char *save = NULL, *u = umask ? strtok_r(umask, "+", &save) : NULL; u; u = strtok_r(NULL, "+", &save)) {
    if (!montecito_umask_values(e, u))
      return stream_error(l, PMON_E_UNKNOWN, "signal: the event has no such unit mask", u);
    values |= montecito_umask_values(e, u);
  }
  if (l->n < 3 || !stream_parse_number(l->word[2], &n) || n > UINT8_MAX ||
      (l->n > 3 && !stream_parse_number(l->word[3], &cycles)) || !cycles || cycles > 1000000)
    return stream_error(l, PMON_E_RANGE, "signal: expected N (0 to 255), or N and CYCLES (1 to 1000000), after",
                        l->word[1]);
  r->kind = RECORD_SIGNAL;
  r->a = e->code;
  r->n = (uint32_t)n;
  r->value = (umask ? values : 0xffff) | cycles << 16;
  return PMON_OK;
}

/* A record of an index of a list, and the number, 0 to `most`, of the line's third word: stall exe.gr 3. */
static int stream_parse_choice(struct stream_line *l, struct montecito_record *r, int choice, uint64_t most)
{
  uint64_t n = 0;
  r->a = (uint8_t)choice;
  if (l->n > 2 && (!stream_parse_number(l->word[2], &n) || n > most))
    return stream_error(l, PMON_E_RANGE,
                        most == 0            ? "expected nothing more, not"
                        : most == UINT32_MAX ? "expected a number of cycles, not"
                                             : "expected a number of cycles up to 1000000, not",
                        l->word[2]);
  r->n = (uint32_t)n;
  return PMON_OK;
}

/* bus KIND AGENT [ADDRESS] */
static int stream_parse_bus(struct stream_line *l, struct montecito_record *r)
{
  static const char *const kinds[BUS_KIND_N] = {"brl", "bril", "bil", "bwl", "brp", "bwp", "brc", "ior", "iow", "bccl"};
  static const char *const agents[AGENT_N] = {"self", "io", "other"};
  int kind = STREAM_FIND(kinds, l->word[1]), agent = l->n > 2 ? STREAM_FIND(agents, l->word[2]) : -1;
  if (kind < 0)
    return STREAM_ERROR_WORDS(l, "bus kind", l->word[1], kinds);
  if (agent < 0)
    return STREAM_ERROR_WORDS(l, "bus agent", l->n > 2 ? l->word[2] : "", agents);
  if (l->n > 3 && !stream_parse_number(l->word[3], &r->address))
    return stream_error(l, PMON_E_SYNTAX, "bus: expected an address, not", l->word[3]);
  r->kind = RECORD_BUS;
  r->a = (uint8_t)kind;
  r->b = (uint8_t)agent;
  return PMON_OK;
}

/* expect pmd N OP VALUE */
static int stream_parse_expect(struct stream_line *l, struct montecito_record *r)
{
  uint64_t index = 0;
  unsigned compare = 1;
  while (l->n > 3 && compare < COMPARE_N && strcmp(l->word[3], compare_name(compare)))
    compare++;
  if (l->n != 5 || compare == COMPARE_N || !stream_parse_number(l->word[2], &index) || index >= 64 ||
      !stream_parse_number(l->word[4], &r->value))
    return stream_error(l, PMON_E_SYNTAX, "expected pmc or pmd, a register number, a comparison and a value after",
                        l->word[0]);
  if (strcmp(l->word[1], "pmc") && strcmp(l->word[1], "pmd"))
    return stream_error(l, PMON_E_SYNTAX, "expect: expected pmc or pmd, not", l->word[1]);
  r->kind = RECORD_EXPECT;
  r->n = l->word[1][2] == 'c' ? PMON_SPACE_PMC : PMON_SPACE_PMD;
  r->a = (uint8_t)index;
  r->b = (uint8_t)compare;
  return PMON_OK;
}

/* interrupt, purge */
static int stream_parse_alone(struct stream_line *l, struct montecito_record *r)
{
  r->kind = !strcmp(l->word[0], "interrupt") ? RECORD_INTERRUPT : RECORD_PURGE;
  return l->n == 1 ? PMON_OK : stream_error(l, PMON_E_SYNTAX, "expected no further words after", l->word[0]);
}

/* stall REASON [CYCLES] */
static int stream_parse_stall(struct stream_line *l, struct montecito_record *r)
{
  const int reason = montecito_stall_find(l->word[1]);
  r->kind = RECORD_STALL;
  return reason < 0 ? stream_error(l, PMON_E_SYNTAX, "no such stall reason; docs/bundles.md lists them", l->word[1])
                    : stream_parse_choice(l, r, reason, UINT32_MAX);
}

/* switch CAUSE [CYCLES] */
static int stream_parse_switch(struct stream_line *l, struct montecito_record *r)
{
  static const char *const causes[SWITCH_N] = {"l3miss", "timer", "hint", "low_power", "debug"};
  const int cause = STREAM_FIND(causes, l->word[1]);
  r->kind = RECORD_SWITCH;
  return cause < 0 ? STREAM_ERROR_WORDS(l, "switch cause", l->word[1], causes)
                   : stream_parse_choice(l, r, cause, 1000000);
}

/* timing explicit|model */
static int stream_parse_timing(struct stream_line *l, struct montecito_record *r)
{
  static const char *const timings[] = {"explicit", "model"};
  const int timing = STREAM_FIND(timings, l->word[1]);
  r->kind = RECORD_TIMING;
  return timing < 0 ? STREAM_ERROR_WORDS(l, "timing", l->word[1], timings) : stream_parse_choice(l, r, timing, 0);
}

/* halt CYCLES */
static int stream_parse_halt(struct stream_line *l, struct montecito_record *r)
{
  r->kind = RECORD_HALT;
  if (!stream_parse_number(l->word[1], &r->value) || r->value > UINT32_MAX)
    return stream_error(l, PMON_E_RANGE, "halt: expected a number of cycles, not", l->word[1]);
  r->n = (uint32_t)r->value;
  return PMON_OK;
}

/* snoop KIND ADDRESS */
static int stream_parse_snoop(struct stream_line *l, struct montecito_record *r)
{
  static const char *const kinds[SNOOP_N] = {"read", "invalidate"};
  r->kind = RECORD_SNOOP;
  if (l->n != 3 || !stream_parse_number(l->word[2], &r->address))
    return stream_error(l, PMON_E_SYNTAX, "expected a kind and an address after", l->word[0]);
  const int kind = STREAM_FIND(kinds, l->word[1]);
  if (kind < 0)
    return STREAM_ERROR_WORDS(l, "snoop kind", l->word[1], kinds);
  r->a = (uint8_t)kind;
  return PMON_OK;
}

/* The lines by their first word, but for those of registers. */
static const struct {
  const char *word;
  unsigned least; /* words of the line */
  int (*parse)(struct stream_line *l, struct montecito_record *r);
} lines[] = {
    {"b", 1, stream_parse_bundle},        {"+b", 1, stream_parse_bundle},     {"rse", 1, stream_parse_rse},
    {"interrupt", 1, stream_parse_alone}, {"purge", 1, stream_parse_alone},   {"signal", 2, stream_parse_signal},
    {"expect", 2, stream_parse_expect},   {"bus", 2, stream_parse_bus},       {"stall", 2, stream_parse_stall},
    {"switch", 2, stream_parse_switch},   {"timing", 2, stream_parse_timing}, {"halt", 2, stream_parse_halt},
    {"snoop", 2, stream_parse_snoop}};

static const struct {
  const char *name;
  uint8_t kind, first, count;
} registers[] = {{"psr", RECORD_STATE, MONTECITO_PSR, 1},
                 {"dcr", RECORD_STATE, MONTECITO_DCR, 1},
                 {"pmv", RECORD_STATE, MONTECITO_PMV, 1},
                 {"tpr", RECORD_STATE, MONTECITO_TPR, 1},
                 {"ibr", RECORD_STATE, MONTECITO_IBR, 8},
                 {"dbr", RECORD_STATE, MONTECITO_DBR, 8},
                 {"pmc", RECORD_PMC, 0, 64},
                 {"pmd", RECORD_PMD, 0, 64}};

/* ibr N VALUE, dbr N VALUE, pmc N VALUE, pmd N VALUE; psr VALUE and similar lines */
static int stream_parse_register(struct stream_line *l, struct montecito_record *r, unsigned first, unsigned count)
{
  uint64_t index = 0;
  const unsigned w = count > 1 ? 2 : 1;
  if (l->n != w + 1 || (count > 1 && (!stream_parse_number(l->word[1], &index) || index >= count)) ||
      !stream_parse_number(l->word[w], &r->value))
    return stream_error(l, PMON_E_SYNTAX,
                        count > 1 ? "expected a register number and a value after" : "expected a value after",
                        l->word[0]);
  r->a = (uint8_t)(first + index);
  return PMON_OK;
}

static int stream_parse_words(struct stream_line *l, struct montecito_record *r)
{
  const char *first = l->word[0];
  for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
    if (!strcmp(first, registers[i].name)) {
      r->kind = registers[i].kind;
      return stream_parse_register(l, r, registers[i].first, registers[i].count);
    }
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (!strcmp(first, lines[i].word) && l->n >= lines[i].least)
      return lines[i].parse(l, r);
  return stream_error(l, PMON_E_SYNTAX,
                      l->n < 2 ? "unknown or incomplete line; docs/bundles.md describes the lines"
                               : "unknown line; docs/bundles.md describes the lines",
                      first);
}

int montecito_stream_parse_line(const char *text, uint8_t *thread, struct montecito_record *ret, bool *ret_any,
                                char *error, size_t error_size)
{
  struct stream_line l = {.error = error, .error_size = error_size};
  uint64_t value;
  *ret_any = false;
  if (snprintf(l.text, sizeof l.text, "%s", text) >= (int)sizeof l.text)
    return stream_error(&l, PMON_E_SYNTAX, "the line is longer than 1023 bytes", "");
  l.text[strcspn(l.text, "#\r\n")] = 0;
  for (char *save = NULL, *w = strtok_r(l.text, " \t", &save); w; w = strtok_r(NULL, " \t", &save)) {
    if (l.n == STREAM_WORDS)
      return stream_error(&l, PMON_E_SYNTAX, "expected at most 16 words, not", w);
    l.word[l.n++] = w;
  }
  if (!l.n)
    return PMON_OK;
  if (!strcmp(l.word[0], "thread")) {
    if (l.n != 2 || !stream_parse_number(l.word[1], &value) || value >= MONTECITO_THREADS)
      return stream_error(&l, PMON_E_RANGE, "expected thread 0, 1, 2 or 3, not", l.n > 1 ? l.word[1] : "");
    *thread = (uint8_t)value;
    return PMON_OK;
  }
  memset(ret, 0, sizeof *ret);
  ret->thread = *thread;
  *ret_any = true;
  return stream_parse_words(&l, ret);
}
