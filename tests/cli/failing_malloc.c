/* SPDX-License-Identifier: MIT */
/* Preloaded: allocation number $FAIL_AT, counted from 1, and all later ones fail. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

static long count, fail_at = -1;

static int allocation_fails(void)
{
  if (fail_at < 0) {
    const char *text = getenv("FAIL_AT");
    fail_at = text ? atol(text) : 0;
  }
  if (!fail_at || ++count < fail_at)
    return 0;
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t n)
{
  return allocation_fails() ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
  return allocation_fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
  return allocation_fails() ? NULL : __libc_realloc(p, n);
}
