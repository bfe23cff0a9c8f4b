/* SPDX-License-Identifier: MIT */
#include "src/base/text.h"
#include <sys/random.h>
#include <time.h>

struct text_key text_key_new(void)
{
  struct text_key key;
  /* Without random numbers (system calls are filtered), use data that another process does not know either. */
  if (getrandom(&key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key) {
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    key.start = text_fold((uint64_t)now.tv_nsec ^ (uint64_t)now.tv_sec << 32, TEXT_KEY_FIXED.factor);
    key.factor = text_fold(key.start ^ (uintptr_t)&key, TEXT_KEY_FIXED.factor);
  }
  key.factor |= 1;
  return key;
}

void text_copy(char *to, size_t size, const char *text)
{
  static const char dots[] = "...";
  size_t n = strlen(text);
  if (n < size) {
    memcpy(to, text, n + 1);
    return;
  }
  const size_t most = size - sizeof dots;
  for (n = most; n > most / 2 && text[n] != ' '; n--)
    ;
  if (text[n] != ' ') /* a long word: cut between characters */
    for (n = most; n && ((unsigned char)text[n] & 0xc0) == 0x80; n--)
      ;
  while (n && strchr(" ,;:", text[n - 1]))
    n--;
  memcpy(to, text, n);
  memcpy(to + n, dots, sizeof dots);
}

bool text_in_list(struct text t, const char *list)
{
  while (*list) { /* lists are short, and most names differ in the first letter */
    size_t i = 0;
    while (i < t.n && list[i] && list[i] != ',' && text_lower(t.s[i]) == text_lower(list[i]))
      i++;
    if (i == t.n && (!list[i] || list[i] == ','))
      return true;
    for (list += i; *list && *list != ','; list++)
      ;
    list += *list == ',';
  }
  return false;
}

static bool digit_of(char c, unsigned base, unsigned *ret_digit)
{
  c = text_lower(c);
  unsigned d = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
  *ret_digit = d;
  return d < base;
}

bool text_number(struct text t, uint64_t *ret_value)
{
  unsigned base = 10;
  if (t.n > 2 && t.s[0] == '0' && (text_lower(t.s[1]) == 'x' || text_lower(t.s[1]) == 'b')) {
    base = text_lower(t.s[1]) == 'x' ? 16 : 2;
    t.s += 2, t.n -= 2;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < t.n; i++) {
    unsigned d;
    if (!digit_of(t.s[i], base, &d) || value > (UINT64_MAX - d) / base)
      return false;
    value = value * base + d;
  }
  *ret_value = value;
  return t.n > 0;
}

bool text_is_wide_number(struct text t)
{
  uint64_t value;
  unsigned base = 10, d;
  if (text_number(t, &value))
    return false;
  if (t.n > 2 && t.s[0] == '0' && (text_lower(t.s[1]) == 'x' || text_lower(t.s[1]) == 'b')) {
    base = text_lower(t.s[1]) == 'x' ? 16 : 2;
    t.s += 2, t.n -= 2;
  }
  for (size_t i = 0; i < t.n; i++)
    if (!digit_of(t.s[i], base, &d))
      return false;
  return t.n > 0;
}

bool text_real(struct text t, double *ret_value)
{
  double value = 0, place = 1;
  size_t i = 0, digits = 0;
  for (; i < t.n && t.s[i] >= '0' && t.s[i] <= '9'; i++, digits++)
    value = value * 10 + (t.s[i] - '0');
  if (i < t.n && t.s[i] == '.')
    for (i++; i < t.n && t.s[i] >= '0' && t.s[i] <= '9'; i++, digits++, place *= 10)
      value = value * 10 + (t.s[i] - '0');
  if (!digits)
    return false;
  int exponent = 0;
  if (i < t.n && text_lower(t.s[i]) == 'e') {
    bool negative = i + 1 < t.n && t.s[i + 1] == '-';
    uint64_t e;
    i += 1 + (size_t)negative;
    if (!text_number((struct text){t.s + i, t.n - i}, &e) || e > 300)
      return false;
    exponent = negative ? -(int)e : (int)e;
    i = t.n;
  }
  for (; exponent > 0; exponent--)
    value *= 10;
  for (; exponent < 0; exponent++)
    place *= 10;
  *ret_value = value / place;
  return i == t.n;
}

bool text_take_cpu(struct text *t, uint32_t *ret_device)
{
  const char *colon = memchr(t->s, ':', t->n);
  uint64_t cpu;
  if (!colon || t->n < 4 || memcmp(t->s, "cpu", 3) ||
      !text_number((struct text){t->s + 3, (size_t)(colon - t->s) - 3}, &cpu) || cpu > UINT16_MAX)
    return false;
  *ret_device = (uint32_t)cpu + 1;
  t->n -= (size_t)(colon - t->s) + 1;
  t->s = colon + 1;
  return true;
}
