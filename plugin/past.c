/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that store past the caches, and those that flush lines. */
#include "plugin/trace.h"

bool past_caches(const uint8_t *b, size_t n, bool is_64_bit)
{
  size_t i = 0;

  while (i < n && (b[i] == 0x66 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x67 || (b[i] & 0xe7) == 0x26 ||
                   b[i] == 0x64 || b[i] == 0x65))
    i++;
  if (i + 3 < n && b[i] == 0xc5)
    i += 2; /* two-byte VEX prefix: opcode map 0F */
  else if (i + 4 < n && b[i] == 0xc4 && (b[i + 1] & 0x1f) == 1)
    i += 3;
  else {
    if (i < n && (b[i] & 0xf0) == 0x40 && is_64_bit)
      i++;
    if (i + 2 >= n || b[i++] != 0x0f)
      return false;
  }
  return b[i] == 0x2b || b[i] == 0xe7 || (b[i] == 0xc3 && b[0] != 0xc5 && b[0] != 0xc4);
}

bool flushes_line(const uint8_t *b, size_t n, bool is_64_bit)
{
  bool is_66 = false, repeats = false;
  size_t i = 0;

  for (; i < n && (b[i] == 0x66 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x67 || (b[i] & 0xe7) == 0x26 ||
                   b[i] == 0x64 || b[i] == 0x65);
       i++) {
    is_66 |= b[i] == 0x66;
    repeats |= b[i] == 0xf2 || b[i] == 0xf3;
  }
  i += i < n && (b[i] & 0xf0) == 0x40 && is_64_bit;
  if (i + 2 >= n || b[i] != 0x0f || b[i + 2] >> 6 == 3 || repeats)
    return false;
  const unsigned number = b[i + 2] >> 3 & 7;
  return b[i + 1] == 0xae ? number == 7 || (number == 6 && is_66) : b[i + 1] == 0x1c && number == 0 && !is_66;
}
