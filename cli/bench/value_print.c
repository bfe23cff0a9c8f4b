/* SPDX-License-Identifier: MIT */
/* Writes the values of a tool as text, JSON and JUnit report. */
#include <math.h>
#include <string.h>
#include "cli/bench/tool.h"
#include "cli/common/xml.h"
#include "src/base/real.h"

enum { NAME_COLUMNS = 28, NUMBER_COLUMNS = 18 };

static const char *value_verdict(const struct tool_value *v)
{
  if (v->verdict == TOOL_RIGHT)
    return v->reason ? "right, but listed as known to be wrong" : "right";
  if (v->verdict == TOOL_MISSING)
    return v->reason ? "missing, known" : "missing";
  return v->reason ? "wrong, known" : "WRONG";
}

static void value_format(const struct tool_value *v, char *text, size_t size)
{
  char got[32] = "-", deviation[32] = "-";
  if (v->verdict != TOOL_MISSING)
    real_print(got, sizeof got, "%.10g", v->got);
  if (v->verdict != TOOL_MISSING && v->want != 0)
    real_print(deviation, sizeof deviation, "%+.2f %%", (v->got - v->want) / fabs(v->want) * 100);
  real_print(text, size, "%-*s %*.10g %*s %12s  %s", NAME_COLUMNS, v->name, NUMBER_COLUMNS, v->want, NUMBER_COLUMNS,
             got, deviation, value_verdict(v));
}

void tool_write_text(const void *tool, struct out *out)
{
  const struct bench_tool *t = tool;
  char text[512];
  snprintf(text, sizeof text, "%-*s %*s %*s %12s\n", NAME_COLUMNS, "value", NUMBER_COLUMNS, "expected", NUMBER_COLUMNS,
           "measured", "deviation");
  out_text(out, text);
  for (unsigned i = 0; i < t->n; i++) {
    value_format(&t->value[i], text, sizeof text);
    out_text(out, text);
    out_char(out, '\n');
    if (t->value[i].reason) {
      out_text(out, "    ");
      out_text(out, t->value[i].reason);
      out_char(out, '\n');
    }
  }
}

static void json_real(struct out *out, const char *key, double value)
{
  char text[40];
  real_print(text, sizeof text, "%.17g", value);
  json_text(out, key, text);
}

void tool_write_json(const void *tool, struct out *out)
{
  static const char *const verdicts[] = {"right", "wrong", "missing"};
  const struct bench_tool *t = tool;
  json_open(out, NULL, '{');
  json_text(out, "platform", t->platform);
  json_text(out, "command", t->command);
  json_bool(out, "passed", tool_passed(t));
  json_open(out, "values", '[');
  for (unsigned i = 0; i < t->n; i++) {
    const struct tool_value *v = &t->value[i];
    json_open(out, NULL, '{');
    json_text(out, "name", v->name);
    json_text(out, "verdict", verdicts[v->verdict]);
    json_real(out, "expected", v->want);
    if (v->verdict == TOOL_MISSING)
      json_text(out, "value", NULL);
    else
      json_real(out, "value", v->got);
    json_real(out, "tolerance", v->tolerance);
    json_text(out, "reason", v->reason);
    json_close(out, '}');
  }
  json_close(out, ']');
  json_close(out, '}');
  json_end_line(out);
}

void tool_write_junit(const void *tool, struct out *out)
{
  const struct bench_tool *t = tool;
  char text[512];
  out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"pmon bench-tool\">\n");
  for (unsigned i = 0; i < t->n; i++) {
    const struct tool_value *v = &t->value[i];
    value_format(v, text, sizeof text);
    out_text(out, "  <testcase");
    xml_attribute(out, "classname", t->platform);
    xml_attribute(out, "name", v->name);
    out_char(out, '>');
    if ((v->verdict == TOOL_RIGHT) == (v->reason != NULL))
      xml_element(out, "failure", text, v->reason ? v->reason : "");
    else if (v->reason)
      xml_element(out, "skipped", v->reason, text);
    out_text(out, "</testcase>\n");
  }
  out_text(out, "</testsuite>\n");
}
