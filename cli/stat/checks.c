/* SPDX-License-Identifier: MIT */
#include "cli/stat/checks.h"

#include <inttypes.h>
#include <string.h>
#include "cli/stat/run.h"

enum { FILTERS_PRINTED = 3, VIOLATIONS_PRINTED = 20 };

/* Violated invariants are reported on standard error; the results remain unchanged. */
void stat_checks_invariants(struct cli *cli, struct stat_checks *c, const struct pmon_report *r, bool counted)
{
  struct pmon_invariant_violation invariant = {.size = sizeof invariant};
  struct pmon_platform_info platform = {.size = sizeof platform};
  const uint32_t checked = pmon_report_invariants_checked(r);
  uint32_t i = 0;
  pmon_platform_describe(cli->platform, &platform);
  out_flush(&cli->out);
  for (; !pmon_report_invariant_violation(r, i, &invariant); i++) {
    char where[64] = "in total", numbers[2][32];
    if (invariant.package != PMON_ALL)
      snprintf(where, sizeof where, "%s %u", platform.package, invariant.package);
    if (invariant.instance != PMON_ALL)
      snprintf(where, sizeof where, "%s %u, %s %u", platform.package, invariant.package,
               invariant.unit[0] ? invariant.unit : "instance", invariant.instance);
    snprintf(numbers[0], sizeof *numbers, "%.15g", invariant.left);
    snprintf(numbers[1], sizeof *numbers, "%.15g", invariant.right);
    if (i < VIOLATIONS_PRINTED)
      cli_note_marked(cli, strlen("invariant violated: ") + strlen(invariant.name),
                      "invariant violated: %s (%s): %s\n  %s: %s and %s [%s]", invariant.name, where, invariant.brief,
                      invariant.holds, numbers[0], numbers[1], invariant.cite);
  }
  c->invariant_violations += i;
  if (i > VIOLATIONS_PRINTED)
    cli_note(cli, "and %u more like these; --json lists all", i - VIOLATIONS_PRINTED);
  if (counted)
    cli_note(cli, "%u invariant%s checked, %u violation%s", checked, checked == 1 ? "" : "s", i, i == 1 ? "" : "s");
}

void stat_checks_changed(const struct cli *cli, struct stat_checks *c, const struct pmon_session *session,
                         uint64_t origin_ns)
{
  struct pmon_session_info info = {.size = sizeof info};
  const double begin_ns = (double)pmon_session_now_ns(session) - pmon_session_seconds(session) * 1e9;
  if (pmon_session_describe(session, &info) || !info.changed || (double)info.changed_from_ns + 1 > begin_ns)
    return;
  if (info.changed == c->changed_registers)
    return;
  c->changed_registers = info.changed;
  cli_warn(cli,
           "another program changed the control or filter registers of %" PRIu32
           " counter%s after %.6f s of the measurement: counts of their events since then may be wrong "
           "(--verify 0 checks at the end of each interval)",
           info.changed, info.changed == 1 ? "" : "s",
           info.changed_from_ns > origin_ns ? (double)(info.changed_from_ns - origin_ns) * 1e-9 : 0);
}

void stat_checks_overflows(struct stat_run *s, const struct pmon_session *session, uint32_t packages)
{
  enum { DELAY = 10000 }; /* counts until a freeze takes effect */
  const struct pmon_event *event = pmon_plan_event(s->wanted.plan, s->times.every_event);
  struct pmon_unit_info unit = {.size = sizeof unit};
  if (!s->times.every_count || s->samples.add || s->checks.missed_overflows ||
      pmon_unit_describe(s->cli->platform, pmon_event_unit(event), &unit))
    return;
  for (uint32_t i = 0; i < packages * unit.instances && !s->checks.missed_overflows; i++) {
    const struct pmon_scope scope = {i / unit.instances, i % unit.instances};
    struct pmon_value v;
    if (pmon_session_event(session, s->times.every_event, &scope, &v) || !v.valid ||
        v.number < (double)s->times.every_count + DELAY)
      continue;
    s->checks.missed_overflows = true;
    cli_warn(s->cli,
             "--every: %s counted %.0f on instance %" PRIu32 " without an overflow message: the interval did "
             "not end after %" PRIu64 " counts; see `pmon show %s`, or end intervals by time (-I)",
             pmon_event_name(event), v.number, scope.instance, s->times.every_count, unit.name);
  }
}

/* Prints the first few filters of another user that would narrow the counts, and their number. */
struct filter_lines {
  const struct cli *cli;
  uint32_t n;
};

static void filter_line(void *user, const char *line)
{
  struct filter_lines *lines = user;
  if (lines->n++ < FILTERS_PRINTED)
    cli_warn(lines->cli, "%s", line);
}

void stat_checks_filters(const struct cli *cli, const struct pmon_session *session)
{
  struct filter_lines lines = {.cli = cli};
  const uint32_t n = pmon_session_filters(session, filter_line, &lines);
  if (n)
    cli_note(cli, "%s%" PRIu32 " filter register%s let everything pass during the measurement and %s restored after it",
             n > FILTERS_PRINTED ? "... " : "", n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
}
