/* SPDX-License-Identifier: MIT */
#include "cli/bench/matrix.h"

#include <limits.h>
#include <string.h>
#include "cli/common/xml.h"

enum { NAME_COLUMNS = 18, CELL_COLUMNS = 24, FAILURES_SHOWN = 5, TEXT = 8192 };
static const char *const verdicts[] = {
    [BENCH_PASSED] = "passed", [BENCH_FAILED] = "failed", [BENCH_SKIPPED] = "skipped", [BENCH_ABSENT] = "not reached"};
static const char rules_brief[] = "no access violates a programming rule, except those listed in the baseline";

/* The number of the last row of a cell, the programming rules; checks have smaller numbers. */
static unsigned cell_rules(const struct bench_cell *c)
{
  return c->suite->n_checks;
}

static const char *cell_check_name(const struct bench_cell *c, unsigned check)
{
  return check < cell_rules(c) ? c->suite->check[check].name : "rules";
}

/* Returns the number of the check with that name; UINT_MAX: the cell's suite has none. */
static unsigned cell_find(const struct bench_cell *c, const char *name)
{
  unsigned i = 0;
  while (i <= cell_rules(c) && strcmp(cell_check_name(c, i), name))
    i++;
  return i <= cell_rules(c) ? i : UINT_MAX;
}

static void cell_format(const struct bench_cell *c, unsigned check, char *text, size_t size)
{
  const struct cell_check *k =
      check > cell_rules(c) ? NULL : &c->check[check]; /* a check of another processor's suite */
  if (!k || k->verdict == BENCH_SKIPPED)
    snprintf(text, size, "-");
  else if (k->verdict == BENCH_ABSENT)
    snprintf(text, size, "not reached");
  else
    snprintf(text, size, "%s %u/%u", k->verdict == BENCH_FAILED ? "FAILED" : "passed", k->good, k->of);
}

static void matrix_write_row(const struct bench_matrix *m, const char *name, struct out *out)
{
  char text[64];
  out_padded(out, name, NAME_COLUMNS);
  for (unsigned i = 0; i < m->n; i++) {
    cell_format(&m->cell[i], cell_find(&m->cell[i], name), text, sizeof text);
    out_text(out, "  ");
    out_padded(out, text, i + 1 < m->n ? CELL_COLUMNS : 0);
  }
  out_char(out, '\n');
}

static void matrix_write_head(const struct bench_matrix *m, struct out *out)
{
  char text[64];
  out_padded(out, "", NAME_COLUMNS);
  for (unsigned i = 0; i < m->n; i++) {
    const struct bench_cell *c = &m->cell[i];
    snprintf(text, sizeof text, "[%u] %s, %u socket%s", i + 1, c->platform, c->shape.sockets,
             c->shape.sockets > 1 ? "s" : "");
    out_text(out, "  ");
    out_padded(out, text, i + 1 < m->n ? CELL_COLUMNS : 0);
  }
  out_char(out, '\n');
}

/* Whether an earlier cell has a row of that name. */
static bool matrix_has(const struct bench_matrix *m, unsigned cell, const char *name)
{
  bool has = false;
  for (unsigned i = 0; i < cell && !has; i++)
    has = cell_find(&m->cell[i], name) != UINT_MAX;
  return has;
}

/* Writes the command that runs the same cell with this check only. */
static void cell_format_command(const struct bench_matrix *m, const struct bench_cell *c, unsigned check, char *text,
                                size_t size)
{
  const struct {
    const char *option, *value;
  } options[] = {{"qemu", m->qemu},
                 {"kernel", strcmp(c->label, "default") ? c->label : NULL},
                 {"module", m->module},
                 {"baseline", m->baseline},
                 {"checks", m->checks},
                 {"snapshot", c->snapshot},
                 {"check", check < cell_rules(c) ? c->suite->check[check].name : m->only}};
  size_t n = (size_t)snprintf(text, size, "pmon -p %s bench-driver --sockets %u", c->platform, c->shape.sockets);
  for (size_t i = 0; i < sizeof options / sizeof *options && n < size; i++)
    if (options[i].value)
      n += (size_t)snprintf(text + n, size - n, " --%s %s", options[i].option, options[i].value);
}

static void cell_write_failures(const struct bench_matrix *m, unsigned number, struct out *out)
{
  const struct bench_cell *c = &m->cell[number];
  char text[TEXT];
  unsigned last = UINT_MAX - 1, shown = 0;
  for (unsigned i = 0; i < c->n_failures; i++) {
    const struct cell_failure *f = &c->failure[i];
    const struct cell_check *k = f->check <= cell_rules(c) ? &c->check[f->check] : NULL;
    if (f->check != last) {
      const char *name = k ? cell_check_name(c, f->check) : "guest";
      const char *brief = !k                         ? "the run was not completed"
                          : f->check < cell_rules(c) ? c->suite->check[f->check].brief
                                                     : rules_brief;
      snprintf(text, sizeof text, "\n[%u] %s: %s\n", number + 1, name, brief);
      out_text(out, text);
      cell_format_command(m, c, f->check, text, sizeof text);
      out_text(out, "    again: ");
      out_text(out, text);
      out_char(out, '\n');
      shown = 0;
    }
    last = f->check;
    if (shown++ < FAILURES_SHOWN) {
      out_text(out, "    ");
      out_text(out, f->text);
      out_char(out, '\n');
    } else if (i + 1 == c->n_failures || c->failure[i + 1].check != last) {
      snprintf(text, sizeof text, "    and %u more\n", shown - FAILURES_SHOWN);
      out_text(out, text);
    }
  }
}

void matrix_write_text(const struct bench_matrix *m, struct out *out)
{
  char text[TEXT];
  for (unsigned i = 0; i < m->n; i++) {
    snprintf(text, sizeof text, "[%u] %s, %u socket%s, kernel %s: %.0f s\n", i + 1, m->cell[i].platform,
             m->cell[i].shape.sockets, m->cell[i].shape.sockets > 1 ? "s" : "", m->cell[i].label, m->cell[i].seconds);
    out_text(out, text);
  }
  out_char(out, '\n');
  matrix_write_head(m, out);
  for (unsigned i = 0; i < m->n; i++)
    for (unsigned k = 0; k <= cell_rules(&m->cell[i]); k++)
      if (!matrix_has(m, i, cell_check_name(&m->cell[i], k)))
        matrix_write_row(m, cell_check_name(&m->cell[i], k), out);
  for (unsigned i = 0; i < m->n; i++)
    cell_write_failures(m, i, out);
}

static void check_write_json(const struct bench_cell *c, unsigned check, struct out *out)
{
  json_open(out, NULL, '{');
  json_text(out, "name", cell_check_name(c, check));
  json_text(out, "verdict", verdicts[c->check[check].verdict]);
  json_number(out, "good", c->check[check].good);
  json_number(out, "of", c->check[check].of);
  json_open(out, "failures", '[');
  for (unsigned i = 0; i < c->n_failures; i++)
    if (c->failure[i].check == check)
      json_text(out, NULL, c->failure[i].text);
  json_close(out, ']');
  json_close(out, '}');
}

static const char *cell_error(const struct bench_cell *c)
{
  for (unsigned i = 0; i < c->n_failures; i++)
    if (c->failure[i].check == BENCH_GUEST)
      return c->failure[i].text;
  return NULL;
}

void matrix_write_json(const void *matrix, struct out *out)
{
  const struct bench_matrix *m = matrix;
  json_open(out, NULL, '{');
  json_text(out, "module", m->module);
  json_open(out, "cells", '[');
  for (unsigned i = 0; i < m->n; i++) {
    const struct bench_cell *c = &m->cell[i];
    json_open(out, NULL, '{');
    json_text(out, "platform", c->platform);
    json_number(out, "sockets", c->shape.sockets);
    json_text(out, "kernel", c->label);
    json_bool(out, "passed", !c->n_failures);
    json_text(out, "error", cell_error(c));
    json_number(out, "seconds", (uint64_t)(c->seconds + 0.5));
    json_open(out, "checks", '[');
    for (unsigned k = 0; k <= cell_rules(c); k++)
      check_write_json(c, k, out);
    json_close(out, ']');
    json_close(out, '}');
  }
  json_close(out, ']');
  json_close(out, '}');
  json_end_line(out);
}

/* Writes all failures of a check, one a line. */
static void check_format_failures(const struct bench_cell *c, unsigned check, char *text, size_t size)
{
  size_t n = 0;
  *text = 0;
  for (unsigned i = 0; i < c->n_failures && n < size; i++)
    if (c->failure[i].check == check)
      n += (size_t)snprintf(text + n, size - n, "%s\n", c->failure[i].text);
}

static void check_write_junit(const struct bench_matrix *m, const struct bench_cell *c, unsigned check, struct out *out)
{
  char text[TEXT], name[160];
  const enum bench_verdict verdict = c->check[check].verdict;
  snprintf(name, sizeof name, "%s.%u-sockets.%s", c->platform, c->shape.sockets, c->label);
  out_text(out, "    <testcase");
  xml_attribute(out, "classname", name);
  xml_attribute(out, "name", cell_check_name(c, check));
  out_char(out, '>');
  check_format_failures(c, check, text, sizeof text);
  if (verdict == BENCH_FAILED) {
    xml_element(out, "failure", text, "");
    cell_format_command(m, c, check, text, sizeof text);
    xml_element(out, "system-out", NULL, text);
  } else if (verdict == BENCH_ABSENT)
    xml_element(out, "error", "not reached", cell_error(c) ? cell_error(c) : "");
  else if (verdict == BENCH_SKIPPED)
    xml_element(out, "skipped", "does not apply to this machine, or is not selected", "");
  out_text(out, "</testcase>\n");
}

static void cell_write_junit(const struct bench_matrix *m, const struct bench_cell *c, struct out *out)
{
  unsigned count[4] = {0};
  char text[400];
  for (unsigned k = 0; k <= cell_rules(c); k++)
    count[c->check[k].verdict]++;
  out_text(out, "  <testsuite");
  snprintf(text, sizeof text, "%s, %u socket%s, kernel %s", c->platform, c->shape.sockets,
           c->shape.sockets == 1 ? "" : "s", c->label);
  xml_attribute(out, "name", text);
  snprintf(text, sizeof text, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.0f\">\n",
           cell_rules(c) + 1, count[BENCH_FAILED], count[BENCH_ABSENT], count[BENCH_SKIPPED], c->seconds);
  out_text(out, text);
  for (unsigned k = 0; k <= cell_rules(c); k++)
    check_write_junit(m, c, k, out);
  out_text(out, "  </testsuite>\n");
}

void matrix_write_junit(const void *matrix, struct out *out)
{
  const struct bench_matrix *m = matrix;
  out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"pmon bench-driver\">\n");
  for (unsigned i = 0; i < m->n; i++)
    cell_write_junit(m, &m->cell[i], out);
  out_text(out, "</testsuites>\n");
}
