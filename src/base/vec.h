/* SPDX-License-Identifier: MIT */
/* An array that grows. Rows may move when one is added: hold indexes, not pointers. */
#ifndef PMON_BASE_VEC_H
#define PMON_BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vec {
  void *data;
  uint32_t n, capacity, row_size;
};

void vec_init(struct vec *v, size_t row_size);
void vec_fini(struct vec *v);
/* Adds `n` rows, copied from `rows` (NULL: zeroed). False if there is no memory (or 2^31 rows); `v` is then
 * unchanged. */
bool vec_append(struct vec *v, const void *rows, size_t n);

static inline void *vec_at(const struct vec *v, uint32_t i)
{
  return (char *)v->data + (size_t)i * v->row_size;
}

#endif
