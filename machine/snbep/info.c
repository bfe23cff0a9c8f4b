/* SPDX-License-Identifier: MIT */
/*
 * Registers that a driver reads before it finds a box: headers of the uncore's devices, the UBox's map of sockets, the
 * links' rate (1.5, Tables 1-3 and 2-93; device numbers from Linux and LIKWID).
 */
#include <string.h>
#include <pmon/access.h>
#include "machine/pmon/state.h"
#include "machine/snbep/units.h"

enum { INTEL = 0x8086, CLASS_COUNTER = 0x1101, CONFIG_SIZE = 0x400 };

/* `unit` and `instance`: the device is present if that block is. */
struct device {
  uint8_t dev, fn;
  uint16_t id;
  const char *unit;
  uint8_t instance;
};

static const struct device devices[] = {
    {8, 0, 0x3c80, "qpi", 0},     {8, 2, 0x3c41, "qpi", 0},    {8, 6, 0x3c86, "qpi", 0},    {9, 0, 0x3c90, "qpi", 1},
    {9, 2, 0x3c42, "qpi", 1},     {9, 6, 0x3c96, "qpi", 1},    {11, 0, 0x3ce0, "ubox", 0},  {14, 1, 0x3c46, "ha", 0},
    {16, 0, 0x3cb0, "imc", 0},    {16, 1, 0x3cb1, "imc", 1},   {16, 4, 0x3cb4, "imc", 2},   {16, 5, 0x3cb5, "imc", 3},
    {19, 1, 0x3c43, "r2pcie", 0}, {19, 5, 0x3c44, "r3qpi", 0}, {19, 6, 0x3c45, "r3qpi", 1},
};

static bool device_is_present(const struct machine *m, const char *unit, unsigned instance)
{
  const struct socket *s = &m->sockets[0];
  for (unsigned i = 0; i < s->n_blocks; i++)
    if (s->blocks[i].instance == instance && !strcmp(s->blocks[i].unit->name, unit))
      return true;
  return false;
}

/* Table 2-93: the rate in steps of 0.8 GT/s, 8 GT/s being 5. */
static uint32_t link_rate(const struct machine *m)
{
  for (unsigned i = 0; i < m->sockets[0].n_blocks; i++) {
    const struct block *b = &m->sockets[0].blocks[i];
    if (!strcmp(b->unit->name, "qpi")) /* an eighth of the rate: 0.1 GHz are 0.8 GT/s */
      return (uint32_t)(clock_cycle(&(struct clock){.factor = b->clock.factor}, 100000000000) / 10000 - 5) & 7;
  }
  return 0;
}

static uint32_t config_dword(const struct machine *m, const struct device *d, const struct pmon_address *a)
{
  switch (a->offset) {
  case 0x00: return INTEL | (uint32_t)d->id << 16;
  case 0x08: return (uint32_t)CLASS_COUNTER << 16;
  case 0x0c: return 0x80u << 16;                      /* a device with several functions */
  case 0x40: return d->id == 0x3ce0 ? a->package : 0; /* CPUNODEID: node n is socket n */
  case 0x54: return d->id == 0x3ce0 ? 0x00fac688 : 0; /* GIDNIDMAP: 7 to 0, three bits each */
  case 0xd4: return d->id == 0x3c80 || d->id == 0x3c90 ? link_rate(m) : 0;
  default: return 0;
  }
}

bool snbep_info(const struct machine *m, const struct pmon_address *a, uint64_t *ret_value)
{
  for (size_t i = 0; a->space == PMON_SPACE_PCI && i < sizeof devices / sizeof *devices; i++) {
    const struct device *d = &devices[i];
    if (a->device != SNBEP_DEVICE((uint32_t)d->dev, (uint32_t)d->fn) || a->offset >= CONFIG_SIZE ||
        !device_is_present(m, d->unit, d->instance))
      continue;
    *ret_value = config_dword(m, d, a);
    return true;
  }
  return false;
}
