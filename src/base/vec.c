/* SPDX-License-Identifier: MIT */
#include "src/base/vec.h"
#include <stdlib.h>
#include <string.h>

void vec_init(struct vec *v, size_t row_size)
{
  *v = (struct vec){.row_size = (uint32_t)row_size};
}

void vec_fini(struct vec *v)
{
  free(v->data);
  v->data = NULL;
  v->n = v->capacity = 0;
}

bool vec_append(struct vec *v, const void *rows, size_t n)
{
  uint64_t need = (uint64_t)v->n + n;
  if (need > UINT32_MAX / 2)
    return false;
  if (need > v->capacity) {
    uint64_t capacity = v->capacity ? v->capacity : 16;
    while (capacity < need)
      capacity *= 2;
    void *data = realloc(v->data, capacity * v->row_size);
    if (!data)
      return false;
    v->data = data;
    v->capacity = (uint32_t)capacity;
  }
  if (n && rows)
    memcpy(vec_at(v, v->n), rows, n * v->row_size);
  else if (n)
    memset(vec_at(v, v->n), 0, n * v->row_size);
  v->n = (uint32_t)need;
  return true;
}
