/* SPDX-License-Identifier: MIT */
/* `fault` lines of a scenario: faults of the monitoring hardware (machine/pmon/faults.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/scenario_parser.h"

static const uint64_t counters[2] = {0, 31}, processors[2] = {0, 1023}, accesses[2] = {1, UINT64_C(1) << 40},
                      times[2] = {0, UINT64_C(1000000000000000)}, sockets[2] = {0, 7};

static int fault_read_kind(struct parser *p, enum fault_kind *ret)
{
  char names[400] = "";
  for (unsigned i = 0; i < FAULT_N; i++) {
    const char *name = machine_fault_name((enum fault_kind)i);
    if (scenario_take(p, name)) {
      *ret = (enum fault_kind)i;
      return 0;
    }
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", name);
  }
  return scenario_wrong(p, PMON_E_SYNTAX, "expected a fault, one of %s, not '%.40s'", names, scenario_peek(p));
}

static int fault_read_number(struct parser *p, const char *what, uint64_t *ret)
{
  const char *word = scenario_peek(p);
  char *end;
  *ret = strtoull(word, &end, 0);
  if (*word < '0' || *word > '9' || *end || *ret > UINT32_MAX)
    return scenario_wrong(p, PMON_E_SYNTAX, "expected %s, not '%.40s'", what, word);
  p->at++;
  return 0;
}

static int fault_read_processor(struct parser *p, unsigned *ret)
{
  uint64_t processor = 0;
  if (!scenario_take(p, "processor"))
    return scenario_wrong(p, PMON_E_SYNTAX, "expected 'processor' and a number, not '%.40s'", scenario_peek(p));
  const int rc = scenario_number(p, "a processor", scenario_plain_units, processors, &processor);
  *ret = (unsigned)processor;
  return rc;
}

static int fault_read_operands(struct parser *p, struct machine_fault *f)
{
  struct scenario_place place;
  uint64_t counter = 0;
  int rc = 0;
  switch (machine_fault_operand(f->kind)) {
  case FAULT_OF_SOCKET: return 0;
  case FAULT_OF_NUMBER: return fault_read_number(p, "a number", &f->number);
  case FAULT_OF_PROCESSOR:
    rc = fault_read_number(p, "an MSR's number", &f->number);
    return rc ? rc : fault_read_processor(p, &f->processor);
  default: break;
  }
  rc = scenario_place_read(p, &place);
  if (rc)
    return rc;
  memcpy(f->unit, place.unit, sizeof f->unit);
  f->instance = place.instance;
  if (machine_fault_operand(f->kind) != FAULT_OF_COUNTER || !scenario_take(p, "counter"))
    return 0;
  rc = scenario_number(p, "a counter", scenario_plain_units, counters, &counter);
  f->counter = (int)counter;
  return rc;
}

/* `socket N`, `at TIME`, `after N`. */
static int fault_read_when(struct parser *p, struct machine_fault *f)
{
  uint64_t socket = 0;
  int rc = 0;
  while (rc == 0 && p->at < p->n) {
    if (scenario_take(p, "socket"))
      rc = scenario_number(p, "a socket", scenario_plain_units, sockets, &socket);
    else if (!f->after && scenario_take(p, "at"))
      rc = scenario_number(p, "a time (10us)", scenario_time_units, times, &f->at_fs);
    else if (!f->at_fs && scenario_take(p, "after"))
      rc = scenario_number(p, "a number of accesses", scenario_plain_units, accesses, &f->after);
    else
      rc = scenario_meaningless(p);
  }
  f->socket = (unsigned)socket;
  if (rc == 0 && f->kind == FAULT_PAGE_LATE && !f->at_fs && !f->after)
    rc = scenario_wrong(p, PMON_E_SYNTAX, "expected 'at' and a time, or 'after' and a number of accesses");
  return rc;
}

int scenario_fault_line(struct parser *p)
{
  struct machine_fault f = {.instance = -1, .counter = -1, .line = p->line}, *list;
  int rc = fault_read_kind(p, &f.kind);
  rc = rc ? rc : fault_read_operands(p, &f);
  rc = rc ? rc : fault_read_when(p, &f);
  if (rc)
    return rc;
  if (!(list = scenario_grow_list(p->s->fault, p->s->n_faults, sizeof *list)))
    return PMON_E_MEMORY;
  p->s->fault = list;
  list[p->s->n_faults++] = f;
  return 0;
}
