/* SPDX-License-Identifier: MIT */
#include "src/base/array.h"

#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

enum { FIRST_CAPACITY = 16 };

int array_grow(void *array, uint32_t n, uint32_t *capacity, size_t size)
{
  if (n < *capacity)
    return PMON_OK;
  void *old;
  memcpy(&old, array, sizeof old);
  const uint32_t more = *capacity ? 2 * *capacity : FIRST_CAPACITY;
  void *grown = realloc(old, more * size);
  if (!grown)
    return PMON_E_MEMORY;
  memcpy(array, &grown, sizeof grown);
  *capacity = more;
  return PMON_OK;
}
