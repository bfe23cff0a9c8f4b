/* SPDX-License-Identifier: MIT */
#include "cli/target/coverage_rows.h"
#include "cli/target/script.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { SOCKETS_MAX = 8 };

/* ---- injections ---- */

static int script_resolve_one(struct cli *cli, struct scenario_inject *in)
{
  struct coverage_row row = {0};
  char text[160];
  snprintf(text, sizeof text, "%s/%s/", in->place.unit, in->event);
  int status = coverage_row_encode(cli->context, cli->platform, text, &row);
  if (status && status != PMON_E_INVALID)
    return cli_fail_context(cli, text);
  if (status || !row.ctl)
    return cli_fail(cli, "line %u of the scenario: %s cannot be injected: no control register selects it", in->line,
                    text);
  in->ctl = row.ctl;
  memcpy(in->filter, row.filter, sizeof in->filter);
  in->resolved = true;
  return CLI_DONE;
}

int script_resolve(struct cli *cli, struct scenario *s)
{
  int result = CLI_DONE;
  for (size_t i = 0; result == CLI_DONE && i < s->n_injects; i++)
    if (!s->inject[i].resolved)
      result = cli_platform(cli) ? script_resolve_one(cli, &s->inject[i]) : CLI_USAGE;
  return result;
}

/* ---- expected counts ---- */

static void script_event_text(const struct scenario_expectation *e, char *text, size_t size)
{
  if (e->place.instance < 0)
    snprintf(text, size, "%s/%s/", e->place.unit, e->event);
  else
    snprintf(text, size, "%s%d/%s/", e->place.unit, e->place.instance, e->event);
}

int script_plan(struct cli *cli, const struct scenario *s, struct pmon_plan **ret_plan)
{
  struct pmon_plan_info info = {.size = sizeof info};
  struct pmon_plan *plan = NULL;
  int result = CLI_DONE;
  *ret_plan = NULL;
  size_t counts = 0;
  for (size_t i = 0; i < s->n_expectations; i++)
    counts += !s->expectation[i].interrupts;
  if (!counts)
    return CLI_DONE;
  if (!cli_platform(cli))
    return CLI_USAGE;
  if (pmon_plan_new(cli->context, cli->platform, &plan))
    return cli_fail_context(cli, NULL);
  for (size_t i = 0; result == CLI_DONE && i < s->n_expectations; i++) {
    char text[160];
    if (s->expectation[i].interrupts)
      continue;
    script_event_text(&s->expectation[i], text, sizeof text);
    if (pmon_plan_add_events(plan, text))
      result = cli_fail_context(cli, text);
  }
  if (result == CLI_DONE && pmon_plan_schedule(plan))
    result = cli_fail_context(cli, NULL);
  if (result == CLI_DONE && !pmon_plan_describe(plan, &info) && info.rounds > 1)
    result = cli_fail(cli, "scenario: the expected counts need more counters than exist; remove some expect lines");
  if (result != CLI_DONE)
    pmon_plan_free(plan);
  else
    *ret_plan = plan;
  return result;
}

/* Compares one expected count. A total is the sum over all sockets and all of the unit's instances; otherwise it is the
 * count of one instance, or of the unit, on one socket. */
static int script_compare_one(struct cli *cli, const struct scenario_expectation *e, const struct pmon_session *session,
                              uint32_t i)
{
  struct pmon_scope scope = {e->place.socket == UINT_MAX ? PMON_ALL : e->place.socket,
                             e->place.instance < 0 ? PMON_ALL : (uint32_t)e->place.instance};
  struct pmon_value v = {0};
  int status = pmon_session_event(session, i, &scope, &v);
  if (status || !v.valid) {
    cli_fail(cli, "line %u of the scenario: %s %s was not counted: %s", e->line, e->place.unit, e->event,
             status ? cli_status_text(status) : v.reason);
    return CLI_FAILED;
  }
  if (compare_holds(e->compare, (uint64_t)(v.number + 0.5), e->value))
    return CLI_DONE;
  cli_fail(cli, "line %u of the scenario: %s %s is %.0f, expected %s %" PRIu64, e->line, e->place.unit, e->event,
           v.number, compare_name(e->compare), e->value);
  return CLI_FAILED;
}

/* Returns the event's number in the plan, which contains each event once. */
static uint32_t script_event_number(struct cli *cli, const struct pmon_plan *plan, const char *text)
{
  struct pmon_event *e;
  uint32_t i = 0;
  if (pmon_event_resolve(cli->context, cli->platform, text, &e))
    return UINT32_MAX;
  while (pmon_plan_event(plan, i) && strcmp(pmon_event_name(pmon_plan_event(plan, i)), pmon_event_name(e)))
    i++;
  pmon_event_free(e);
  return i;
}

int script_compare(struct cli *cli, const struct scenario *s, const struct pmon_plan *plan,
                   const struct pmon_session *session)
{
  int result = CLI_DONE;
  for (size_t i = 0; i < s->n_expectations; i++) {
    char text[160];
    if (s->expectation[i].interrupts)
      continue;
    script_event_text(&s->expectation[i], text, sizeof text);
    int one = script_compare_one(cli, &s->expectation[i], session, script_event_number(cli, plan, text));
    result = one == CLI_DONE ? result : one;
  }
  return result;
}

int script_compare_interrupts(struct cli *cli, const struct scenario *s, const struct machine *m)
{
  int result = CLI_DONE;
  for (size_t i = 0; i < s->n_expectations; i++) {
    const struct scenario_expectation *e = &s->expectation[i];
    uint64_t n = 0;
    for (unsigned k = 0; e->interrupts && k < SOCKETS_MAX; k++)
      n += e->place.socket == UINT_MAX || e->place.socket == k ? machine_pmis(m, k) : 0;
    if (!e->interrupts || compare_holds(e->compare, n, e->value))
      continue;
    cli_fail(cli, "line %u of the scenario: %" PRIu64 " PMIs were sent, expected %s %" PRIu64, e->line, n,
             compare_name(e->compare), e->value);
    result = CLI_FAILED;
  }
  return result;
}
