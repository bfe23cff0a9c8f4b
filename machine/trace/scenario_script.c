/* SPDX-License-Identifier: MIT */
/* Scenario lines other than workloads: injected events, register accesses of software, expectations. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/scenario_parser.h"

static const uint64_t counts[2] = {1, UINT32_MAX}, times[2] = {0, UINT64_C(1000000000000000)}, sockets[2] = {0, 7};

static int script_read_text(struct parser *p, const char *what, char *text, size_t size)
{
  const char *word = scenario_peek(p);
  if (!*word || strlen(word) >= size)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected %s, not '%.40s'", what, word);
  strcpy(text, word);
  p->at++;
  return 0;
}

/* Parses a number of up to 64 bits, decimal or hexadecimal. */
static int script_read_value(struct parser *p, uint64_t *ret)
{
  const char *word = scenario_peek(p);
  char *end;
  *ret = strtoull(word, &end, 0);
  if (*word < '0' || *word > '9' || *end)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected a value, not '%.40s'", word);
  p->at++;
  return 0;
}

static int script_read_compare(struct parser *p, enum compare *ret)
{
  for (unsigned i = 1; i < COMPARE_N; i++)
    if (scenario_take(p, compare_name((enum compare)i))) {
      *ret = (enum compare)i;
      return 0;
    }
  return scenario_wrong(p, PMON_E_SYNTAX, "expected ==, !=, <, <=, >= or >, not '%.40s'", scenario_peek(p));
}

/* Parses CODE[:UMASK[:EXT]], which is split into words at the colons, or a name, which is resolved later. */
static int script_read_event(struct parser *p, struct scenario_inject *in)
{
  uint64_t part[3] = {0};
  unsigned n = 0;
  if (scenario_peek(p)[0] < '0' || scenario_peek(p)[0] > '9')
    return script_read_text(p, "an event or its code", in->event, sizeof in->event);
  do {
    int rc = script_read_value(p, &part[n++]);
    if (rc)
      return rc;
  } while (n < 3 && scenario_take(p, ":"));
  if (part[0] > 0xff || part[1] > 0xff || part[2] > UINT32_MAX)
    return scenario_wrong(p, PMON_E_RANGE, "the code, its umask or its extension is too large");
  in->ctl = part[0] | part[1] << 8 | part[2] << 32;
  in->resolved = in->exact = true;
  return 0;
}

static int script_add_inject(struct parser *p, const struct scenario_inject *in)
{
  struct scenario_inject *list = scenario_grow_list(p->s->inject, p->s->n_injects, sizeof *list);
  if (!list)
    return PMON_E_MEMORY;
  p->s->inject = list;
  list[p->s->n_injects] = *in;
  list[p->s->n_injects++].line = p->line;
  return 0;
}

/* Parses `socket N`, `at T`, `from T`, `for T`. */
static int script_read_when(struct parser *p, struct scenario_inject *in)
{
  uint64_t socket = 0, length = 0;
  int rc = 0;
  while (rc == 0 && p->at < p->n) {
    if (scenario_take(p, "socket"))
      rc = scenario_number(p, "a socket", scenario_plain_units, sockets, &socket);
    else if (!in->held && scenario_take(p, "at"))
      rc = scenario_number(p, "a time (10us)", scenario_time_units, times, &in->from_fs);
    else if (in->held && scenario_take(p, "from"))
      rc = scenario_number(p, "a time (10us)", scenario_time_units, times, &in->from_fs);
    else if (in->held && scenario_take(p, "for"))
      rc = scenario_number(p, "a time (10us)", scenario_time_units, times, &length);
    else
      rc = scenario_meaningless(p);
  }
  if (rc == 0 && in->held && !length)
    rc = scenario_wrong(p, PMON_E_SYNTAX, "expected 'for' and a time");
  in->place.socket = (unsigned)socket;
  in->until_fs = in->from_fs + length;
  return rc;
}

/* inject cha3 LLC_VICTIMS.M_STATE 1000 [socket N] [at TIME]; hold pcu 0x35 4 from TIME for TIME */
static int script_parse_inject(struct parser *p, bool held)
{
  struct scenario_inject in = {.held = held};
  int rc = scenario_place_read(p, &in.place);
  if (rc == 0)
    rc = script_read_event(p, &in);
  if (rc == 0)
    rc = scenario_number(p, held ? "a level" : "a number of occurrences", scenario_plain_units, counts, &in.count);
  if (rc == 0)
    rc = script_read_when(p, &in);
  return rc ? rc : script_add_inject(p, &in);
}

/* Named conditions. event: what occurs on platforms that do not model the condition's consequences; NULL: such a
 * platform does not have the condition. */
static const struct condition {
  const char *keyword, *unit, *event;
  enum traffic_condition_kind kind;
  bool held;
} conditions[] = {
    {"thermal", "pcu", "FREQ_MAX_LIMIT_THERMAL_CYCLES", CONDITION_THERMAL, true},
    {"power-limit", "pcu", "FREQ_MAX_POWER_CYCLES", CONDITION_POWER, true},
    {"current-limit", "pcu", NULL, CONDITION_CURRENT, true},
    {"prochot", "pcu", "PROCHOT_INTERNAL_CYCLES", CONDITION_PROCHOT, true},
    {"prochot-outside", "pcu", NULL, CONDITION_PROCHOT_OUTSIDE, true},
    {"vr-hot", "pcu", "VR_HOT_CYCLES", CONDITION_VR_HOT, true},
    {"throttle", "imc", NULL, CONDITION_THROTTLE, true},
    {"critical", "imc", NULL, CONDITION_CRITICAL, true},
    {"ecc", "imc", NULL, CONDITION_ECC, false},
    {"crc", "qpi", NULL, CONDITION_DAMAGE, false},
    {"crc", "upi", "RxL_CRC_ERRORS", CONDITION_DAMAGE, false},
    {"crc", "cxlcm", NULL, CONDITION_CXL_DAMAGE, false},
};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

/* Parses the place of a condition (imc2, qpi0), `rank N` of a throttled channel, and a number of errors. */
static int script_read_condition_place(struct parser *p, const struct condition *c, struct scenario_inject *in)
{
  static const uint64_t ranks[2] = {0, 7};
  uint64_t rank;
  int rc = 0;
  if (strcmp(c->unit, "pcu")) {
    rc = scenario_place_read(p, &in->place);
    const struct condition *k = c;
    while (k < conditions + CONDITIONS && (strcmp(k->keyword, c->keyword) || strcmp(in->place.unit, k->unit)))
      k++;
    if (rc == 0 && k == conditions + CONDITIONS)
      rc = scenario_wrong(p, PMON_E_SYNTAX, "expected %s such as %s0, not '%.40s'",
                          c->kind == CONDITION_DAMAGE ? "a link" : "a channel",
                          c->kind == CONDITION_DAMAGE ? "upi" : c->unit, in->place.unit);
  }
  if (rc == 0 && c->kind == CONDITION_THROTTLE && scenario_take(p, "rank")) {
    rc = scenario_number(p, "a rank", scenario_plain_units, ranks, &rank);
    in->ranks = rc ? 0 : 1u << rank;
  }
  if (rc == 0 && !c->held)
    rc = scenario_number(p, "a number of errors", scenario_plain_units, counts, &in->count);
  return rc;
}

/* thermal [socket N] from TIME for TIME; throttle imc2 [rank N] for TIME; crc upi2 100 [socket N] [at TIME] */
static int script_parse_condition(struct parser *p, const struct condition *c)
{
  struct scenario_inject in = {.held = c->held, .count = 1, .place = {.instance = 0}, .condition = c->kind};
  strcpy(in.place.unit, c->unit);
  if (++p->conditions > SCENARIO_CONDITIONS)
    return scenario_wrong(p, PMON_E_RANGE, "more than %u conditions", SCENARIO_CONDITIONS);
  int rc = script_read_condition_place(p, c, &in);
  if (rc == 0)
    rc = script_read_when(p, &in);
  for (const struct condition *k = c; rc == 0 && k < conditions + CONDITIONS; k++)
    if (!strcmp(k->keyword, c->keyword) && !strcmp(k->unit, in.place.unit)) {
      in.resolved = !k->event;
      in.condition = k->kind;
      strcpy(in.event, k->event ? k->event : "");
      rc = script_add_inject(p, &in);
      in.repeats = true;
    }
  return rc;
}

static int script_add_access(struct parser *p, const struct scenario_access *a)
{
  struct scenario_access *list = scenario_grow_list(p->s->action, p->s->n_actions, sizeof *list);
  if (!list)
    return PMON_E_MEMORY;
  p->s->action = list;
  list[p->s->n_actions] = *a;
  list[p->s->n_actions++].line = p->line;
  return 0;
}

/* write cha0 UNIT_CTL 0x300; read cha0 CTR0 [expect == 5]; `socket N` after either */
static int script_parse_access(struct parser *p, enum scenario_act act)
{
  struct scenario_access a = {.act = act};
  uint64_t socket = 0;
  int rc = scenario_place_read(p, &a.place);
  if (rc == 0)
    rc = script_read_text(p, "a register", a.reg, sizeof a.reg);
  if (rc == 0 && act == SCENARIO_ACT_WRITE)
    rc = script_read_value(p, &a.value);
  while (rc == 0 && p->at < p->n) {
    if (scenario_take(p, "socket"))
      rc = scenario_number(p, "a socket", scenario_plain_units, sockets, &socket);
    else if (act == SCENARIO_ACT_READ && scenario_take(p, "expect")) {
      rc = script_read_compare(p, &a.compare);
      rc = rc ? rc : script_read_value(p, &a.value);
    } else
      rc = scenario_meaningless(p);
  }
  a.place.socket = (unsigned)socket;
  return rc ? rc : script_add_access(p, &a);
}

/* wait TIME: relative to the script's current time */
static int script_parse_wait(struct parser *p)
{
  struct scenario_access a = {.act = SCENARIO_ACT_WAIT};
  uint64_t length;
  int rc = scenario_number(p, "a time (10us)", scenario_time_units, times, &length);
  rc = rc ? rc : scenario_end(p);
  if (rc)
    return rc;
  a.until_fs = p->script_fs += length;
  return script_add_access(p, &a);
}

/* expect total imc CAS_COUNT.RD >= 1000; expect cha3 LLC_VICTIMS.M_STATE == 1000 [socket N]; expect pmi == 1 */
static int script_parse_expect(struct parser *p)
{
  struct scenario_expectation e = {0}, *list;
  bool total = scenario_take(p, "total");
  uint64_t socket = 0;
  int rc = 0;
  e.interrupts = scenario_take(p, "pmi");
  if (!e.interrupts)
    rc = scenario_place_read(p, &e.place);
  if (rc == 0 && !e.interrupts)
    rc = script_read_text(p, "an event", e.event, sizeof e.event);
  if (rc == 0)
    rc = script_read_compare(p, &e.compare);
  if (rc == 0)
    rc = script_read_value(p, &e.value);
  if (rc == 0 && !total && scenario_take(p, "socket"))
    rc = scenario_number(p, "a socket", scenario_plain_units, sockets, &socket);
  rc = rc ? rc : scenario_end(p);
  if (rc)
    return rc;
  e.place.socket = total ? UINT_MAX : (unsigned)socket;
  e.line = p->line;
  list = scenario_grow_list(p->s->expectation, p->s->n_expectations, sizeof *list);
  if (!list)
    return PMON_E_MEMORY;
  p->s->expectation = list;
  list[p->s->n_expectations++] = e;
  return 0;
}

int scenario_script_line(struct parser *p, bool *ret_known)
{
  *ret_known = true;
  for (const struct condition *c = conditions; c < conditions + CONDITIONS; c++)
    if (scenario_take(p, c->keyword))
      return script_parse_condition(p, c);
  if (scenario_take(p, "inject"))
    return script_parse_inject(p, false);
  if (scenario_take(p, "hold"))
    return script_parse_inject(p, true);
  if (scenario_take(p, "fault"))
    return scenario_fault_line(p);
  if (scenario_take(p, "write"))
    return script_parse_access(p, SCENARIO_ACT_WRITE);
  if (scenario_take(p, "read"))
    return script_parse_access(p, SCENARIO_ACT_READ);
  if (scenario_take(p, "wait"))
    return script_parse_wait(p);
  if (scenario_take(p, "expect"))
    return script_parse_expect(p);
  *ret_known = false;
  return 0;
}
