/* SPDX-License-Identifier: MIT */
#include "cli/vm/by_function.h"

#include <stdio.h>
#include <stdlib.h>
#include "cli/common/xml.h"

enum { NAME = 160, LINE = 320 };

bool by_function_init(struct by_functions *b, size_t most)
{
  *b = (struct by_functions){.at = calloc(most + 1, sizeof *b->at)};
  return b->at != NULL;
}

void by_function_free(struct by_functions *b)
{
  free(b->at);
  *b = (struct by_functions){.n = 0};
}

void by_function_add(struct by_functions *b, const struct callers_chain *by, bool advice, bool known)
{
  if (by->driver == by->n)
    return;
  const struct symbol *function = by->function[by->driver];
  struct by_function *f = b->at;
  while (f < b->at + b->n && f->function != function)
    f++;
  if (f == b->at + b->n)
    b->at[b->n++] = (struct by_function){.function = function};
  f->advices += advice;
  f->violations += !advice;
  f->known += !advice && known;
}

static void by_function_format_name(const struct by_function *f, char *text, size_t size)
{
  const char *module = f->function->module;
  snprintf(text, size, "%s%s%s%s", f->function->name, *module ? " [" : "", module, *module ? "]" : "");
}

static void by_function_format_counts(const struct by_function *f, char *text, size_t size)
{
  snprintf(text, size, "%zu violation%s (%zu known), %zu advisor%s", f->violations, f->violations == 1 ? "" : "s",
           f->known, f->advices, f->advices == 1 ? "y" : "ies");
}

int by_function_format(const struct by_functions *b, size_t i, char *text, size_t size)
{
  char name[NAME], counts[LINE];
  by_function_format_name(&b->at[i], name, sizeof name);
  by_function_format_counts(&b->at[i], counts, sizeof counts);
  return snprintf(text, size, "function %s: %s", name, counts);
}

void by_function_write_json(const struct by_functions *b, struct out *out)
{
  json_open(out, "functions", '[');
  for (size_t i = 0; i < b->n; i++) {
    const struct by_function *f = &b->at[i];
    json_open(out, NULL, '{');
    json_text(out, "function", f->function->name);
    json_text(out, "module", *f->function->module ? f->function->module : NULL);
    json_number(out, "violations", f->violations);
    json_number(out, "known", f->known);
    json_number(out, "advices", f->advices);
    json_close(out, '}');
  }
  json_close(out, ']');
}

void by_function_write_junit(const struct by_functions *b, struct out *out)
{
  char text[LINE];
  if (!b->n)
    return;
  out_text(out, "  <properties>\n");
  for (size_t i = 0; i < b->n; i++) {
    out_text(out, "    <property");
    by_function_format_name(&b->at[i], text, sizeof text);
    xml_attribute(out, "name", text);
    by_function_format_counts(&b->at[i], text, sizeof text);
    xml_attribute(out, "value", text);
    out_text(out, "/>\n");
  }
  out_text(out, "  </properties>\n");
}
