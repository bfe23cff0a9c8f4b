/* SPDX-License-Identifier: MIT */
/* Turns a suite into a scenario and into a script for the guest. */
#include <string.h>
#include "cli/bench/suite.h"

/* Runs in the guest. The time is that of the doorbell (vm/bus.h), so that a round that fails does not shift others. */
static const char script_head[] =
    "doorbell=/sys/bus/pci/devices/0000:7f:1f.0/config\n"
    "reach() { # the time of a round's window\n"
    "  set -- $1 $(dd if=$doorbell bs=4 skip=18 count=2 2>/dev/null | od -An -tu4)\n"
    "  [ $1 -le $2 ] || pmon-step $(($1 - $2))\n"
    "}\n"
    "printf '#!/bin/busybox sh\\nexec pmon-step %s\\n' \"$((WINDOW / 2))\" >/tmp/step\n"
    "chmod +x /tmp/step\n"
    "export PATH=/tmp:$PATH\n"
    "measure() { # the command, then perf's options\n"
    "  command=$1\n"
    "  shift\n"
    "  perf stat -x ';' -o /tmp/counts -a --per-socket \"$@\" sh -c \"$command\" </dev/null >/dev/null 2>/tmp/why\n"
    "  cat /tmp/counts /tmp/why\n"
    "}\n"
    "must() { # number of the line, the command\n"
    "  (eval \"$2\") >/tmp/must 2>&1 </dev/null\n"
    "  echo \"@must $1 $?\"\n"
    "  cat /tmp/must\n"
    "}\n";

static uint64_t round_start(unsigned round)
{
  return BENCH_START_NS + (uint64_t)round * BENCH_WINDOW_NS;
}

static void write_occurrence(const struct bench_line *l, struct out *out)
{
  const char *duration = l->kind == BENCH_HOLD ? strstr(l->text, " for ") : NULL;
  if (l->kind != BENCH_INJECT && l->kind != BENCH_LATER && l->kind != BENCH_HOLD)
    return;
  out_text(out, l->kind == BENCH_HOLD ? "hold " : "inject ");
  out_bytes(out, l->text, duration ? (size_t)(duration - l->text) : strlen(l->text));
  out_text(out, l->kind == BENCH_HOLD ? " from " : " at ");
  out_decimal(out, round_start(l->round) + (l->kind == BENCH_LATER ? BENCH_LATER_NS : BENCH_INJECT_NS));
  out_text(out, "ns");
  out_text(out, duration ? duration : "");
  out_char(out, '\n');
}

void suite_write_scenario(const struct bench_suite *s, const char *platform, struct out *out)
{
  out_text(out, "set platform=");
  out_text(out, platform);
  out_char(out, '\n');
  for (unsigned i = 0; i < s->n_lines; i++)
    write_occurrence(&s->line[i], out);
}

/* Writes the text in quotes for the shell. */
static void write_quoted(struct out *out, const char *text)
{
  out_char(out, '\'');
  for (; *text; text++) {
    if (*text == '\'')
      out_text(out, "'\\'");
    out_char(out, *text);
  }
  out_char(out, '\'');
}

/* Writes perf's options for the events of lines [from, to). Returns their number. */
static unsigned write_events(const struct bench_suite *s, unsigned from, unsigned to, bool group, struct out *out)
{
  unsigned n = 0;
  for (unsigned i = from; i < to; i++) {
    if (s->line[i].kind != BENCH_COUNT)
      continue;
    out_text(out, n && group ? "," : group ? " -e '{" : " -e ");
    if (group)
      out_text(out, s->line[i].text);
    else
      write_quoted(out, s->line[i].text);
    n++;
  }
  out_text(out, n && group ? "}'" : "");
  return n;
}

/* Writes each line separately, because a guest's shell may not support a list of them all. */
static void write_shell(const struct bench_suite *s, unsigned line, struct out *out)
{
  const struct bench_line *l = &s->line[line];
  if (l->kind == BENCH_RUN) {
    out_text(out, l->text);
    out_char(out, '\n');
  } else if (l->kind == BENCH_MUST) {
    out_text(out, "must ");
    out_decimal(out, line);
    out_char(out, ' ');
    write_quoted(out, l->text);
    out_char(out, '\n');
  }
}

/* Writes a round: preparation, measurement, and the conditions that must hold afterwards. */
static void write_round(const struct bench_suite *s, unsigned from, unsigned to, struct out *out)
{
  const char *command = "step; step";
  bool group = false, counts = false;
  out_text(out, "echo '@round ");
  out_decimal(out, s->line[from].round);
  out_text(out, "'\nreach ");
  out_decimal(out, round_start(s->line[from].round));
  out_char(out, '\n');
  for (unsigned i = from; i < to; i++) {
    const struct bench_line *l = &s->line[i];
    if (l->kind == BENCH_RUN)
      write_shell(s, i, out);
    group = group || l->kind == BENCH_GROUP;
    counts = counts || l->kind == BENCH_COUNT;
    if (l->kind == BENCH_WHILE)
      command = l->text;
  }
  if (counts) {
    out_text(out, "measure ");
    write_quoted(out, command);
    write_events(s, from, to, group, out);
    out_char(out, '\n');
  } else {
    out_text(out, command);
    out_char(out, '\n');
  }
  for (unsigned i = from; i < to; i++)
    if (s->line[i].kind == BENCH_MUST)
      write_shell(s, i, out);
}

void suite_write_script(const struct bench_suite *s, const struct bench_shape *shape, const char *only, struct out *out)
{
  out_text(out, "WINDOW=");
  out_decimal(out, BENCH_WINDOW_NS);
  out_char(out, '\n');
  out_text(out, script_head);
  for (unsigned i = 0, end; i < s->n_lines; i = end) {
    for (end = i; end < s->n_lines && s->line[end].round == s->line[i].round;)
      end++;
    if (suite_has(s, s->line[i].check, shape, only))
      write_round(s, i, end, out);
  }
  out_text(out, "exit 0\n");
}
