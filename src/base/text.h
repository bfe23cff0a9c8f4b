/* SPDX-License-Identifier: MIT */
/* Pieces of text, without ownership. Comparisons of names ignore case. */
#ifndef PMON_BASE_TEXT_H
#define PMON_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
  const char *s;
  size_t n;
};

static inline struct text text_of(const char *s)
{
  struct text t = {s, strlen(s)};
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

/* Compares two names as strcasecmp() does in the C locale. */
static inline int text_order(const char *a, const char *b)
{
  while (*a && text_lower(*a) == text_lower(*b))
    a++, b++;
  return (unsigned char)text_lower(*a) - (unsigned char)text_lower(*b);
}

/* True if `t` is the name `name`, ignoring case. */
static inline bool text_is(struct text t, const char *name)
{
  size_t i = 0;
  while (i < t.n && name[i] && text_same(&t.s[i], &name[i], 1))
    i++;
  return i == t.n && !name[i];
}

/* True if `t` is `name` or its end after an underscore: MATCH0 means Q_Py_PCI_PMON_PKT_MATCH0. */
static inline bool text_is_end(struct text t, const char *name)
{
  size_t n = strlen(name);
  return t.n && t.n <= n && text_same(t.s, name + n - t.n, t.n) && (t.n == n || name[n - t.n - 1] == '_');
}

/* Returns eight bytes as a little-endian number, on every host. */
static inline uint64_t text_word(const char *s)
{
  uint64_t word;
  memcpy(&word, s, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/* Returns n bytes, fewer than eight, as a number that is unique among texts of the same length: some bytes may occur in
 * it twice. */
static inline uint64_t text_part(const char *s, size_t n)
{
  const uint8_t *b = (const uint8_t *)s;
  uint32_t first, last;
  if (n < 4)
    return n ? b[0] | (uint32_t)b[n / 2] << 8 | (uint32_t)b[n - 1] << 16 : 0;
  memcpy(&first, s, sizeof first);
  memcpy(&last, s + n - sizeof last, sizeof last);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  first = __builtin_bswap32(first), last = __builtin_bswap32(last);
#endif
  return first | (uint64_t)last << 32;
}

/* True if two runs of n bytes are equal, including case. Compares eight bytes at a time; the last eight may overlap the
 * previous ones. */
static inline bool text_equal(const char *a, const char *b, size_t n)
{
  if (n < 8)
    return text_part(a, n) == text_part(b, n);
  for (size_t i = 0; i + 8 < n; i += 8)
    if (text_word(a + i) != text_word(b + i))
      return false;
  return text_word(a + n - 8) == text_word(b + n - 8);
}

/* The key of a hash. Without the key, an attacker cannot choose names with the same hash, which would make each look-up
 * linear in their number. */
struct text_key {
  uint64_t start, factor; /* the factor is odd */
};

/* A fixed key for compiled-in tables, and a new key for each table of names that come from files: the hash determines
 * the time of a look-up, never its result. */
#define TEXT_KEY_FIXED ((struct text_key){UINT64_C(0x243f6a8885a308d3), UINT64_C(0x9fb21c651e98df25)})
struct text_key text_key_new(void);

/* Returns both halves of the product of two numbers, combined by xor. */
static inline uint64_t text_fold(uint64_t a, uint64_t b)
{
  const unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Returns eight bytes with the letters A to Z in lower case. */
static inline uint64_t text_word_lower(uint64_t word)
{
  const uint64_t ones = UINT64_C(0x0101010101010101), low = word & 0x7f * ones;
  const uint64_t upper = (low + (0x80 - 'A') * ones) & ~(low + (0x7f - 'Z') * ones) & ~word & 0x80 * ones;
  return word | upper >> 2;
}

/* text_same() for longer names: compares eight bytes at a time; the last eight may overlap the previous ones. */
static inline bool text_same_words(const char *a, const char *b, size_t n)
{
  if (n < 8)
    return text_word_lower(text_part(a, n)) == text_word_lower(text_part(b, n));
  for (size_t i = 0; i + 8 < n; i += 8)
    if (text_word_lower(text_word(a + i)) != text_word_lower(text_word(b + i)))
      return false;
  return text_word_lower(text_word(a + n - 8)) == text_word_lower(text_word(b + n - 8));
}

/* Returns a hash of n bytes, including case. */
static inline uint32_t text_hash_exact(struct text_key key, const char *s, size_t n)
{
  uint64_t h = key.start ^ n;
  for (size_t i = 0; i + 8 < n; i += 8)
    h = text_fold(h ^ text_word(s + i), key.factor);
  h = text_fold(h ^ (n < 8 ? text_part(s, n) : text_word(s + n - 8)), key.factor);
  return (uint32_t)(h ^ h >> 32);
}

/* Returns eight bytes with the letters A to Z in lower case; this also maps [ \ ] ^ _ @ to { | } ~ DEL `, which names
 * in files do not contain. For hashes: half the cost of text_word_lower(). */
static inline uint64_t text_word_caseless(uint64_t word)
{
  return word | (word & ~(word >> 1) & UINT64_C(0x4040404040404040)) >> 1;
}

/* Returns a hash of the name that ignores case. */
static inline uint32_t text_hash(struct text_key key, const char *s, size_t n)
{
  uint64_t h = key.start ^ n;
  for (size_t i = 0; i + 8 < n; i += 8)
    h = text_fold(h ^ text_word_caseless(text_word(s + i)), key.factor);
  h = text_fold(h ^ text_word_caseless(n < 8 ? text_part(s, n) : text_word(s + n - 8)), key.factor);
  return (uint32_t)(h ^ h >> 32);
}

/* Copies a text into `size` bytes, at least 8. A longer one is cut after a word, and ends in "...". */
void text_copy(char *to, size_t size, const char *text);

/* True if `t` is one of the names in the comma-separated `list`. */
bool text_in_list(struct text t, const char *list);

/* Parses a whole number, decimal, 0x hexadecimal or 0b binary; all of `t` must be a number of at most 64 bits. */
bool text_number(struct text t, uint64_t *ret_value);

/* True if `t` is a whole number in a form of text_number(), but of more than 64 bits. */
bool text_is_wide_number(struct text t);

/* Removes `cpuN:` from the beginning: an MSR of hardware thread N of a package, for which struct pmon_address.device is
 * N + 1 (N below 65536). False: there is no such beginning, and `t` is unchanged. */
bool text_take_cpu(struct text *t, uint32_t *ret_device);

/* Parses a decimal number with an optional fraction and exponent, independent of the locale. */
bool text_real(struct text t, double *ret_value);

#endif
