/* SPDX-License-Identifier: MIT */
/* Recursive-descent parser for metric equations; depth and size are limited, so that any text is safe. */
#include "src/metric/parser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "src/base/real.h"
#include "src/base/text.h"

static int parse_sum(struct expr_parser *p, uint32_t *ret_node);

static int add_binary(struct expr_parser *p, enum expr_kind kind, uint32_t left, uint32_t right, uint32_t *ret_node)
{
  struct expr_node n = {.kind = kind, .left = left, .right = right};
  return expr_add_node(p, &n, ret_node);
}

static int parse_number(struct expr_parser *p, double *ret_number)
{
  const char *start = p->at;
  char *end;
  double v = real_parse(start, &end);
  if (end == start)
    return expr_unexpected(p, "a number");
  if (expr_is_word(*end))
    return expr_refuse(p, start, "'%.*s' is not a number", (int)strcspn(start, " \t+-*/(){},"), start);
  if (!isfinite(v))
    return expr_refuse(p, start, "the number is too large");
  p->at = end;
  *ret_number = v;
  return 0;
}

static int expect(struct expr_parser *p, char c, const char *expected)
{
  expr_skip_blanks(p);
  if (*p->at != c)
    return expr_unexpected(p, expected);
  p->at++;
  return 0;
}

static int parse_round(struct expr_parser *p, uint32_t *ret_node)
{
  struct expr_node n = {.kind = EXPR_ROUND};
  int status = parse_sum(p, &n.left);
  if (status)
    return status;
  expr_skip_blanks(p);
  if (*p->at == ',') {
    p->at++;
    expr_skip_blanks(p);
    const char *at = p->at;
    status = parse_number(p, &n.number);
    if (status)
      return status;
    if (n.number < 0 || n.number > 15 || n.number != floor(n.number))
      return expr_refuse(p, at, "ROUND takes 0 to 15 digits");
  }
  status = expect(p, ')', "')' after ROUND's arguments");
  return status ? status : expr_add_node(p, &n, ret_node);
}

static int parse_extreme(struct expr_parser *p, enum expr_kind kind, uint32_t *ret_node)
{
  int status = parse_sum(p, ret_node);
  expr_skip_blanks(p);
  while (!status && *p->at == ',') {
    uint32_t right = 0;
    p->at++;
    status = parse_sum(p, &right);
    if (!status)
      status = add_binary(p, kind, *ret_node, right, ret_node);
    expr_skip_blanks(p);
  }
  return status ? status : expect(p, ')', "',' or ')'");
}

/* Parses a comparison, or a sum, which is true if it is not 0. */
static int parse_condition(struct expr_parser *p, uint32_t *ret_node)
{
  static const struct {
    const char *text;
    enum expr_kind kind;
    bool swapped;
  } operators[] = {{"<=", EXPR_LESS_EQUAL, false}, {">=", EXPR_LESS_EQUAL, true}, {"==", EXPR_EQUAL, false},
                   {"!=", EXPR_NOT_EQUAL, false},  {"<", EXPR_LESS, false},       {">", EXPR_LESS, true}};
  enum { OPERATORS = sizeof operators / sizeof *operators };
  int status = parse_sum(p, ret_node);
  expr_skip_blanks(p);
  for (size_t i = 0; !status && i < OPERATORS; i++)
    if (!strncmp(p->at, operators[i].text, strlen(operators[i].text))) {
      uint32_t right = 0;
      p->at += strlen(operators[i].text);
      status = parse_sum(p, &right);
      if (status)
        return status;
      return operators[i].swapped ? add_binary(p, operators[i].kind, right, *ret_node, ret_node)
                                  : add_binary(p, operators[i].kind, *ret_node, right, ret_node);
    }
  return status;
}

/* IF(condition, then, otherwise) */
static int parse_choice(struct expr_parser *p, uint32_t *ret_node)
{
  struct expr_node n = {.kind = EXPR_CHOOSE};
  int status = parse_condition(p, &n.left);
  if (!status)
    status = expect(p, ',', "',' after IF's condition");
  if (!status)
    status = parse_sum(p, &n.right);
  if (!status)
    status = expect(p, ',', "',' before IF's third argument");
  if (!status)
    status = parse_sum(p, &n.other);
  if (!status)
    status = expect(p, ')', "')' after IF's arguments");
  return status ? status : expr_add_node(p, &n, ret_node);
}

/* CLOCK_HZ and INSTANCES of a unit, and LIMIT of a machine. */
static int parse_word_value(struct expr_parser *p, enum expr_name_kind kind, uint32_t *ret_node)
{
  expr_skip_blanks(p);
  const char *start = p->at;
  if (!expr_is_word_start(*start))
    return expr_unexpected(p, kind == EXPR_LIMIT ? "the name of a limit" : "the name of a unit");
  while (expr_is_word(*p->at))
    p->at++;
  struct expr_name *name;
  int status = expr_add_name(p, &name);
  if (status)
    return status;
  name->kind = kind;
  name->column = (uint32_t)(start - p->text) + 1;
  struct expr_node n = {.kind = EXPR_NAME, .name = p->e->n_names - 1};
  status = expr_take_text(start, (size_t)(p->at - start), &name->unit);
  if (!status)
    status = expect(p, ')', "')'");
  return status ? status : expr_add_node(p, &n, ret_node);
}

/* Parses a function, if a parenthesis follows the word; *ret_known: one does. */
static int parse_call(struct expr_parser *p, bool *ret_known, uint32_t *ret_node)
{
  static const char *const functions[] = {"ROUND", "MIN", "MAX", "IF", "CLOCK_HZ", "INSTANCES", "LIMIT"};
  enum { FUNCTIONS = sizeof functions / sizeof *functions };
  const char *start = p->at, *end = start;
  while (expr_is_word(*end))
    end++;
  size_t n = (size_t)(end - start);
  while (*end == ' ' || *end == '\t')
    end++;
  *ret_known = *end == '(';
  if (!*ret_known)
    return 0;
  size_t f = 0;
  while (f < FUNCTIONS && (strlen(functions[f]) != n || !text_same(functions[f], start, n)))
    f++;
  if (f == FUNCTIONS)
    return expr_refuse(p, start, "no function '%.*s'; expected ROUND, MIN, MAX, IF, CLOCK_HZ, INSTANCES or LIMIT",
                       (int)(n > 60 ? 60 : n), start);
  p->at = end + 1;
  switch (f) {
  case 0: return parse_round(p, ret_node);
  case 1:
  case 2: return parse_extreme(p, f == 1 ? EXPR_MIN : EXPR_MAX, ret_node);
  case 3: return parse_choice(p, ret_node);
  default: return parse_word_value(p, f == 4 ? EXPR_CLOCK : f == 5 ? EXPR_INSTANCES : EXPR_LIMIT, ret_node);
  }
}

/* 327043 1.6.1: GB_CONVERSION, the bytes of a GB in the guide's derived events. */
static bool parse_constant(struct expr_parser *p, double *ret)
{
  static const char name[] = "GB_CONVERSION";
  const size_t n = sizeof name - 1;
  if (!text_same(p->at, name, n) || expr_is_word(p->at[n]))
    return false;
  p->at += n;
  *ret = 1024.0 * 1024 * 1024;
  return true;
}

static int parse_primary(struct expr_parser *p, uint32_t *ret_node)
{
  expr_skip_blanks(p);
  if (*p->at == '(') {
    p->at++;
    int status = parse_sum(p, ret_node);
    return status ? status : expect(p, ')', "')'");
  }
  if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1]))) {
    struct expr_node n = {.kind = EXPR_NUMBER};
    int status = parse_number(p, &n.number);
    return status ? status : expr_add_node(p, &n, ret_node);
  }
  if (!expr_is_word_start(*p->at))
    return expr_unexpected(p, "a number, a name or '('");
  struct expr_node constant = {.kind = EXPR_NUMBER};
  if (parse_constant(p, &constant.number))
    return expr_add_node(p, &constant, ret_node);
  bool known = false;
  int status = parse_call(p, &known, ret_node);
  return status || known ? status : expr_parse_name(p, ret_node);
}

static int parse_factor(struct expr_parser *p, uint32_t *ret_node)
{
  bool negative = false;
  for (expr_skip_blanks(p); *p->at == '-' || *p->at == '+'; expr_skip_blanks(p))
    negative ^= *p->at++ == '-';
  int status = parse_primary(p, ret_node);
  if (status || !negative)
    return status;
  struct expr_node n = {.kind = EXPR_NEGATE, .left = *ret_node};
  return expr_add_node(p, &n, ret_node);
}

static int parse_product(struct expr_parser *p, uint32_t *ret_node)
{
  int status = parse_factor(p, ret_node);
  for (expr_skip_blanks(p); !status && (*p->at == '*' || *p->at == '/'); expr_skip_blanks(p)) {
    enum expr_kind kind = *p->at++ == '*' ? EXPR_MUL : EXPR_DIV;
    uint32_t right = 0;
    status = parse_factor(p, &right);
    if (!status)
      status = add_binary(p, kind, *ret_node, right, ret_node);
  }
  return status;
}

static int parse_sum(struct expr_parser *p, uint32_t *ret_node)
{
  if (p->depth == EXPR_MAX_DEPTH)
    return expr_refuse(p, p->at, "parentheses nested deeper than %d", EXPR_MAX_DEPTH);
  p->depth++;
  int status = parse_product(p, ret_node);
  for (expr_skip_blanks(p); !status && (*p->at == '+' || *p->at == '-'); expr_skip_blanks(p)) {
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
  struct expr_parser p = {.text = text, .at = text, .is_unit = is_unit, .user = user, .error = error};
  *error = (struct expr_error){0};
  if (strlen(text) > EXPR_MAX_TEXT)
    return expr_refuse(&p, text, "an equation longer than %d characters", EXPR_MAX_TEXT);
  p.e = calloc(1, sizeof *p.e);
  if (!p.e)
    return PMON_E_MEMORY;
  uint32_t root = 0;
  int status = parse_sum(&p, &root);
  if (!status && *p.at)
    status = expr_unexpected(&p, "an operator");
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
