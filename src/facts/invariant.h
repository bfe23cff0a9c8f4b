/* SPDX-License-Identifier: MIT */
/* The two sides of an invariant, `LEFT == RIGHT`. */
#ifndef PMON_FACTS_INVARIANT_H
#define PMON_FACTS_INVARIANT_H

#include <stdbool.h>
#include <string.h>

/* `left`: number of characters of `holds` before the sign; sign: `=`, `<` or `>`; right: the text after it. */
struct invariant_sides {
  size_t left;
  char sign;
  bool or_equal;
  const char *right;
};

/* Splits `holds`. False: it compares nothing, or with another sign than ==, <=, >=, < and >. Signs in braces of event
 * attributes and in `with:` are ignored. */
static inline bool invariant_split(const char *holds, struct invariant_sides *ret)
{
  size_t at = 0;
  while (holds[at] && !strchr("=<>", holds[at]))
    if (holds[at] == '{')
      at += strcspn(holds + at, "}");
    else if (!strncmp(holds + at, "with:", 5))
      at += strcspn(holds + at, " )");
    else
      at++;
  ret->left = at;
  ret->sign = holds[at];
  ret->or_equal = holds[at] && holds[at + 1] == '=';
  ret->right = holds + at + (holds[at] != 0) + ret->or_equal;
  const char first = ret->right[strspn(ret->right, " \t")];
  return ret->sign && (ret->sign != '=' || ret->or_equal) && strspn(holds, " \t") < at && first &&
         !strchr("=<>", first);
}

#endif
