/* SPDX-License-Identifier: MIT */
/* Regions of the measured program: taken as the machine reaches them, and printed at the end. */
#include <inttypes.h>
#include <string.h>
#include <pmon/regions.h>
#include "cli/stat/stat.h"

void stat_regions_follow(struct stat_run *s, const struct target *t)
{
  s->regions.workload = s->every_count || s->sample || s->log || s->dry || s->runs > 1 ? NULL : t->threads;
  s->regions.pending = false;
  if (s->regions.workload)
    target_stop_at_marks(s->regions.workload);
}

bool stat_regions_pending(struct stat_run *s)
{
  if (s->regions.workload && !s->regions.pending)
    s->regions.pending = target_take_mark(s->regions.workload, &s->regions.mark);
  return s->regions.pending;
}

bool stat_regions_take(struct stat_run *s, struct pmon_session *session)
{
  const struct target_mark *mark = &s->regions.mark;
  const char *name = mark->name ? mark->name : "(no name)";
  int status = 0;
  if (!s->regions.pending)
    return false;
  switch (mark->kind) {
  case TARGET_MARK_BEGIN: status = pmon_session_region_begin(session, mark->thread, name); break;
  case TARGET_MARK_END: status = pmon_session_region_end(session, mark->thread, name); break;
  case TARGET_MARK_THREAD_ENDS: status = pmon_session_region_close(session, mark->thread); break;
  }
  s->regions.pending = false;
  s->regions.lost += status != 0;
  return true;
}

/* Whether a result says the same as that of all threads before it. */
static bool region_is_repeated(const struct pmon_session *session, uint32_t i, const struct pmon_region_info *info)
{
  struct pmon_region_info before = {.size = sizeof before}, next = {.size = sizeof next};
  if (info->thread == PMON_REGION_ALL_THREADS || pmon_session_region_describe(session, i - 1, &before) ||
      before.thread != PMON_REGION_ALL_THREADS)
    return false;
  return pmon_session_region_describe(session, i + 1, &next) || next.thread == PMON_REGION_ALL_THREADS;
}

int stat_regions_report(struct stat_run *s, struct pmon_session *session, uint32_t packages)
{
  struct pmon_region_info info = {.size = sizeof info};
  int result = CLI_DONE;
  pmon_session_region_close(session, PMON_REGION_ALL_THREADS);
  for (uint32_t i = 0; result == CLI_DONE && !pmon_session_region_describe(session, i, &info); i++)
    if (s->format != PMON_FORMAT_TEXT || !region_is_repeated(session, i, &info))
      result = stat_report_region(s, pmon_session_region(session, i), packages, &info);
  if (s->regions.lost)
    cli_fail(s->cli, "%" PRIu64 " begins or ends of regions were not measured: more than %d results, or no memory",
             s->regions.lost, PMON_REGIONS_MAX);
  return result;
}
