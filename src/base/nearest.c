/* SPDX-License-Identifier: MIT */
#include "src/base/nearest.h"
#include <stdio.h>
#include "src/base/words.h"

#define LONGEST 64

static uint32_t least(uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

uint32_t nearest_distance(struct text a, struct text b, uint32_t limit)
{
  uint32_t rows[3][LONGEST + 1];
  uint32_t n = (uint32_t)(a.n < LONGEST ? a.n : LONGEST), m = (uint32_t)(b.n < LONGEST ? b.n : LONGEST);
  if (n > m + limit || m > n + limit)
    return limit + 1;
  uint32_t *before = rows[0], *above = rows[1], *row = rows[2];
  for (uint32_t j = 0; j <= m; j++)
    above[j] = j;
  for (uint32_t i = 1; i <= n; i++) {
    uint32_t smallest = row[0] = i;
    for (uint32_t j = 1; j <= m; j++) {
      char x = text_lower(a.s[i - 1]), y = text_lower(b.s[j - 1]);
      row[j] = least(above[j - 1] + (x != y), least(above[j], row[j - 1]) + 1);
      if (i > 1 && j > 1 && x == text_lower(b.s[j - 2]) && y == text_lower(a.s[i - 2]))
        row[j] = least(row[j], before[j - 2] + 1);
      smallest = least(smallest, row[j]);
    }
    if (smallest > limit)
      return limit + 1;
    uint32_t *free_row = before;
    before = above;
    above = row;
    row = free_row;
  }
  return above[m];
}

void nearest_add(struct nearest *near, struct text name, uint32_t a, uint32_t b)
{
  uint32_t limit = (uint32_t)(near->name.n + 1) / 3;
  limit = limit ? limit : 1;
  if (near->n == NEAREST_N)
    limit = least(limit, near->best[NEAREST_N - 1].distance);
  uint32_t distance = nearest_distance(near->name, name, limit);
  /* A name that begins with the unknown name counts as near as one with a different letter, whatever its length. */
  if (distance > 1 && near->name.n >= 3 && name.n > near->name.n && text_same(name.s, near->name.s, near->name.n))
    distance = 1;
  if (distance > limit)
    return;
  for (uint32_t i = 0; i < near->n; i++) /* the candidate was added before */
    if (near->best[i].a == a && near->best[i].b == b && near->best[i].name.n == name.n &&
        text_same(near->best[i].name.s, name.s, name.n))
      return;
  uint32_t at = near->n < NEAREST_N ? near->n++ : NEAREST_N;
  if (at == NEAREST_N) {
    if (near->best[--at].distance <= distance)
      return;
  }
  for (; at > 0 && near->best[at - 1].distance > distance; at--)
    near->best[at] = near->best[at - 1];
  near->best[at] = (struct nearest_name){distance, a, b, name};
}

void nearest_add_beginning(struct nearest *near, struct text name, uint32_t a, uint32_t b)
{
  for (uint32_t i = 0; i < near->n; i++)
    if (near->best[i].name.s == name.s)
      return;
  nearest_add(near, (struct text){name.s, name.n < near->name.n ? name.n : near->name.n}, a, b);
  for (uint32_t i = 0; i < near->n; i++)
    if (near->best[i].name.s == name.s)
      near->best[i].name = name;
}

struct text nearest_spell_out(struct text name, char *longer, size_t size)
{
  for (size_t i = 0; i + 2 <= name.n; i++) {
    if (!text_same(name.s + i, "bw", 2) || (i && name.s[i - 1] != '_') || (i + 2 < name.n && name.s[i + 2] != '_'))
      continue;
    snprintf(longer, size, "%.*sBANDWIDTH%.*s", (int)i, name.s, (int)(name.n - i - 2), name.s + i + 2);
    return text_of(longer);
  }
  return name;
}

void nearest_format(const struct nearest *near, char *out, size_t size)
{
  struct writer w = {out, size, 0};
  struct text names[NEAREST_N];
  uint32_t n = 0;
  for (uint32_t i = 0; i < near->n && near->best[i].distance <= 2 * near->best[0].distance; i++) {
    const struct text name = near->best[i].name;
    bool again = false; /* a metric of this name exists in several units */
    for (uint32_t k = 0; k < n; k++)
      again |= names[k].n == name.n && text_same(names[k].s, name.s, name.n);
    if (!again)
      names[n++] = name;
  }
  write_text(&w, n ? "; did you mean " : "");
  for (uint32_t i = 0; i < n; i++)
    words_write(&w, i, n, names[i].s, names[i].n);
  write_text(&w, n ? "?" : "");
  write_end(&w);
}
