/* SPDX-License-Identifier: MIT */
#include "cli/import/formula.h"
#include "src/base/real.h"
#include "src/metric/expr.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Maximum depth, number of terms, and number of operands and operators together: those of equations in fact files, less
 * what a conversion of the result adds. Bytes: a ratio contains its divisor twice, so that nested ratios double in
 * size. */
enum { MOST_DEPTH = EXPR_MAX_DEPTH - 4, MOST_TERMS = 900, MOST_NODES = EXPR_MAX_NODES - 8, MOST_TEXT = EXPR_MAX_TEXT };

struct reader {
  struct formula *f;
  const char *at;
  unsigned depth, terms;
};

static char *read_value(struct reader *r);

static char *formula_refuse(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets the reason, if none is set; returns NULL. */
static char *formula_refuse(struct reader *r, const char *format, ...)
{
  va_list ap;
  if (*r->f->reason)
    return NULL;
  va_start(ap, format);
  vsnprintf(r->f->reason, sizeof r->f->reason, format, ap);
  va_end(ap);
  return NULL;
}

/* Joins up to three texts, and frees them: bytes 1 to 3 of the format stand for them. Returns NULL if a used one is
 * NULL. */
static char *join(struct reader *r, const char *format, char *a, char *b, char *c)
{
  const size_t size = strlen(format) + (a ? strlen(a) : 0) + (b ? strlen(b) : 0) + (c ? strlen(c) : 0) + 1;
  char *text = size <= MOST_TEXT ? malloc(size) : NULL, *at = text;
  char *const parts[] = {a, b, c};
  r->f->large |= size > MOST_TEXT && !*r->f->reason;
  if (!text)
    formula_refuse(r, size <= MOST_TEXT ? "no memory" : "the equation is longer than 64 KiB");
  for (const char *s = format; text && *s; s++) {
    if (*s >= 1 && *s <= 3) {
      const char *part = parts[*s - 1];
      if (!part) {
        free(text);
        text = NULL;
        break;
      }
      at = stpcpy(at, part);
    } else {
      *at++ = *s;
    }
  }
  if (text)
    *at = 0;
  for (size_t i = 0; i < 3; i++)
    free(parts[i]);
  return text;
}

static void skip(struct reader *r)
{
  while (isspace((unsigned char)*r->at))
    r->at++;
}

/* Consumes an operator, which may contain blanks (`> =`), or a word. */
static bool take(struct reader *r, const char *token)
{
  skip(r);
  const char *at = r->at;
  for (const char *t = token; *t; t++, at++) {
    while (t > token && !isalpha((unsigned char)*t) && *at == ' ')
      at++;
    if (*at != *t)
      return false;
  }
  if (isalpha((unsigned char)*token) && (isalnum((unsigned char)*at) || *at == '_'))
    return false;
  r->at = at;
  return true;
}

/* Returns the length of a name with its attributes: `UNC_X.Y:c1`, `cbox@NAME\,term\=1@`, `#num_cores`,
 * `topdown\-retiring`. */
static size_t word_length(const char *at)
{
  bool quoted = false;
  size_t n = 0;
  for (;; n++) {
    if (at[n] == '@')
      quoted = !quoted;
    else if (at[n] == '\\' && at[n + 1])
      n++;
    else if (!strncmp(at + n, "[0]", 3)) /* the event of one instance */
      return n + 3;
    else if (!at[n] || (!quoted && !isalnum((unsigned char)at[n]) && !strchr("_.:#", at[n])))
      return n;
  }
}

static char *read_name(struct reader *r)
{
  const size_t n = word_length(r->at);
  char *text = r->f->name(r->f->user, r->at, n, r->f->reason);
  r->at += n;
  return text;
}

/* Reads the arguments of a function, after its opening parenthesis; `function` is the format that joins two of them. */
static char *read_arguments(struct reader *r, const char *function)
{
  char *text = read_value(r);
  while (text && take(r, ",")) {
    char *other = read_value(r);
    text = join(r, function, text, other, NULL);
  }
  if (text && !take(r, ")")) {
    free(text);
    return formula_refuse(r, "')' is missing in the formula");
  }
  return text;
}

static char *read_ratio(struct reader *r)
{
  char *a = read_value(r), *b = a && take(r, ",") ? read_value(r) : NULL, *again = b ? strdup(b) : NULL;
  char *text = join(r, "IF(\3 > 0, (\1) / (\2), 0)", a, b, again);
  if (text && !take(r, ")")) {
    free(text);
    return formula_refuse(r, "')' is missing in the formula");
  }
  return text ? text : formula_refuse(r, "d_ratio requires two operands");
}

static char *read_primary(struct reader *r)
{
  skip(r);
  r->f->large |= ++r->terms > MOST_TERMS && !*r->f->reason;
  if (r->terms > MOST_TERMS)
    return formula_refuse(r, "the formula has more than %d terms", MOST_TERMS);
  if (take(r, "("))
    return join(r, "(\1)", read_arguments(r, "\1"), NULL, NULL);
  if (isdigit((unsigned char)*r->at) || *r->at == '.') {
    char *end;
    real_parse(r->at, &end);
    char *text = strndup(r->at, (size_t)(end - r->at));
    r->at = end;
    return text;
  }
  const char *before = r->at;
  static const struct {
    const char *name, *joined;
  } functions[] = {{"max", "MAX(\1, \2)"}, {"min", "MIN(\1, \2)"}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (take(r, functions[i].name) && take(r, "("))
      return read_arguments(r, functions[i].joined);
    else
      r->at = before;
  if (take(r, "d_ratio") && take(r, "("))
    return read_ratio(r);
  r->at = before;
  if (isalpha((unsigned char)*r->at) || *r->at == '_' || *r->at == '#') {
    const size_t n = word_length(r->at);
    if (r->at[n] == '(' && strncmp(r->at, "source_count", n) && strncmp(r->at, "has_event", n))
      return formula_refuse(r, "the formula uses the function %.*s, which pmon does not support",
                            (int)(n > 40 ? 40 : n), r->at);
    return read_name(r);
  }
  return formula_refuse(r,
                        *r->at ? "the formula has '%.1s' where a number or a name is expected"
                               : "the formula ends where a number or a name is expected%s",
                        r->at);
}

static char *read_factor(struct reader *r)
{
  if (take(r, "-"))
    return join(r, "-\1", read_factor(r), NULL, NULL);
  if (take(r, "+"))
    return read_factor(r);
  return read_primary(r);
}

static char *read_product(struct reader *r)
{
  char *text = read_factor(r);
  while (text) {
    const char *format = take(r, "*") ? "\1 * \2" : take(r, "/") ? "\1 / \2" : NULL;
    if (!format)
      break;
    char *other = read_factor(r);
    text = join(r, format, text, other, NULL);
  }
  return text;
}

static char *read_sum(struct reader *r)
{
  char *text = read_product(r);
  while (text) {
    const char *format = take(r, "+") ? "\1 + \2" : take(r, "-") ? "\1 - \2" : NULL;
    if (!format)
      break;
    char *other = read_product(r);
    text = join(r, format, text, other, NULL);
  }
  return text;
}

static char *read_comparison(struct reader *r)
{
  static const struct {
    const char *token, *format;
  } comparisons[] = {{"<=", "IF(\1 <= \2, 1, 0)"}, {">=", "IF(\1 >= \2, 1, 0)"}, {"==", "IF(\1 == \2, 1, 0)"},
                     {"!=", "IF(\1 != \2, 1, 0)"}, {"<", "IF(\1 < \2, 1, 0)"},   {">", "IF(\1 > \2, 1, 0)"}};
  char *text = read_sum(r);
  for (size_t i = 0; text && i < sizeof comparisons / sizeof *comparisons; i++)
    if (take(r, comparisons[i].token))
      return join(r, comparisons[i].format, text, read_sum(r), NULL);
  return text;
}

static char *read_all(struct reader *r)
{
  char *text = read_comparison(r);
  while (text && (take(r, "and") || take(r, "&")))
    text = join(r, "IF(\1, \2, 0)", text, read_comparison(r), NULL);
  return text;
}

static char *read_any(struct reader *r)
{
  char *text = read_all(r);
  while (text && (take(r, "or") || take(r, "|")))
    text = join(r, "MAX(\1, \2)", text, read_all(r), NULL);
  return text;
}

static char *read_value(struct reader *r)
{
  r->f->large |= ++r->depth > MOST_DEPTH && !*r->f->reason;
  if (r->depth > MOST_DEPTH)
    return formula_refuse(r, "the formula is nested more than %d deep", MOST_DEPTH);
  char *text = read_any(r);
  if (text && take(r, "if")) {
    char *condition = read_any(r), *otherwise = NULL;
    if (condition && take(r, "else"))
      otherwise = read_value(r);
    else if (condition)
      formula_refuse(r, "an 'if' in the formula has no 'else'");
    text = join(r, "IF(\2, \1, \3)", text, condition, otherwise);
  }
  r->depth--;
  return text;
}

/* Returns the maximum number of operands and operators: a binary operator has blanks around it, a comma one behind it,
 * and each of them has one operand more. */
static unsigned count_nodes(const char *equation)
{
  unsigned nodes = 1;
  for (const char *c = equation; *c; c++)
    if (*c == '-' && c[1] != ' ')
      nodes++;
    else if (!strncmp(c, ", ", 2))
      nodes += 2;
    else if (*c == ' ' && c[1] && strchr("+-*/<>=!", c[1]) && c[2 + (c[2] == '=')] == ' ')
      nodes += 2;
  return nodes;
}

char *formula_translate(struct formula *f)
{
  struct reader r = {.f = f, .at = f->text};
  *f->reason = 0;
  f->large = false;
  char *text = read_value(&r);
  skip(&r);
  if (text && *r.at) {
    formula_refuse(&r, "the formula ends with unexpected text '%.20s'", r.at);
    free(text);
    return NULL;
  }
  if (text && count_nodes(text) > MOST_NODES) {
    f->large = true;
    formula_refuse(&r, "the equation has more than %d operands and operators", MOST_NODES);
    free(text);
    return NULL;
  }
  return text;
}
