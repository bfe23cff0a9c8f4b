/* SPDX-License-Identifier: MIT */
#include "cli/vm/verdict.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "cli/common/findings.h"
#include "cli/common/xml.h"

static bool verdict_same(const struct verdict_group *g, const struct check_finding *f,
                         const struct baseline_line *known)
{
  const struct check_finding *is = g->first;
  return is->rule == f->rule && is->unit == f->unit && is->row == f->row && g->known == known &&
         !strcmp(is->field, f->field) && !strcmp(is->missing, f->missing) && (!*f->field || is->bits == f->bits);
}

static void verdict_add(struct verdict *d, const struct check_finding *f)
{
  const struct baseline_line *known = f->advice ? NULL : baseline_find(&d->v->baseline, f);
  struct verdict_group *g = d->group;
  struct callers_chain by = {.n = 0};
  d->advices += f->advice;
  d->violations += !f->advice;
  d->known += known != NULL;
  while (g < d->group + d->n && !verdict_same(g, f, known))
    g++;
  if (d->v->callers)
    callers_get(d->v->callers, f->access, &by);
  by_function_add(&d->functions, &by, f->advice, known != NULL);
  if (g == d->group + d->n)
    d->group[d->n++] = (struct verdict_group){.first = f, .known = known, .by = by};
  g->registers++;
  g->times += f->times;
}

int verdict_make(struct vm_command *v, struct verdict *ret)
{
  const struct check_finding *list;
  *ret = (struct verdict){.v = v, .error = ""};
  check_end(v->checker);
  const size_t n = check_findings(v->checker, &list);
  if (!by_function_init(&ret->functions, n) || !(ret->group = calloc(n + 1, sizeof *ret->group)))
    return cli_fail_memory(v->cli);
  for (size_t i = 0; i < n; i++)
    verdict_add(ret, &list[i]);
  return CLI_DONE;
}

void verdict_free(struct verdict *d)
{
  by_function_free(&d->functions);
  free(d->group);
  d->group = NULL;
}

/* Writes a line with the function that made the access and its callers, as far as their names are known and there is
 * room. Returns the length of the line. */
static int verdict_format_callers(const struct callers_chain *by, char *text, size_t size)
{
  static const char first[] = "       by ", next[] = ", called by ";
  char name[128]; /* the guest chooses it */
  size_t n = 0;
  for (size_t i = by->driver; i < by->n && n + sizeof next + sizeof name < size; i++) {
    callers_format(by, i, name, sizeof name);
    n += (size_t)snprintf(text + n, size - n, "%s%s", n ? next : first, name);
  }
  return n ? (int)(n + (size_t)snprintf(text + n, size - n, "\n")) : 0;
}

static void group_format(const struct verdict *d, const struct verdict_group *g, char *text, size_t size)
{
  const struct check_finding *f = g->first;
  char address[64], guest[64], more[96] = "";
  pmon_address_format(&f->address, address, sizeof address);
  guest_kind_address(d->v->vm.kind, &f->address, guest, sizeof guest);
  if (g->times > 1)
    snprintf(more, sizeof more, "; %" PRIu64 " times at %" PRIu64 " register%s", g->times, g->registers,
             g->registers > 1 ? "s" : "");
  int n =
      snprintf(text, size,
               "%s %s%s%s = 0x%" PRIx64 " (package %" PRIu32 ", %s%s%s; access %" PRIu64 " at %" PRIu64 " ns%s)\n"
               "       %s%s%s [%s; %s]\n",
               f->advice  ? "advice"
               : g->known ? "known "
                          : "error ",
               f->name, *f->field ? " " : "", f->field, f->value, f->address.package, address, *guest ? ", guest " : "",
               guest, f->access, f->time_ns, more, f->brief, *f->missing ? ": " : "", f->missing, f->rule, f->cite);
  if (g->by.driver < g->by.n && n > 0 && (size_t)n < size)
    n += verdict_format_callers(&g->by, text + n, size - (size_t)n);
  if (g->known && n > 0 && (size_t)n < size)
    snprintf(text + n, size - (size_t)n, "       known: %s [%s:%u]\n", g->known->reason, d->v->baseline_path,
             g->known->number);
}

static void verdict_line(struct out *out, const char *text)
{
  if (out)
    out_text(out, text);
  else
    cli_print_error("%s", text);
}

void verdict_print(const struct verdict *d, struct out *out)
{
  const struct vm_command *v = d->v;
  char text[1600];
  for (size_t i = 0; i < d->n; i++) {
    group_format(d, &d->group[i], text, sizeof text);
    verdict_line(out, text);
  }
  for (size_t i = 0; i < d->functions.n; i++) {
    by_function_format(&d->functions, i, text, sizeof text);
    verdict_line(out, text);
    verdict_line(out, "\n");
  }
  for (size_t i = 0; i < v->baseline.n; i++)
    if (!v->baseline.line[i].used) {
      snprintf(text, sizeof text, "pmon vm: %s:%u: no such violation in this run: %s %s\n", v->baseline_path,
               v->baseline.line[i].number, v->baseline.line[i].rule, v->baseline.line[i].pattern);
      verdict_line(out, text);
    }
  findings_format_counts(&(struct findings_counts){check_accesses(v->checker), d->violations, d->advices, true},
                         stpcpy(text, "pmon vm: "), sizeof text - strlen("pmon vm: "));
  if (v->baseline_path)
    snprintf(text + strlen(text), sizeof text - strlen(text), "; %zu violation%s in %s, %zu %s new", d->known,
             d->known == 1 ? " is" : "s are", v->baseline_path, d->violations - d->known,
             d->violations - d->known == 1 ? "is" : "are");
  if (check_incomplete(v->checker))
    snprintf(text + strlen(text), sizeof text - strlen(text), "; out of memory: findings may be missing");
  snprintf(text + strlen(text), sizeof text - strlen(text), "\n");
  verdict_line(out, text);
}

static void verdict_write_callers(const struct callers_chain *by, struct out *out)
{
  char name[128];
  const bool named = by->driver < by->n;
  json_text(out, "function", named ? by->function[by->driver]->name : NULL);
  json_text(out, "module", named && *by->function[by->driver]->module ? by->function[by->driver]->module : NULL);
  json_open(out, "calls", '[');
  for (size_t i = 0; i < by->n; i++) {
    callers_format(by, i, name, sizeof name);
    json_text(out, NULL, name);
  }
  json_close(out, ']');
}

static void group_write_json(const struct verdict *d, const struct verdict_group *g, struct out *out)
{
  const struct check_finding *f = g->first;
  char guest[64];
  guest_kind_address(d->v->vm.kind, &f->address, guest, sizeof guest);
  json_open(out, NULL, '{');
  json_text(out, "level", f->advice ? "advice" : "error");
  json_bool(out, "known", g->known != NULL);
  json_text(out, "reason", g->known ? g->known->reason : NULL);
  finding_write_rule(out, f);
  json_text(out, "unit", f->unit);
  finding_write_register(out, f);
  json_text(out, "guest_address", *guest ? guest : NULL);
  json_number(out, "access", f->access);
  json_number(out, "time_ns", f->time_ns);
  verdict_write_callers(&g->by, out);
  json_number(out, "registers", g->registers);
  json_number(out, "times", g->times);
  json_close(out, '}');
}

void verdict_write_json(const struct verdict *d, struct out *out)
{
  json_open(out, NULL, '{');
  json_text(out, "verdict", d->kind);
  json_number(out, "exit_code", (uint64_t)d->exit_code);
  json_text(out, "error", *d->error ? d->error : NULL);
  json_text(out, "platform", d->v->vm.kind->name);
  json_text(out, "kernel", *d->result->release ? d->result->release : NULL);
  json_text(out, "pmon", pmon_version());
  json_number(out, "accesses", check_accesses(d->v->checker));
  json_number(out, "violations", d->violations);
  json_number(out, "known", d->known);
  json_number(out, "advices", d->advices);
  json_number(out, "overflow_interrupts", d->result->overflows);
  json_bool(out, "interrupts_delivered", d->result->shared);
  json_open(out, "findings", '[');
  for (size_t i = 0; i < d->n; i++)
    group_write_json(d, &d->group[i], out);
  json_close(out, ']');
  by_function_write_json(&d->functions, out);
  json_close(out, '}');
  json_end_line(out);
}

static void junit_run(const struct verdict *d, struct out *out)
{
  char code[32];
  out_text(out, "  <testcase classname=\"pmon vm\" name=\"run\">");
  snprintf(code, sizeof code, "exit code %d", d->exit_code);
  if (*d->error)
    xml_element(out, "error", d->kind, d->error);
  else if (d->result->exit_code)
    xml_element(out, "failure", "command", code);
  out_text(out, "</testcase>\n");
}

static void junit_group(const struct verdict *d, const struct verdict_group *g, struct out *out)
{
  const struct check_finding *f = g->first;
  char text[1600];
  out_text(out, "  <testcase");
  xml_attribute(out, "classname", f->rule);
  snprintf(text, sizeof text, "%s %s%s%s", f->unit, f->name, *f->field ? " " : "", f->field);
  xml_attribute(out, "name", text);
  out_char(out, '>');
  group_format(d, g, text, sizeof text);
  if (f->advice)
    xml_element(out, "skipped", "advice", text);
  else if (g->known)
    xml_element(out, "skipped", g->known->reason, text);
  else
    xml_element(out, "failure", f->brief, text);
  out_text(out, "</testcase>\n");
}

void verdict_write_junit(const struct verdict *d, struct out *out)
{
  size_t failures = d->result->exit_code && !*d->error, skipped = 0;
  for (size_t i = 0; i < d->n; i++)
    if (d->group[i].known || d->group[i].first->advice)
      skipped++;
    else
      failures++;
  out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"pmon vm\" tests=\"");
  out_decimal(out, d->n + 1);
  out_text(out, "\" failures=\"");
  out_decimal(out, failures);
  out_text(out, "\" errors=\"");
  out_decimal(out, *d->error != 0);
  out_text(out, "\" skipped=\"");
  out_decimal(out, skipped);
  out_text(out, "\">\n");
  by_function_write_junit(&d->functions, out);
  junit_run(d, out);
  for (size_t i = 0; i < d->n; i++)
    junit_group(d, &d->group[i], out);
  out_text(out, "</testsuite>\n");
}

int verdict_save(const struct verdict *d, const char *path, void (*write)(const struct verdict *d, struct out *out))
{
  struct out *out = calloc(1, sizeof *out);
  if (!out)
    return cli_fail_memory(d->v->cli);
  out->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (out->fd >= 0) {
    write(d, out);
    out_flush(out);
  }
  const int error = out->fd < 0 ? errno : out->error ? out->error : close(out->fd) ? errno : 0;
  free(out);
  if (!error)
    return CLI_DONE;
  cli_fail(d->v->cli, "%s: %s", path, strerror(error));
  return VM_EXIT_INFRASTRUCTURE;
}
