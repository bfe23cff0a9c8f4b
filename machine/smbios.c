/* SPDX-License-Identifier: MIT */
#include "machine/smbios.h"

#include <stdio.h>
#include <string.h>
#include "machine/config.h"

enum { TYPE_ARRAY = 16, TYPE_DEVICE = 17, TYPE_END = 127, ARRAY_LENGTH = 0x17, DEVICE_LENGTH = 0x28 };
enum { FIRST_ARRAY = 0x1000, FIRST_DEVICE = 0x1100, NO_ERRORS = 0xfffe };
enum { MODULE_MB = 16384, WIDTH = 64, DIMM = 9, DDR3 = 0x18, DDR4 = 0x1a, DDR5 = 0x22, SYNCHRONOUS = 1 << 7 };

struct table {
  uint8_t *bytes;
  size_t n;
};

static void smbios_put(struct table *t, uint32_t value, unsigned bytes)
{
  for (; bytes; bytes--, value >>= 8)
    t->bytes[t->n++] = (uint8_t)value;
}

static void put_text(struct table *t, const char *text)
{
  const size_t n = strlen(text) + 1;
  memcpy(t->bytes + t->n, text, n);
  t->n += n;
}

static void put_array(struct table *t, unsigned socket, unsigned modules)
{
  smbios_put(t, TYPE_ARRAY, 1);
  smbios_put(t, ARRAY_LENGTH, 1);
  smbios_put(t, FIRST_ARRAY + socket, 2);
  smbios_put(t, 3, 1); /* on the board */
  smbios_put(t, 3, 1); /* system memory */
  smbios_put(t, 6, 1); /* ECC of several bits */
  smbios_put(t, modules * MODULE_MB * 1024, 4);
  smbios_put(t, NO_ERRORS, 2);
  smbios_put(t, modules, 2);
  smbios_put(t, 0, 8);
  smbios_put(t, 0, 2); /* no texts */
}

/* `mega`: millions of transfers a second. */
static void put_module(struct table *t, unsigned socket, unsigned channel, unsigned mega)
{
  char locator[32];
  smbios_put(t, TYPE_DEVICE, 1);
  smbios_put(t, DEVICE_LENGTH, 1);
  smbios_put(t, FIRST_DEVICE + 64 * socket + channel, 2);
  smbios_put(t, FIRST_ARRAY + socket, 2);
  smbios_put(t, NO_ERRORS, 2);
  smbios_put(t, WIDTH + WIDTH / 8, 2);
  smbios_put(t, WIDTH, 2);
  smbios_put(t, MODULE_MB, 2);
  smbios_put(t, DIMM, 1);
  smbios_put(t, 0, 1);
  smbios_put(t, 1, 1); /* its locator is the first text */
  smbios_put(t, 0, 1);
  smbios_put(t, mega < 2400 ? DDR3 : mega < 3600 ? DDR4 : DDR5, 1);
  smbios_put(t, SYNCHRONOUS, 2);
  smbios_put(t, mega, 2);
  smbios_put(t, 0, 4); /* no maker, serial number, asset or part */
  smbios_put(t, 1, 1); /* of one rank */
  smbios_put(t, 0, 4);
  smbios_put(t, mega, 2);
  smbios_put(t, 0, 6);
  snprintf(locator, sizeof locator, "CPU%u_DIMM_%c1", socket, 'A' + channel);
  put_text(t, locator);
  smbios_put(t, 0, 1);
}

size_t machine_smbios(const struct machine_config *config, uint8_t table[MACHINE_SMBIOS_MOST])
{
  struct table t = {table, 0};
  const unsigned sockets = (unsigned)config->value[CONFIG_SOCKETS],
                 channels = (unsigned)(config->value[CONFIG_IMCS] * config->value[CONFIG_CHANNELS]),
                 mega = (unsigned)(2 * config->value[CONFIG_DRAM_GHZ]);
  for (unsigned s = 0; s < sockets; s++) {
    put_array(&t, s, channels);
    for (unsigned c = 0; c < channels; c++)
      put_module(&t, s, c, mega);
  }
  smbios_put(&t, TYPE_END, 1);
  smbios_put(&t, 4, 1);
  smbios_put(&t, FIRST_ARRAY - 1, 2);
  smbios_put(&t, 0, 2);
  return t.n;
}

size_t machine_smbios_structure(const uint8_t *table, size_t size, size_t at)
{
  if (at + 4 > size || table[at] == TYPE_END)
    return 0;
  size_t end = at + table[at + 1];
  while (end + 1 < size && (table[end] || table[end + 1]))
    end++;
  return end + 2 - at;
}
