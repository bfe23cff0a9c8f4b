/* SPDX-License-Identifier: MIT */
/* Pieces of text that somebody else owns, compared without regard to case as all names in this project are. */
#ifndef PMON_BASE_TEXT_H
#define PMON_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text { const char *s; size_t n; };

static inline struct text text_of(const char *s)
{
  struct text t = { s, strlen(s) };
  return t;
}

static inline char text_lower(char c)
{
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool text_same(const char *a, const char *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (a[i] != b[i] && text_lower(a[i]) != text_lower(b[i]))
      return false;
  return true;
}

/* Whether `t` is the name `name`, in any case. */
static inline bool text_is(struct text t, const char *name)
{
  size_t i = 0;
  while (i < t.n && name[i] && text_same(&t.s[i], &name[i], 1))
    i++;
  return i == t.n && !name[i];
}

/* Whether `t` is `name` or its end behind an underscore: MATCH0 means Q_Py_PCI_PMON_PKT_MATCH0. */
static inline bool text_is_end(struct text t, const char *name)
{
  size_t n = strlen(name);
  return t.n && t.n <= n && text_same(t.s, name + n - t.n, t.n) && (t.n == n || name[n - t.n - 1] == '_');
}

/* A hash of the name in lower case; `seed` tells families of names apart. */
static inline uint32_t text_hash(const char *s, size_t n, uint32_t seed)
{
  uint32_t h = 2166136261u ^ (seed * 2654435761u);
  for (size_t i = 0; i < n; i++)
    h = (h ^ (uint8_t)(s[i] | 0x20)) * 16777619u; /* letters become lower-case; what else falls together is compared */
  return h ^ (h >> 15);
}

/* Whether `t` is one of the names in the comma-separated `list`. */
bool text_in_list(struct text t, const char *list);

/* A whole number, decimal, 0x hexadecimal or 0b binary; the whole of `t` must be one, of at most 64 bits. */
bool text_number(struct text t, uint64_t *ret_value);

/* A decimal number with an optional fraction and exponent, whatever the locale. */
bool text_real(struct text t, double *ret_value);

#endif
