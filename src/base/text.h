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

/* Up to eight bytes as a word, in an order that no host changes. */
static inline uint64_t text_word(const char *s, size_t n)
{
  const uint8_t *b = (const uint8_t *)s;
  uint32_t low = 0, high = 0;
  if (n >= 4) {
    memcpy(&low, b, 4);
    memcpy(&high, b + n - 4, 4);       /* overlaps where n is below 8 */
  } else if (n) {
    low = b[0] | (uint32_t)b[n / 2] << 8 | (uint32_t)b[n - 1] << 16;
    return low;
  }
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  low = __builtin_bswap32(low), high = __builtin_bswap32(high);
#endif
  return low | (uint64_t)high << 32;
}

/* Whether two runs of n bytes are the same, case and all. */
static inline bool text_equal(const char *a, const char *b, size_t n)
{
  for (; n > 8; a += 8, b += 8, n -= 8)
    if (text_word(a, 8) != text_word(b, 8))
      return false;
  return text_word(a, n) == text_word(b, n);
}

/* A hash of the name in lower case, eight letters at a time. */
static inline uint32_t text_hash(const char *s, size_t n)
{
  const uint64_t lower = UINT64_C(0x2020202020202020);      /* what falls together beside letters is compared */
  uint64_t h = n * UINT64_C(0x9e3779b97f4a7c15);
  for (; n > 8; s += 8, n -= 8) {
    h = (h ^ (text_word(s, 8) | lower)) * UINT64_C(0x9fb21c651e98df25);
    h ^= h >> 32;
  }
  h = (h ^ (text_word(s, n) | lower)) * UINT64_C(0x9fb21c651e98df25);
  return (uint32_t)(h >> 32);
}

/* Whether `t` is one of the names in the comma-separated `list`. */
bool text_in_list(struct text t, const char *list);

/* A whole number, decimal, 0x hexadecimal or 0b binary; the whole of `t` must be one, of at most 64 bits. */
bool text_number(struct text t, uint64_t *ret_value);

/* A decimal number with an optional fraction and exponent, whatever the locale. */
bool text_real(struct text t, double *ret_value);

#endif
