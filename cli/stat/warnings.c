/* SPDX-License-Identifier: MIT */
/* Warnings of `pmon stat` about counts that may be wrong. */
#include <inttypes.h>
#include "cli/stat/stat.h"

enum { FILTERS_PRINTED = 3 };

void stat_warn_changed(struct stat_run *s, const struct pmon_session *session)
{
  struct pmon_session_info info = {.size = sizeof info};
  const double begin_ns = (double)pmon_session_now_ns(session) - pmon_session_seconds(session) * 1e9;
  if (pmon_session_describe(session, &info) || !info.changed || (double)info.changed_from_ns + 1 > begin_ns)
    return;
  if (info.changed == s->changed_registers)
    return;
  s->changed_registers = info.changed;
  cli_note(s->cli,
           "another program changed the control or filter registers of %" PRIu32
           " counter%s after %.6f s of the measurement: counts of their events since then may be wrong "
           "(--verify 0 checks at the end of each interval)",
           info.changed, info.changed == 1 ? "" : "s",
           info.changed_from_ns > s->origin_ns ? (double)(info.changed_from_ns - s->origin_ns) * 1e-9 : 0);
}

void stat_warn_missed_overflows(struct stat_run *s, const struct pmon_session *session, uint32_t packages)
{
  enum { DELAY = 10000 }; /* counts until a freeze takes effect */
  const struct pmon_event *event = pmon_plan_event(s->plan, s->every_event);
  struct pmon_unit_info unit = {.size = sizeof unit};
  if (!s->every_count || s->samples.add || s->missed_overflows ||
      pmon_unit_describe(s->cli->platform, pmon_event_unit(event), &unit))
    return;
  for (uint32_t i = 0; i < packages * unit.instances && !s->missed_overflows; i++) {
    const struct pmon_scope scope = {i / unit.instances, i % unit.instances};
    struct pmon_value v;
    if (pmon_session_event(session, s->every_event, &scope, &v) || !v.valid ||
        v.number < (double)s->every_count + DELAY)
      continue;
    s->missed_overflows = true;
    cli_note(s->cli,
             "--every: warning: %s counted %.0f on instance %" PRIu32 " without an overflow message: the interval did "
             "not end after %" PRIu64 " counts; see `pmon show %s`, or end intervals by time (-I)",
             pmon_event_name(event), v.number, scope.instance, s->every_count, unit.name);
  }
}

/* Prints the first few filters of another user that would narrow the counts, and their number. */
struct filter_lines {
  struct cli *cli;
  uint32_t n;
};

static void filter_line(void *user, const char *line)
{
  struct filter_lines *lines = user;
  if (lines->n++ < FILTERS_PRINTED)
    cli_warn(lines->cli, "%s", line);
}

void stat_warn_filters(const struct stat_run *s, const struct pmon_session *session)
{
  struct filter_lines lines = {.cli = s->cli};
  const uint32_t n = pmon_session_filters(session, filter_line, &lines);
  if (n)
    cli_note(s->cli,
             "%s%" PRIu32 " filter register%s let everything pass during the measurement and %s restored after it",
             n > FILTERS_PRINTED ? "... " : "", n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
}
