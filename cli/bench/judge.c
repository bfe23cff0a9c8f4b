/* SPDX-License-Identifier: MIT */
/* The verdict of a cell of the matrix, from what its guest printed and reported. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "cli/bench/cell.h"
#include "cli/bench/child.h"

/* A guest's output from one round's mark to the next. */
struct round_text {
  const char *at, *end;
};

static bool cell_add(struct bench_cell *c, unsigned check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool cell_add(struct bench_cell *c, unsigned check, const char *format, ...)
{
  struct cell_failure *more = realloc(c->failure, (c->n_failures + 1) * sizeof *more);
  va_list args;
  if (!more)
    return false;
  c->failure = more;
  va_start(args, format);
  more[c->n_failures].check = check;
  const int n = vasprintf(&more[c->n_failures].text, format, args);
  va_end(args);
  if (n < 0)
    return false;
  c->n_failures++;
  if (check <= c->suite->n_checks)
    c->check[check].verdict = BENCH_FAILED;
  return true;
}

static struct round_text find_round(const char *output, unsigned round)
{
  char mark[40];
  struct round_text text = {NULL, NULL};
  snprintf(mark, sizeof mark, "@round %u\n", round);
  for (text.at = output; (text.at = strstr(text.at, mark)) && text.at != output && text.at[-1] != '\n';)
    text.at++;
  if (text.at) {
    text.at += strlen(mark);
    text.end = strstr(text.at, "\n@round ");
    text.end = text.end ? text.end + 1 : text.at + strlen(text.at);
  }
  return text;
}

/* Returns a field of a line of `perf stat -x ';' --per-socket`, S0;1;COUNT;UNIT;EVENT;...; "" beyond the last one. */
static const char *perf_field(const char *line, unsigned number, size_t *ret_n)
{
  for (; number && *line && *line != '\n'; line++)
    number -= *line == ';';
  *ret_n = strcspn(line, ";\n");
  return line;
}

/* Finds the count of an event on a socket, as perf prints it. False: there is no such line. */
static bool find_count(const struct round_text *t, const char *event, unsigned socket, char *ret, size_t size)
{
  char of[16];
  size_t n;
  snprintf(of, sizeof of, "S%u", socket);
  for (const char *line = t->at; line && line < t->end; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    const char *field = perf_field(line, 0, &n);
    if (n != strlen(of) || strncmp(field, of, n))
      continue;
    field = perf_field(line, 4, &n);
    if (n != strlen(event) || strncmp(field, event, n))
      continue;
    field = perf_field(line, 2, &n);
    snprintf(ret, size, "%.*s", (int)n, field);
    return true;
  }
  return false;
}

/* Returns the first line of a round that is not a count: perf's message. */
static const char *find_message(const struct round_text *t, size_t *ret_n)
{
  const char *line = t->at;
  while (line < t->end && (*line == 'S' || *line == '#' || *line == '\n'))
    line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n');
  *ret_n = line < t->end ? strcspn(line, "\n") : 0;
  return line;
}

static bool judge_count(struct bench_cell *c, const struct bench_line *l, const struct round_text *t, unsigned socket)
{
  char count[40], want[24], label[24] = "";
  size_t n;
  c->check[l->check].of++;
  if (c->shape.sockets > 1)
    snprintf(label, sizeof label, " on socket %u", socket);
  snprintf(want, sizeof want, "%" PRIu64, l->want[socket]);
  if (find_count(t, l->text, socket, count, sizeof count)) {
    if (strcmp(count, want))
      return cell_add(c, l->check, "%s%s: %s, expected %s", l->text, label, count, want);
    c->check[l->check].good++;
    return true;
  }
  const char *message = find_message(t, &n);
  return cell_add(c, l->check, "%s%s: no count, expected %s%s%.*s", l->text, label, want, n ? "; " : "", (int)n,
                  message);
}

static bool judge_must(struct bench_cell *c, unsigned number, const struct round_text *t)
{
  const struct bench_line *l = &c->suite->line[number];
  char mark[40];
  snprintf(mark, sizeof mark, "@must %u ", number);
  const char *at = strstr(t->at, mark);
  c->check[l->check].of++;
  if (!at || at >= t->end)
    return cell_add(c, l->check, "not reached: %s", l->text);
  at += strlen(mark);
  if (atoi(at) == 0) {
    c->check[l->check].good++;
    return true;
  }
  const char *said = at + strcspn(at, "\n");
  said += *said == '\n';
  return cell_add(c, l->check, "%s: exit code %d%s%.*s", l->text, atoi(at), *said == '@' || !*said ? "" : "; ",
                  *said == '@' ? 0 : (int)strcspn(said, "\n"), said);
}

static bool judge_line(struct bench_cell *c, unsigned number, const struct round_text *t)
{
  const struct bench_line *l = &c->suite->line[number];
  bool good = true;
  if (l->kind == BENCH_MUST)
    return judge_must(c, number, t);
  for (unsigned i = 0; l->kind == BENCH_COUNT && good && i < c->shape.sockets; i++)
    good = judge_count(c, l, t, i);
  return good;
}

static bool cell_read_counts(struct bench_cell *c, const char *output, const char *only)
{
  bool good = true;
  for (unsigned i = 0; i < c->suite->n_checks; i++)
    c->check[i] =
        (struct cell_check){.verdict = suite_has(c->suite, i, &c->shape, only) ? BENCH_PASSED : BENCH_SKIPPED};
  for (unsigned i = 0; good && i < c->suite->n_lines; i++) {
    const struct bench_line *l = &c->suite->line[i];
    struct cell_check *check = &c->check[l->check];
    const struct round_text t = find_round(output, l->round);
    if (check->verdict == BENCH_SKIPPED)
      continue;
    if (t.at)
      good = judge_line(c, i, &t);
    else if (check->verdict == BENCH_PASSED)
      check->verdict = BENCH_ABSENT;
  }
  return good;
}

/* Whether a line of the report begins a finding against the driver: `error REGISTER ...`, or the advice that a driver,
 * unlike a tool, must follow: to leave out no unit. Known findings begin otherwise. `more`: the rule's line. */
static bool is_finding(const struct bench_cell *c, const char *line, const char *more)
{
  const char *left_out = strstr(more, "[sw.left-out;");
  return (c->exit_code == BENCH_VIOLATION && !strncmp(line, "error ", 6)) ||
         (!strncmp(line, "advice ", 7) && left_out && left_out < more + strcspn(more, "\n"));
}

static bool cell_read_report(struct bench_cell *c, const char *report)
{
  const unsigned rules = c->suite->n_checks;
  bool good = true;
  c->check[rules] = (struct cell_check){.verdict = BENCH_PASSED, .of = 1};
  for (const char *line = report; good && line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    const char *more = strchr(line, '\n');
    more = more ? more + 1 + strspn(more + 1, " ") : "";
    if (is_finding(c, line, more))
      good = cell_add(c, rules, "%.*s: %.*s", (int)strcspn(line, "\n"), line, (int)strcspn(more, "\n"), more);
  }
  if (c->exit_code == BENCH_VIOLATION && c->check[rules].verdict == BENCH_PASSED)
    good = cell_add(c, rules, "violations that the report does not list");
  c->check[rules].good = c->check[rules].verdict == BENCH_PASSED;
  return good;
}

/* Fails the checks that a guest did not reach although it ended well. */
static bool cell_judge_absent(struct bench_cell *c)
{
  bool good = true;
  for (unsigned i = 0; good && i < c->suite->n_checks; i++)
    if (c->check[i].verdict == BENCH_ABSENT)
      good = cell_add(c, BENCH_GUEST, "the script ended without running check %s", c->suite->check[i].name);
  return good;
}

/* Adds the reason why a guest failed, from the last lines of its report. */
static bool cell_read_end(struct bench_cell *c, const char *report)
{
  const char *last = strstr(report, "pmon vm: ");
  const char *what = child_failure(c->exit_code, report);
  if (c->exit_code == 0 || c->exit_code == BENCH_VIOLATION)
    return cell_judge_absent(c);
  for (const char *next = last; next && (next = strstr(next + 1, "\npmon vm: "));)
    if (!strstr(next, " checked: "))
      last = next + 1;
  c->check[c->suite->n_checks].verdict = BENCH_ABSENT;
  return cell_add(c, BENCH_GUEST, "%s (exit code %d)%s%.*s; %s%s", what ? what : "the guest's script failed",
                  c->exit_code, last ? ": " : "", last ? (int)strcspn(last, "\n") : 0, last ? last : "",
                  c->removed ? "--artifacts DIR keeps its files" : "its files are in ", c->removed ? "" : c->folder);
}

bool cell_judge(struct bench_cell *c, const char *output, const char *report, const char *only)
{
  return cell_read_counts(c, output, only) && cell_read_report(c, report) && cell_read_end(c, report);
}

void cell_free(struct bench_cell *c)
{
  for (unsigned i = 0; i < c->n_failures; i++)
    free(c->failure[i].text);
  free(c->failure);
  free(c->check);
}
