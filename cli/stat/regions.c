/* SPDX-License-Identifier: MIT */
#include "cli/stat/regions.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <pmon/record.h>
#include <pmon/regions.h>
#include "cli/stat/print.h"
#include "cli/stat/region_channel.h"
#include "cli/stat/run.h"
#include "src/access/replay.h"

bool stat_regions_wanted(const struct stat_run *s)
{
  return !s->samples.add && !s->source.dry && !(s->sampled.share > 0) &&
         ((s->repeats.runs < 2 && !s->repeats.compared) || s->repeats.with_regions);
}

void stat_regions_follow(struct stat_run *s, const struct target *t)
{
  const bool wanted = stat_regions_wanted(s);
  s->regions.workload = wanted ? t->threads : NULL;
  s->regions.channel = s->source.command.regions;
  if (!wanted)
    s->regions.replay = NULL;
  s->regions.log = s->files.log ? t->backend : NULL; /* the outermost wrapper */
  s->regions.pending = false;
  if (s->regions.workload)
    target_stop_at_marks(s->regions.workload);
}

static const char *const mark_words[] = {
    [TARGET_MARK_BEGIN] = "begin", [TARGET_MARK_END] = "end", [TARGET_MARK_THREAD_ENDS] = "thread-ends"};

static const char *mark_name(const struct target_mark *mark)
{
  return mark->name ? mark->name : "(no name)";
}

/* A replay needs the marks: the log has them at the points where the program waited. */
static void log_mark(struct pmon_backend *log, const struct target_mark *mark)
{
  char text[256];
  snprintf(text, sizeof text, "%s %u %s", mark_words[mark->kind], mark->thread, mark_name(mark));
  pmon_backend_trace_note(log, "region", text);
}

/* Takes the log's mark at this point. False: there is none, or it is of an unknown kind. */
static bool replay_take_mark(struct pmon_backend *replay, struct target_mark *ret_mark)
{
  const char *text = replay_take_note(replay, REPLAY_REGION);
  char word[16];
  int n = 0;
  *ret_mark = (struct target_mark){.kind = TARGET_MARK_BEGIN};
  if (!text || sscanf(text, "%15s %u%n", word, &ret_mark->thread, &n) < 2 || text[n] != ' ')
    return false;
  ret_mark->name = text + n + 1; /* which may begin with a blank */
  for (size_t i = 0; i < sizeof mark_words / sizeof *mark_words; i++)
    if (!strcmp(word, mark_words[i])) {
      ret_mark->kind = (enum target_mark_kind)i;
      return true;
    }
  return false;
}

bool stat_regions_pending(struct stat_marks *m)
{
  if (m->pending)
    return true;
  if (m->workload)
    m->pending = target_take_mark(m->workload, &m->mark);
  else if (m->channel)
    m->pending = region_channel_next(m->channel, &m->mark);
  else if (m->replay)
    m->pending = replay_take_mark(m->replay, &m->mark);
  if (m->pending && m->log)
    log_mark(m->log, &m->mark);
  return m->pending;
}

bool stat_regions_take(struct stat_marks *m, struct pmon_session *session)
{
  const struct target_mark *mark = &m->mark;
  const char *name = mark_name(mark);
  int status = 0;
  if (!m->pending)
    return false;
  switch (mark->kind) {
  case TARGET_MARK_BEGIN: status = pmon_session_region_begin(session, mark->thread, name); break;
  case TARGET_MARK_END: status = pmon_session_region_end(session, mark->thread, name); break;
  case TARGET_MARK_THREAD_ENDS: status = pmon_session_region_close(session, mark->thread); break;
  }
  m->pending = false;
  m->lost += status != 0;
  if (m->channel)
    region_channel_acknowledge(m->channel);
  return true;
}

static int regions_describe(const struct stat_regions *regions, uint32_t i, struct pmon_region_info *info)
{
  *info = (struct pmon_region_info){.size = sizeof *info};
  return regions->recording ? pmon_recording_region_describe(regions->recording, i, info)
                            : pmon_session_region_describe(regions->session, i, info);
}

/* Whether a thread's result is the same as that of all threads before it: it is the only one. */
static bool region_is_repeated(const struct stat_regions *regions, uint32_t i, uint64_t thread)
{
  struct pmon_region_info before, next;
  if (thread == PMON_REGION_ALL_THREADS || regions_describe(regions, i - 1, &before) ||
      before.thread != PMON_REGION_ALL_THREADS)
    return false;
  return regions_describe(regions, i + 1, &next) || next.thread == PMON_REGION_ALL_THREADS;
}

static int print_region(struct stat_run *s, const struct stat_regions *regions, uint32_t i,
                        const struct pmon_region_info *info)
{
  if (!regions->recording)
    return stat_print_region(s, pmon_session_region(regions->session, i), regions->packages, info);
  if (pmon_recording_load_region(regions->recording, regions->session, i))
    return cli_fail_context(s->cli, NULL);
  return stat_print_region(s, regions->session, regions->packages, info);
}

int stat_regions_print(struct stat_run *s, const struct stat_regions *regions)
{
  struct pmon_region_info info;
  int result = CLI_DONE, status = 0;
  if (s->output.histogram) /* regions have no intervals */
    return CLI_DONE;
  for (uint32_t i = 0; result == CLI_DONE && !(status = regions_describe(regions, i, &info)); i++) {
    const bool repeated = s->output.format == PMON_FORMAT_TEXT && i && region_is_repeated(regions, i, info.thread);
    /* A recording keeps the name of only the last described result. */
    if (!repeated && !(status = regions_describe(regions, i, &info)))
      result = print_region(s, regions, i, &info);
  }
  return status && status != PMON_E_RANGE ? cli_fail_context(s->cli, NULL) : result;
}

int stat_regions_report(struct stat_run *s, struct pmon_session *session, uint32_t packages)
{
  int result = CLI_DONE;
  if (!s->regions.workload && !s->regions.channel && !s->regions.replay)
    return result;
  pmon_session_region_close(session, PMON_REGION_ALL_THREADS);
  if (s->files.record && pmon_record_add_regions(s->files.record))
    result = cli_fail_context(s->cli, NULL);
  const int printed = stat_regions_print(s, &(struct stat_regions){.session = session, .packages = packages});
  const uint64_t unseen = s->regions.channel ? region_channel_lost(s->regions.channel) : 0;
  if (s->regions.lost)
    cli_warn(s->cli,
             "%" PRIu64 " start%s of regions %s not measured: more than %d results, or no memory; use fewer names",
             s->regions.lost, s->regions.lost == 1 ? " or end" : "s or ends", s->regions.lost == 1 ? "was" : "were",
             PMON_REGIONS_MAX);
  if (unseen)
    cli_warn(s->cli, "%" PRIu64 " start%s of regions %s not measured: too many threads, or malformed requests", unseen,
             unseen == 1 ? " or end" : "s or ends", unseen == 1 ? "was" : "were");
  return result ? result : printed;
}
