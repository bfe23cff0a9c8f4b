/* SPDX-License-Identifier: MIT */
/* The head of a text report: what was measured, where, how long and how; and the styles and line breaks that it shares
 * with the table. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "src/output/report.h"
#include "src/output/text.h"

static const char *const styles[] = {
    [TEXT_PLAIN] = "\033[0m", [TEXT_BOLD] = "\033[1m", [TEXT_DIM] = "\033[2m", [TEXT_WARN] = "\033[33m"};

static void text_begin_style(const struct pmon_report *r, enum text_style style, struct buffer *b)
{
  if (r->color)
    buffer_add(b, "%s", styles[style]);
}

size_t text_columns(const char *s)
{
  size_t n = 0;
  for (; *s; s++)
    n += ((unsigned char)*s & 0xc0) != 0x80;
  return n;
}

void text_add_styled(const struct pmon_report *r, enum text_style style, const char *s, struct buffer *b)
{
  bool styled = r->color && style != TEXT_PLAIN && *s;
  buffer_add(b, "%s", styled ? styles[style] : "");
  buffer_add_text(b, s, strlen(s));
  buffer_add(b, "%s", styled ? styles[TEXT_PLAIN] : "");
}

/* Adds how the counters were read: the freeze scope, and the time between the reads. */
static void add_reads(const struct pmon_report *r, struct buffer *b)
{
  static const char *const ways[] = {[PMON_FREEZE_GLOBAL] = "'s counters frozen at once",
                                     [PMON_FREEZE_BOX] = "counters frozen unit by unit",
                                     [PMON_FREEZE_NONE] = "counters not frozen",
                                     [PMON_FREEZE_BOUNDARIES] = "counters read as they ran"};
  char hold[PMON_REPORT_TEXT], skew[PMON_REPORT_TEXT];
  pmon_report_time_text(r->freeze_seconds, hold);
  pmon_report_time_text(r->skew_seconds, skew);
  if (r->freeze == PMON_FREEZE_GLOBAL) {
    buffer_add(b, "each ");
    buffer_add_text(b, r->package, strlen(r->package));
  }
  buffer_add(b, "%s", ways[r->freeze]);
  if (r->freeze_seconds > 0)
    buffer_add(b, " in %s", hold);
  buffer_add(b, ", read within %s\n", skew);
}

void text_add_words(const struct pmon_report *r, const char *words, size_t at, size_t indent, struct buffer *b)
{
  while (*words) {
    size_t n = strcspn(words, " ");
    if (r->columns && at > indent && at + n > r->columns) {
      buffer_end_line(b);
      buffer_fill(b, ' ', indent);
      at = indent;
    }
    n += words[n] == ' ';
    buffer_add_text(b, words, n);
    at += n;
    words += n;
  }
  buffer_end_line(b);
}

/* Adds what was measured, where and how long. */
static void add_summary(const struct pmon_report *r, struct buffer *b)
{
  char time[PMON_REPORT_TEXT];
  struct buffer line = {0};
  buffer_add(&line, "%s%s", r->machine ? "EMULATED: " : "", r->platform ? r->platform : "");
  if (r->machine)
    buffer_add(&line, " on pmon's %s machine", r->machine);
  else if (r->backend)
    buffer_add(&line, " on %s", r->backend);
  if (r->packages)
    buffer_add(&line, "%s%u %s%s", line.n ? ", " : "", r->packages, r->package, r->packages == 1 ? "" : "s");
  pmon_report_time_text(r->seconds, time);
  if (!r->interval)
    buffer_add(&line, "%s%s %s", line.n ? ": " : "", time, r->machine ? "of simulated time" : "measured");
  pmon_report_time_text(r->seconds + r->paused_seconds, time);
  if (!r->interval && r->paused_seconds > 0)
    buffer_add(&line, ", within %s", time);
  if (r->runs > 1)
    buffer_add(&line, ", mean of %u runs", r->runs);
  if (r->rounds > 1)
    buffer_add(&line, ", counters shared in %u rounds", r->rounds);
  b->failed |= line.failed;
  text_add_words(r, line.data ? line.data : "", 0, 0, b);
  free(line.data);
}

/* Adds that the values are estimates, and on what they are based. */
static void add_sampled(const struct pmon_report *r, struct buffer *b)
{
  char share[PMON_REPORT_TEXT], instructions[PMON_REPORT_TEXT];
  struct buffer line = {0};
  report_number(r->sampled.fraction, "ratio", share, sizeof share);
  report_number((double)r->sampled.instructions, "", instructions, sizeof instructions);
  buffer_add(&line, "ESTIMATES: %s of %s instructions simulated in detail, in %" PRIu64 " interval%s", share,
             instructions, r->sampled.intervals, r->sampled.intervals == 1 ? "" : "s");
  b->failed |= line.failed;
  text_add_words(r, line.data ? line.data : "", 0, 0, b);
  free(line.data);
}

static void add_region(const struct pmon_report *r, struct buffer *b)
{
  char time[PMON_REPORT_TEXT];
  pmon_report_time_text(r->seconds, time);
  text_begin_style(r, TEXT_BOLD, b);
  buffer_add(b, "region ");
  buffer_add_text(b, r->region, strlen(r->region));
  if (r->thread == PMON_REGION_ALL_THREADS)
    buffer_add(b, ", all threads");
  else
    buffer_add(b, ", thread %" PRIu64, r->thread);
  buffer_add(b, ": %" PRIu64 " call%s, %s", r->calls, r->calls == 1 ? "" : "s", time);
  if (r->runs > 1)
    buffer_add(b, ", mean of %u runs", r->runs);
  text_begin_style(r, TEXT_PLAIN, b);
  buffer_add(b, "\n");
  if (r->missing_ends)
    buffer_add(b, "calls without an end: %" PRIu64 " (counted until the thread or the measurement ended)\n",
               r->missing_ends);
  if (r->missing_begins)
    buffer_add(b, "ends without a begin: %" PRIu64 " (not counted)\n", r->missing_begins);
}

void text_add_head(const struct pmon_report *r, struct buffer *b)
{
  char time[PMON_REPORT_TEXT];
  if (r->region) {
    add_region(r, b);
    return;
  }
  if (r->interval <= 1) {
    const size_t n = r->command ? strlen(r->command) : 0;
    const bool cut = r->columns > 4 && n > r->columns;
    if (n) {
      buffer_add_text(b, r->command, cut ? r->columns - 3 : n);
      buffer_add(b, "%s\n", cut ? "..." : "");
    }
    text_begin_style(r, TEXT_DIM, b);
    add_summary(r, b);
    if (*report_freeze_name(r->freeze))
      add_reads(r, b);
    if (r->sampled.fraction > 0)
      add_sampled(r, b);
    text_begin_style(r, TEXT_PLAIN, b);
    buffer_add(b, "\n");
  }
  if (!r->interval)
    return;
  text_begin_style(r, TEXT_BOLD, b);
  buffer_add(b, "%.6f - %.6f ms", report_begin_seconds(r) * 1e3, r->end_seconds * 1e3);
  if (*report_freeze_name(r->freeze) && r->skew_seconds > 0) {
    pmon_report_time_text(r->skew_seconds, time);
    buffer_add(b, ", read within %s", time);
  }
  text_begin_style(r, TEXT_PLAIN, b);
  buffer_add(b, "\n");
}
