/* SPDX-License-Identifier: MIT */
/* The equation parser: its state, and functions that both its files use (parse.c: operators and calls; name.c:
 * names). */
#ifndef PMON_METRIC_PARSER_H
#define PMON_METRIC_PARSER_H

#include <ctype.h>
#include "src/metric/expr.h"

struct expr_parser {
  const char *text, *at;
  expr_is_unit is_unit;
  void *user;
  struct expr *e;
  struct expr_error *error;
  unsigned depth;
};

/* Fills the error with the column of `at`, and returns PMON_E_SYNTAX. */
int expr_refuse(struct expr_parser *p, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for the current character, which is unexpected. */
int expr_unexpected(struct expr_parser *p, const char *expected);

static inline void expr_skip_blanks(struct expr_parser *p)
{
  while (*p->at == ' ' || *p->at == '\t')
    p->at++;
}

static inline bool expr_is_word_start(char c)
{
  return isalpha((unsigned char)c) || c == '_';
}

static inline bool expr_is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Grow the expression by one. PMON_E_MEMORY, PMON_E_SYNTAX (too many). */
int expr_add_node(struct expr_parser *p, const struct expr_node *node, uint32_t *ret_index);
int expr_add_name(struct expr_parser *p, struct expr_name **ret_name);
/* Copies `n` characters. PMON_E_MEMORY. */
int expr_take_text(const char *start, size_t n, char **ret_text);

/* Parses a name with its unit, attributes and `with:` settings; the current character begins a word. */
int expr_parse_name(struct expr_parser *p, uint32_t *ret_node);

#endif
