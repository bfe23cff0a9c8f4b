/* SPDX-License-Identifier: MIT */
/*
 * Public structs that begin with their size. The caller may know fewer members than this library, or more: the first
 * member, `size`, is the size that the caller was compiled with, and is never changed.
 */
#ifndef PMON_BASE_SIZED_H
#define PMON_BASE_SIZED_H

#include <pmon/status.h>
#include <stdint.h>
#include <string.h>

/* No struct is as large as this: a larger size means that the caller did not set it. */
enum { SIZED_MOST = 1 << 16 };

static inline size_t sized_of(const void *sized)
{
  size_t size;
  memcpy(&size, sized, sizeof size);
  return size < sizeof size || size > SIZED_MOST ? 0 : size;
}

/* Fills the caller's struct from `full`, which has `known` bytes in this library. Bytes beyond the caller's size are
 * not touched; members that only the caller knows are set to 0. PMON_OK, PMON_E_INVALID (the size was not set). */
static inline int sized_fill(void *to, const void *full, size_t known)
{
  const size_t size = sized_of(to), n = size < known ? size : known;
  if (!size)
    return PMON_E_INVALID;
  memcpy((char *)to + sizeof size, (const char *)full + sizeof size, n - sizeof size);
  memset((char *)to + n, 0, size - n);
  return PMON_OK;
}

/* Copies the caller's struct into `full`, of `known` bytes; members that the caller does not know keep their values.
 * PMON_OK; PMON_E_INVALID (the size was not set); PMON_E_UNSUPPORTED (a member is set that only the caller knows). */
static inline int sized_take(void *full, size_t known, const void *from)
{
  const size_t size = sized_of(from);
  if (!size)
    return PMON_E_INVALID;
  for (size_t i = known; i < size; i++)
    if (((const unsigned char *)from)[i])
      return PMON_E_UNSUPPORTED;
  memcpy(full, from, size < known ? size : known);
  memcpy(full, &known, sizeof known);
  return PMON_OK;
}

#endif
