/* SPDX-License-Identifier: MIT */
/* Parses names in equations, and grows expressions. */
#include "src/base/array.h"
#include "src/base/text.h"
#include "src/metric/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

int expr_refuse(struct expr_parser *p, const char *at, const char *format, ...)
{
  char text[2 * sizeof p->error->text];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  text_copy(p->error->text, sizeof p->error->text, text);
  p->error->column = (uint32_t)(at - p->text) + 1;
  return PMON_E_SYNTAX;
}

int expr_unexpected(struct expr_parser *p, const char *expected)
{
  if (!*p->at)
    return expr_refuse(p, p->at, "the equation ends where %s was expected", expected);
  if (isprint((unsigned char)*p->at))
    return expr_refuse(p, p->at, "'%c' where %s was expected", *p->at, expected);
  return expr_refuse(p, p->at, "a character 0x%02x where %s was expected", (unsigned char)*p->at, expected);
}

int expr_add_node(struct expr_parser *p, const struct expr_node *node, uint32_t *ret_index)
{
  struct expr *e = p->e;
  if (e->n_nodes == EXPR_MAX_NODES)
    return expr_refuse(p, p->at, "more than %d terms", EXPR_MAX_NODES);
  if (array_grow(&e->nodes, e->n_nodes, &e->cap_nodes, sizeof *e->nodes))
    return PMON_E_MEMORY;
  e->nodes[e->n_nodes] = *node;
  *ret_index = e->n_nodes++;
  return 0;
}

int expr_add_name(struct expr_parser *p, struct expr_name **ret_name)
{
  struct expr *e = p->e;
  if (array_grow(&e->names, e->n_names, &e->cap_names, sizeof *e->names))
    return PMON_E_MEMORY;
  *ret_name = &e->names[e->n_names++];
  **ret_name = (struct expr_name){0};
  return 0;
}

/* Takes the text up to `close`, without blanks; an empty list is an error. */
static int parse_list(struct expr_parser *p, const char *stop, char close, char **ret_list)
{
  const char *start = p->at;
  size_t n = strcspn(start, stop);
  if (close && start[n] != close) {
    p->at = start + n;
    return expr_unexpected(p, close == '}' ? "'}'" : "the end of the list");
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
    return expr_refuse(p, start, "an empty list of attributes");
  }
  p->at = start + n + (close ? 1 : 0);
  *ret_list = list;
  return 0;
}

/* "umask,opc" and "0x1c,1" become "umask=0x1c,opc=1". */
static int join_lists(struct expr_parser *p, const char *keys, const char *values, char **ret_list)
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
      return expr_refuse(p, p->at, "the two lists in braces do not have the same length");
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

/* Parses the guides' `.{umask,opc}={0x1C,1}`; p->at is after the first brace. */
static int parse_pairs(struct expr_parser *p, char **ret_list)
{
  char *keys = NULL, *values = NULL;
  int status = parse_list(p, "}(){;", '}', &keys);
  expr_skip_blanks(p);
  if (!status && *p->at != '=')
    status = expr_unexpected(p, "'={'");
  if (!status) {
    p->at++;
    expr_skip_blanks(p);
    if (*p->at != '{')
      status = expr_unexpected(p, "'{'");
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

int expr_take_text(const char *start, size_t n, char **ret_text)
{
  char *s = malloc(n + 1);
  if (!s)
    return PMON_E_MEMORY;
  memcpy(s, start, n);
  s[n] = 0;
  *ret_text = s;
  return 0;
}

/* Parses what may follow a name: attributes in braces, then `with:` settings. */
static int parse_suffixes(struct expr_parser *p, struct expr_name *name, bool pairs)
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
  expr_skip_blanks(p);
  if (!text_same(p->at, "with:", 5)) {
    p->at = before;
    return 0;
  }
  p->at += 5;
  return parse_list(p, " \t+-*/(){};", 0, &name->with);
}

size_t expr_closing_slash(const char *text)
{
  size_t n = 0;
  while (text[n] && !strchr("/(){} \t*+", text[n]))
    n++;
  if (text[n] != '/' || (n && *text != ',' && *text != '='))
    return 0;
  const size_t next = n + 1 + strspn(text + n + 1, " \t");
  return text[next] && strchr("*/+-),<>=!", text[next]) ? n + 1 : text[next] ? 0 : n + 1;
}

static const struct {
  const char *word;
  enum expr_name_kind kind;
} special_names[] = {{"SAMPLE_INTERVAL", EXPR_INTERVAL},
                     {"TSC", EXPR_TSC},
                     {"TSC_SPEED", EXPR_TSC_SPEED},
                     {"PACKAGES", EXPR_PACKAGES},
                     {"THREADS_PER_CORE", EXPR_THREADS}};

static void skip_word(struct expr_parser *p)
{
  while (expr_is_word(*p->at))
    p->at++;
}

/* Takes `unit/`, if that precedes the name; the first word has been read from `*start` on, which moves to the name. */
static int take_unit(struct expr_parser *p, struct expr_name *name, const char **start)
{
  const size_t n = (size_t)(p->at - *start);
  if (*p->at != '/' || !expr_is_word_start(p->at[1]) || !p->is_unit || !p->is_unit(p->user, *start, n))
    return 0;
  const int status = expr_take_text(*start, n, &name->unit);
  if (status)
    return status;
  *start = ++p->at;
  skip_word(p);
  return 0;
}

static enum expr_name_kind kind_of_name(const struct expr_name *name)
{
  for (size_t i = 0; !name->unit && i < sizeof special_names / sizeof *special_names; i++)
    if (text_is(text_of(name->name), special_names[i].word))
      return special_names[i].kind;
  return EXPR_EVENT;
}

int expr_parse_name(struct expr_parser *p, uint32_t *ret_node)
{
  struct expr_name *name;
  int status = expr_add_name(p, &name);
  if (status)
    return status;
  const uint32_t index = p->e->n_names - 1;
  const char *start = p->at;
  name->column = (uint32_t)(start - p->text) + 1;
  skip_word(p);
  status = take_unit(p, name, &start);
  if (status)
    return status;
  const bool pairs = p->at[-1] == '.' && *p->at == '{';
  if (p->at[-1] == '.' && !pairs)
    return expr_refuse(p, p->at - 1, "a name ends in '.'");
  /* `unit/EVENT/` and `unit/EVENT,attribute=value/`, as in a list of events. */
  const size_t closing = name->unit && !pairs ? expr_closing_slash(p->at) : 0;
  if (closing > 1 && *p->at == ',')
    status = expr_take_text(p->at + 1, closing - 2, &name->attributes);
  const size_t raw = closing > 1 && *p->at == '=' ? closing - 1 : 0; /* event=0x35,umask=0x1 */
  if (!status)
    status = expr_take_text(start, (size_t)(p->at - start) + raw - (pairs ? 1 : 0), &name->name);
  if (status)
    return status;
  p->at += closing;
  name->kind = kind_of_name(name);
  status = parse_suffixes(p, name, pairs);
  if (status)
    return status;
  struct expr_node n = {.kind = EXPR_NAME, .name = index};
  return expr_add_node(p, &n, ret_node);
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
