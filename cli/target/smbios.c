/* SPDX-License-Identifier: MIT */
/* Reads the memory's limits from the firmware's tables (SMBIOS specification, DMTF DSP0134: 6.1.2, 7.17, 7.18). */
#include <string.h>
#include <pmon/session.h>
#include "cli/target/limits.h"

enum { TYPE_ARRAY = 16, TYPE_DEVICE = 17, TYPE_END = 127, HEAD = 4, ARRAYS = 64 };
enum { ARRAY_USE = 0x5, USE_SYSTEM = 3, ARRAY_LENGTH = 0xf };
enum {
  DEVICE_ARRAY = 0x4,
  DEVICE_SIZE = 0xc, /* 0: no module */
  DEVICE_SPEED = 0x15,
  DEVICE_CONFIGURED = 0x20,
  DEVICE_LONG_CONFIGURED = 0x58, /* used if DEVICE_CONFIGURED is all ones */
  WORD_UNKNOWN = 0xffff
};

/* A structure: its formatted part of `length` bytes. */
struct structure {
  const uint8_t *at;
  size_t length;
};

static uint32_t get(const struct structure *s, size_t at, size_t bytes)
{
  uint32_t n = 0;
  for (size_t i = bytes; i-- && at + bytes <= s->length;)
    n = n << 8 | s->at[at + i];
  return n;
}

/* Takes the structure at *at, and moves *at after it; false: there is none, or it is the end. */
static bool next_structure(const uint8_t *table, size_t size, size_t *at, struct structure *ret)
{
  if (size < HEAD || *at > size - HEAD || table[*at] == TYPE_END || table[*at + 1] < HEAD ||
      table[*at + 1] > size - *at)
    return false;
  *ret = (struct structure){table + *at, table[*at + 1]};
  *at += ret->length;
  /* The structure's texts follow; the last of them is empty. */
  while (*at + 1 < size && (table[*at] || table[*at + 1]))
    ++*at;
  *at += 2;
  return true;
}

/* Finds the arrays of system memory, in the order of the table. */
static uint32_t find_arrays(const uint8_t *table, size_t size, uint32_t arrays[ARRAYS])
{
  struct structure s;
  uint32_t n = 0;
  for (size_t at = 0; n < ARRAYS && next_structure(table, size, &at, &s);)
    if (*s.at == TYPE_ARRAY && s.length >= ARRAY_LENGTH && s.at[ARRAY_USE] == USE_SYSTEM)
      arrays[n++] = get(&s, 2, 2);
  return n;
}

/* Returns the transfers per second of a module: as configured, or else its maximum. */
static double transfers(const struct structure *s)
{
  uint32_t mega = get(s, DEVICE_CONFIGURED, 2);
  if (mega == WORD_UNKNOWN)
    mega = get(s, DEVICE_LONG_CONFIGURED, 4);
  if (!mega)
    mega = get(s, DEVICE_SPEED, 2);
  return mega == WORD_UNKNOWN ? 0 : 1e6 * mega;
}

void limits_read_smbios(const uint8_t *table, size_t size, uint32_t packages, struct limit_list *list)
{
  uint32_t arrays[ARRAYS], modules[ARRAYS] = {0}, all = 0;
  const uint32_t n = find_arrays(table, size, arrays);
  /* If there is one array for each package, each is a package's; else only the memory of all packages together is
   * known. */
  const bool each = n == packages && packages > 0;
  double fastest = 0;
  struct structure s;
  for (size_t at = 0; next_structure(table, size, &at, &s);) {
    uint32_t i = 0;
    while (i < n && arrays[i] != get(&s, DEVICE_ARRAY, 2))
      i++;
    if (*s.at != TYPE_DEVICE || i == n || !get(&s, DEVICE_SIZE, 2))
      continue;
    modules[i]++;
    all++;
    fastest = transfers(&s) > fastest ? transfers(&s) : fastest;
  }
  limits_add(list, limits_name("ddr"), PMON_ALL, fastest);
  /* A channel has at least one module: the number of modules is an upper bound of the channels. */
  for (uint32_t i = 0; each && i < n; i++)
    limits_add(list, limits_name("channels"), i, modules[i]);
  if (!each)
    limits_add(list, limits_name("channels"), PMON_ALL, all);
}
