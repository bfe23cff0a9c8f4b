/* SPDX-License-Identifier: MIT */
/* Recursive descent over a metric's equation; depth and size are limited, so any text is safe. */
#include "expr.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <pmon/status.h>

struct parser {
  const char *text, *at;
  expr_is_unit is_unit;
  void *user;
  struct expr *e;
  struct expr_error *error;
  unsigned depth;
};

static int parse_sum(struct parser *p, uint32_t *ret_node);

__attribute__((format(printf, 3, 4))) static int refuse(struct parser *p, const char *at, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(p->error->text, sizeof p->error->text, format, args);
  va_end(args);
  p->error->column = (uint32_t)(at - p->text) + 1;
  return PMON_E_SYNTAX;
}

static void skip_blanks(struct parser *p)
{
  while (*p->at == ' ' || *p->at == '\t')
    p->at++;
}

static bool is_word_start(char c)
{
  return isalpha((unsigned char)c) || c == '_';
}

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static int unexpected(struct parser *p, const char *wanted)
{
  if (!*p->at)
    return refuse(p, p->at, "the equation ends where %s was expected", wanted);
  if (isprint((unsigned char)*p->at))
    return refuse(p, p->at, "'%c' where %s was expected", *p->at, wanted);
  return refuse(p, p->at, "a character 0x%02x where %s was expected", (unsigned char)*p->at, wanted);
}

static int add_node(struct parser *p, const struct expr_node *node, uint32_t *ret_index)
{
  struct expr *e = p->e;
  if (e->n_nodes == EXPR_MAX_NODES)
    return refuse(p, p->at, "more than %d terms", EXPR_MAX_NODES);
  if (e->n_nodes == e->cap_nodes) {
    uint32_t cap = e->cap_nodes ? 2 * e->cap_nodes : 16;
    struct expr_node *grown = realloc(e->nodes, cap * sizeof *grown);
    if (!grown)
      return PMON_E_MEMORY;
    e->nodes = grown;
    e->cap_nodes = cap;
  }
  e->nodes[e->n_nodes] = *node;
  *ret_index = e->n_nodes++;
  return 0;
}

static int add_binary(struct parser *p, enum expr_kind kind, uint32_t left, uint32_t right, uint32_t *ret_node)
{
  struct expr_node n = {.kind = kind, .left = left, .right = right};
  return add_node(p, &n, ret_node);
}

static int add_name(struct parser *p, struct expr_name **ret_name)
{
  struct expr *e = p->e;
  if (e->n_names == e->cap_names) {
    uint32_t cap = e->cap_names ? 2 * e->cap_names : 8;
    struct expr_name *grown = realloc(e->names, cap * sizeof *grown);
    if (!grown)
      return PMON_E_MEMORY;
    e->names = grown;
    e->cap_names = cap;
  }
  *ret_name = &e->names[e->n_names++];
  **ret_name = (struct expr_name){0};
  return 0;
}

static int parse_number(struct parser *p, double *ret_number)
{
  const char *start = p->at;
  char *end;
  double v = strtod(start, &end);
  if (end == start)
    return unexpected(p, "a number");
  if (is_word(*end))
    return refuse(p, start, "'%.*s' is not a number", (int)strcspn(start, " \t+-*/(){},"), start);
  if (!isfinite(v))
    return refuse(p, start, "the number is too large");
  p->at = end;
  *ret_number = v;
  return 0;
}

/* The text up to `close`, without the blanks in it; an empty list is an error. */
static int parse_list(struct parser *p, const char *stop, char close, char **ret_list)
{
  const char *start = p->at;
  size_t n = strcspn(start, stop);
  if (close && start[n] != close) {
    p->at = start + n;
    return unexpected(p, close == '}' ? "'}'" : "the end of the list");
  }
  char *list = malloc(n + 1);
  if (!list)
    return PMON_E_MEMORY;
  size_t k = 0;
  for (size_t i = 0; i < n; i++)
    if (start[i] != ' ' && start[i] != '\t')
      list[k++] = start[i];
  list[k] = 0;
  if (!k) {
    free(list);
    return refuse(p, start, "an empty list of attributes");
  }
  p->at = start + n + (close ? 1 : 0);
  *ret_list = list;
  return 0;
}

/* "umask,opc" and "0x1c,1" become "umask=0x1c,opc=1". */
static int join_lists(struct parser *p, const char *keys, const char *values, char **ret_list)
{
  size_t size = 2 * strlen(keys) + 2 * strlen(values) + 2;
  char *list = malloc(size), *out = list;
  if (!list)
    return PMON_E_MEMORY;
  for (;;) {
    size_t k = strcspn(keys, ","), v = strcspn(values, ",");
    out += snprintf(out, size - (size_t)(out - list), "%.*s=%.*s", (int)k, keys, (int)v, values);
    if (!k || !v || !keys[k] != !values[v]) {
      free(list);
      return refuse(p, p->at, "the two lists in braces do not have the same length");
    }
    if (!keys[k])
      break;
    *out++ = ',';
    keys += k + 1;
    values += v + 1;
  }
  *ret_list = list;
  return 0;
}

/* The guides' `.{umask,opc}={0x1C,1}`; p->at is behind the first brace. */
static int parse_pairs(struct parser *p, char **ret_list)
{
  char *keys = NULL, *values = NULL;
  int status = parse_list(p, "}(){;", '}', &keys);
  skip_blanks(p);
  if (!status && *p->at != '=')
    status = unexpected(p, "'={'");
  if (!status) {
    p->at++;
    skip_blanks(p);
    if (*p->at != '{')
      status = unexpected(p, "'{'");
  }
  if (!status) {
    p->at++;
    status = parse_list(p, "}(){;", '}', &values);
  }
  if (!status)
    status = join_lists(p, keys, values, ret_list);
  free(keys);
  free(values);
  return status;
}

static int take_text(const char *start, size_t n, char **ret_text)
{
  char *s = malloc(n + 1);
  if (!s)
    return PMON_E_MEMORY;
  memcpy(s, start, n);
  s[n] = 0;
  *ret_text = s;
  return 0;
}

/* What may follow a name: attributes in braces, then `with:` settings. */
static int parse_suffixes(struct parser *p, struct expr_name *name, bool pairs)
{
  int status = 0;
  if (pairs) {
    p->at++;
    status = parse_pairs(p, &name->attributes);
  } else if (*p->at == '{') {
    p->at++;
    status = parse_list(p, "}(){;", '}', &name->attributes);
  }
  if (status)
    return status;
  const char *before = p->at;
  skip_blanks(p);
  if (strncasecmp(p->at, "with:", 5)) {
    p->at = before;
    return 0;
  }
  p->at += 5;
  return parse_list(p, " \t+-*/(){};", 0, &name->with);
}

static const struct { const char *word; enum expr_name_kind kind; } special_names[] = {
  {"SAMPLE_INTERVAL", EXPR_INTERVAL}, {"TSC", EXPR_TSC}, {"TSC_SPEED", EXPR_TSC_SPEED}};

static int parse_name(struct parser *p, uint32_t *ret_node)
{
  struct expr_name *name;
  int status = add_name(p, &name);
  if (status)
    return status;
  uint32_t index = p->e->n_names - 1;
  const char *start = p->at;
  name->column = (uint32_t)(start - p->text) + 1;
  while (is_word(*p->at))
    p->at++;
  if (*p->at == '/' && is_word_start(p->at[1]) && p->is_unit && p->is_unit(p->user, start, (size_t)(p->at - start))) {
    status = take_text(start, (size_t)(p->at - start), &name->unit);
    if (status)
      return status;
    start = ++p->at;
    while (is_word(*p->at))
      p->at++;
  }
  bool pairs = p->at[-1] == '.' && *p->at == '{';
  if (p->at[-1] == '.' && !pairs)
    return refuse(p, p->at - 1, "a name ends in '.'");
  status = take_text(start, (size_t)(p->at - start) - (pairs ? 1 : 0), &name->name);
  if (status)
    return status;
  name->kind = EXPR_EVENT;
  for (size_t i = 0; i < sizeof special_names / sizeof *special_names; i++)
    if (!name->unit && !strcasecmp(name->name, special_names[i].word))
      name->kind = special_names[i].kind;
  status = parse_suffixes(p, name, pairs);
  if (status)
    return status;
  struct expr_node n = {.kind = EXPR_NAME, .name = index};
  return add_node(p, &n, ret_node);
}

static int expect(struct parser *p, char c, const char *wanted)
{
  skip_blanks(p);
  if (*p->at != c)
    return unexpected(p, wanted);
  p->at++;
  return 0;
}

static int parse_round(struct parser *p, uint32_t *ret_node)
{
  struct expr_node n = {.kind = EXPR_ROUND};
  int status = parse_sum(p, &n.left);
  if (status)
    return status;
  skip_blanks(p);
  if (*p->at == ',') {
    p->at++;
    skip_blanks(p);
    const char *at = p->at;
    status = parse_number(p, &n.number);
    if (status)
      return status;
    if (n.number < 0 || n.number > 15 || n.number != floor(n.number))
      return refuse(p, at, "ROUND takes 0 to 15 digits");
  }
  status = expect(p, ')', "')' after ROUND's arguments");
  return status ? status : add_node(p, &n, ret_node);
}

static int parse_extreme(struct parser *p, enum expr_kind kind, uint32_t *ret_node)
{
  int status = parse_sum(p, ret_node);
  skip_blanks(p);
  while (!status && *p->at == ',') {
    uint32_t right = 0;
    p->at++;
    status = parse_sum(p, &right);
    if (!status)
      status = add_binary(p, kind, *ret_node, right, ret_node);
    skip_blanks(p);
  }
  return status ? status : expect(p, ')', "',' or ')'");
}

static int parse_clock(struct parser *p, uint32_t *ret_node)
{
  skip_blanks(p);
  const char *start = p->at;
  if (!is_word_start(*start))
    return unexpected(p, "the name of a unit");
  while (is_word(*p->at))
    p->at++;
  struct expr_name *name;
  int status = add_name(p, &name);
  if (status)
    return status;
  name->kind = EXPR_CLOCK;
  name->column = (uint32_t)(start - p->text) + 1;
  struct expr_node n = {.kind = EXPR_NAME, .name = p->e->n_names - 1};
  status = take_text(start, (size_t)(p->at - start), &name->unit);
  if (!status)
    status = expect(p, ')', "')'");
  return status ? status : add_node(p, &n, ret_node);
}

/* A function when the word is followed by a parenthesis; *ret_known says whether it was one. */
static int parse_call(struct parser *p, bool *ret_known, uint32_t *ret_node)
{
  static const char *const functions[] = {"ROUND", "MIN", "MAX", "CLOCK_HZ"};
  const char *start = p->at, *end = start;
  while (is_word(*end))
    end++;
  size_t n = (size_t)(end - start);
  while (*end == ' ' || *end == '\t')
    end++;
  *ret_known = *end == '(';
  if (!*ret_known)
    return 0;
  size_t f = 0;
  while (f < 4 && (strlen(functions[f]) != n || strncasecmp(functions[f], start, n)))
    f++;
  if (f == 4)
    return refuse(p, start, "no function '%.*s'; there are ROUND, MIN, MAX and CLOCK_HZ", (int)(n > 60 ? 60 : n), start);
  p->at = end + 1;
  if (f == 0)
    return parse_round(p, ret_node);
  return f == 3 ? parse_clock(p, ret_node) : parse_extreme(p, f == 1 ? EXPR_MIN : EXPR_MAX, ret_node);
}

static int parse_primary(struct parser *p, uint32_t *ret_node)
{
  skip_blanks(p);
  if (*p->at == '(') {
    p->at++;
    int status = parse_sum(p, ret_node);
    return status ? status : expect(p, ')', "')'");
  }
  if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1]))) {
    struct expr_node n = {.kind = EXPR_NUMBER};
    int status = parse_number(p, &n.number);
    return status ? status : add_node(p, &n, ret_node);
  }
  if (!is_word_start(*p->at))
    return unexpected(p, "a number, a name or '('");
  bool known = false;
  int status = parse_call(p, &known, ret_node);
  return status || known ? status : parse_name(p, ret_node);
}

static int parse_factor(struct parser *p, uint32_t *ret_node)
{
  bool negative = false;
  for (skip_blanks(p); *p->at == '-' || *p->at == '+'; skip_blanks(p))
    negative ^= *p->at++ == '-';
  int status = parse_primary(p, ret_node);
  if (status || !negative)
    return status;
  struct expr_node n = {.kind = EXPR_NEGATE, .left = *ret_node};
  return add_node(p, &n, ret_node);
}

static int parse_product(struct parser *p, uint32_t *ret_node)
{
  int status = parse_factor(p, ret_node);
  for (skip_blanks(p); !status && (*p->at == '*' || *p->at == '/'); skip_blanks(p)) {
    enum expr_kind kind = *p->at++ == '*' ? EXPR_MUL : EXPR_DIV;
    uint32_t right = 0;
    status = parse_factor(p, &right);
    if (!status)
      status = add_binary(p, kind, *ret_node, right, ret_node);
  }
  return status;
}

static int parse_sum(struct parser *p, uint32_t *ret_node)
{
  if (p->depth == EXPR_MAX_DEPTH)
    return refuse(p, p->at, "parentheses nested deeper than %d", EXPR_MAX_DEPTH);
  p->depth++;
  int status = parse_product(p, ret_node);
  for (skip_blanks(p); !status && (*p->at == '+' || *p->at == '-'); skip_blanks(p)) {
    enum expr_kind kind = *p->at++ == '+' ? EXPR_ADD : EXPR_SUB;
    uint32_t right = 0;
    status = parse_product(p, &right);
    if (!status)
      status = add_binary(p, kind, *ret_node, right, ret_node);
  }
  p->depth--;
  return status;
}

int expr_parse(const char *text, expr_is_unit is_unit, void *user, struct expr_error *error, struct expr **ret_expr)
{
  struct parser p = {.text = text, .at = text, .is_unit = is_unit, .user = user, .error = error};
  *error = (struct expr_error){0};
  if (strlen(text) > EXPR_MAX_TEXT)
    return refuse(&p, text, "an equation longer than %d characters", EXPR_MAX_TEXT);
  p.e = calloc(1, sizeof *p.e);
  if (!p.e)
    return PMON_E_MEMORY;
  uint32_t root = 0;
  int status = parse_sum(&p, &root);
  if (!status && *p.at)
    status = unexpected(&p, "an operator");
  if (status) {
    expr_free(p.e);
    return status;
  }
  *ret_expr = p.e;
  return 0;
}

void expr_free(struct expr *e)
{
  if (!e)
    return;
  for (uint32_t i = 0; i < e->n_names; i++) {
    free(e->names[i].unit);
    free(e->names[i].name);
    free(e->names[i].attributes);
    free(e->names[i].with);
  }
  free(e->names);
  free(e->nodes);
  free(e);
}

char *expr_substitute(const char *text, char parameter, uint32_t value)
{
  size_t n = strlen(text), uses = 0;
  for (size_t i = 0; i < n; i++)
    uses += text[i] == parameter;
  size_t size = n + uses * 10 + 1;
  char *out = malloc(size), *o = out;
  if (!out)
    return NULL;
  for (size_t i = 0; i < n; i++) {
    bool inside = (i && islower((unsigned char)text[i - 1])) || isalnum((unsigned char)text[i + 1]);
    if (text[i] == parameter && !inside)
      o += snprintf(o, size - (size_t)(o - out), "%u", value);
    else
      *o++ = text[i];
  }
  *o = 0;
  return out;
}
