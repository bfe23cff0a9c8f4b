/* SPDX-License-Identifier: MIT */
/* Evaluates the conditions of a rule on values and texts. */
#include "src/facts/rule.h"

#include <string.h>

bool rule_act(struct text *acts, struct rule_act *ret)
{
  static const char when[] = " when ";
  const char *end = acts->n ? memchr(acts->s, ';', acts->n) : NULL;
  const struct text line = {acts->s, end ? (size_t)(end - acts->s) : acts->n};
  const char *blank = line.n ? memchr(line.s, ' ', line.n) : NULL;
  const size_t n = blank ? (size_t)(blank - line.s) : 0;
  if (!n || line.n - n < sizeof when || !text_same(blank, when, sizeof when - 1))
    return false;
  *ret = (struct rule_act){{line.s, n}, {blank + sizeof when - 1, line.n - n - (sizeof when - 1)}};
  acts->s += line.n + (end != NULL), acts->n -= line.n + (end != NULL);
  return true;
}

bool rule_act_field(struct rule_act *act, struct text *ret_name)
{
  const char *comma = act->fields.n ? memchr(act->fields.s, ',', act->fields.n) : NULL;
  *ret_name = (struct text){act->fields.s, comma ? (size_t)(comma - act->fields.s) : act->fields.n};
  act->fields.s += ret_name->n + (comma != NULL), act->fields.n -= ret_name->n + (comma != NULL);
  return ret_name->n > 0;
}

bool rule_compare(enum rule_order order, uint64_t a, uint64_t b)
{
  switch (order) {
  case ORDER_EQUAL: return a == b;
  case ORDER_NOT_EQUAL: return a != b;
  case ORDER_LESS: return a < b;
  case ORDER_LESS_EQUAL: return a <= b;
  case ORDER_GREATER: return a > b;
  case ORDER_GREATER_EQUAL: return a >= b;
  case ORDER_WITHIN: return !(a & ~b);
  }
  return false;
}

bool rule_value_holds(const struct rule_condition *c, uint64_t value)
{
  bool any = false, all = true;
  for (uint32_t i = 0; i < c->n_values; i++) {
    const bool holds = rule_compare(c->order, value, c->values[i]);
    any |= holds;
    all &= holds;
  }
  return c->order == ORDER_NOT_EQUAL ? all : any;
}

static bool rule_word_matches(struct text pattern, const char *word)
{
  const size_t n = pattern.n;
  if (n && pattern.s[n - 1] == '*')
    return strlen(word) >= n - 1 && text_same(pattern.s, word, n - 1);
  return text_is(pattern, word);
}

bool rule_text_holds(const struct rule_condition *c, const char *word)
{
  bool equal = false;
  for (struct text rest = c->words, one; rest.n; rest.s += one.n, rest.n -= one.n) {
    const char *bar = memchr(rest.s, '|', rest.n);
    one = (struct text){rest.s, bar ? (size_t)(bar - rest.s) : rest.n};
    equal |= rule_word_matches(one, word);
    one.n += bar != NULL;
  }
  return equal == (c->order == ORDER_EQUAL);
}
