/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <pmon/access.h>
#include "machine/emr/info.h"
#include "machine/emr/units.h"

enum { INTEL = 0x8086, CLASS_SYSTEM_OTHER = 0x0880, CLASS_COUNTER = 0x1101, CONFIG_SIZE = 0x1000 };

/* One device of the uncore; `unit` and `instance`: the device is present if that block is. */
struct device {
  uint8_t bus, dev, fn;
  uint16_t id, class_code;
  const char *unit;
  uint8_t instance;
};

static const struct device devices[] = {
    {30, 0, 0, 0x3250, CLASS_SYSTEM_OTHER, "ubox", 0},
    {30, 0, 1, 0x3251, CLASS_SYSTEM_OTHER, "ubox", 0},
    {30, 0, 2, 0x3252, CLASS_SYSTEM_OTHER, "ubox", 0},
    {30, 1, 1, 0x3241, CLASS_SYSTEM_OTHER, "upi", 0},
    {30, 2, 1, 0x3241, CLASS_SYSTEM_OTHER, "upi", 1},
    {30, 3, 1, 0x3241, CLASS_SYSTEM_OTHER, "upi", 2},
    {30, 4, 1, 0x3241, CLASS_SYSTEM_OTHER, "upi", 3},
    {30, 1, 2, 0x3242, CLASS_SYSTEM_OTHER, "upi", 0},
    {30, 2, 2, 0x3242, CLASS_SYSTEM_OTHER, "upi", 1},
    {30, 3, 2, 0x3242, CLASS_SYSTEM_OTHER, "upi", 2},
    {30, 4, 2, 0x3242, CLASS_SYSTEM_OTHER, "upi", 3},
    {30, 5, 1, 0x3246, CLASS_SYSTEM_OTHER, "m3upi", 0},
    {30, 6, 1, 0x3246, CLASS_SYSTEM_OTHER, "m3upi", 1},
    {30, 7, 1, 0x3246, CLASS_SYSTEM_OTHER, "m3upi", 2},
    {30, 8, 1, 0x3246, CLASS_SYSTEM_OTHER, "m3upi", 3},
    {30, 12, 0, 0x324a, CLASS_COUNTER, "m2m", 0},
    {30, 13, 0, 0x324a, CLASS_COUNTER, "m2m", 1},
    {30, 14, 0, 0x324a, CLASS_COUNTER, "m2m", 2},
    {30, 15, 0, 0x324a, CLASS_COUNTER, "m2m", 3},
    {31, 30, 3, 0x325b, CLASS_SYSTEM_OTHER, "pcu", 0},
    {EMR_BUS_STACK, 3, 0, 0x09a6, CLASS_SYSTEM_OTHER, "ubox", 0},
    {EMR_BUS_STACK, 3, 1, 0x09a7, CLASS_SYSTEM_OTHER, "ubox", 0},
};

static unsigned unit_instances(const struct machine *m, const char *unit)
{
  unsigned n = 0;
  for (unsigned i = 0; i < m->sockets[0].n_blocks; i++)
    n += !strcmp(m->sockets[0].blocks[i].unit->name, unit);
  return n;
}

unsigned emr_bus_number(const struct machine *m, unsigned socket, unsigned bus)
{
  unsigned last = 0xff - 0x80 * (m->n_sockets - 1 - socket); /* 7e and 7f, fe and ff */
  return bus == 31 ? last : bus == 30 ? last - 1 : last - 0x18;
}

/* MEMn BARs lie within 8 MB that the socket's base names by bits 51:23 (1.10.3); the others are free choices. */
static uint64_t mmio_base(unsigned socket)
{
  return (uint64_t)(0x1d0 + 0x10 * socket) << 23;
}

uint64_t emr_bar(unsigned socket, unsigned index)
{
  if (index < 4)
    return mmio_base(socket) + ((uint64_t)index << 20);
  return mmio_base(socket) + (index == EMR_BAR_DISCOVERY ? 0x1000000 : 0x2000000);
}

static uint32_t enabled_mask(unsigned n)
{
  return n >= 32 ? UINT32_MAX : (1u << n) - 1;
}

/* Device 3250: this node's number, and the node number of each package (1.10.2); here the two numbers are equal. */
static uint32_t ubox_map(unsigned socket, uint32_t offset)
{
  return offset == 0xc0 ? socket : offset == 0xd4 ? 0x00fac688 : 0;
}

/* A controller that is absent has no BAR. */
static uint32_t memory_bars(const struct machine *m, unsigned socket, uint32_t offset)
{
  if (offset == 0xd0)
    return (uint32_t)(mmio_base(socket) >> 23);
  if (offset >= 0xd8 && offset <= 0xe4) { /* 10:0 first, 23:13 last 4 KB of the BAR */
    const uint32_t controller = (offset - 0xd8) / 4;
    if (controller >= unit_instances(m, "m2m"))
      return 0;
    uint32_t first = controller << 8;
    return first | (first + 0xff) << 13;
  }
  return 0;
}

/* 1.7.1, 1.7.2: the guide reads the number of links from offset 0x94, where others see CAPID4 with its chop field. */
static uint32_t capid_dword(const struct machine *m, uint32_t offset)
{
  const uint32_t links = enabled_mask(unit_instances(m, "upi")) << 23;
  const unsigned chas = unit_instances(m, "cha");
  switch (offset) {
  case 0x8c: return links;
  case 0x94: return links | 3u << 6; /* XCC */
  case 0x98: return unit_instances(m, "imc") << 21;
  case 0x9c: return enabled_mask(chas);
  case 0xa0: return chas > 32 ? enabled_mask(chas - 32) : 0;
  default: return 0;
  }
}

/* Device 09A7: BAR 0, and the extended capability that marks it as the discovery table's (1.9, 1.10.1). */
static uint32_t discovery_device(unsigned socket, uint32_t offset)
{
  switch (offset) {
  case 0x10: return (uint32_t)emr_bar(socket, EMR_BAR_DISCOVERY);
  case 0x100: return 0x23 | 1u << 16;
  case 0x104: return INTEL | 1u << 16 | 0x10u << 20;
  case 0x108: return 1 | 1u << 16 | 3u << 24;
  default: return 0; /* 0x10c: BAR 0, table at its beginning */
  }
}

/* Table 2-212: the code of the links' rate, or of the next higher rate. The clock is an eighth of the rate. */
static uint32_t link_rate(const struct machine *m)
{
  static const uint16_t tenths[] = {128, 144, 160, 200}; /* GT/s, of the codes from 1 on */
  uint64_t rate = 0;
  uint32_t code = 0;
  for (unsigned i = 0; !rate && i < m->sockets[0].n_blocks; i++) {
    const struct block *b = &m->sockets[0].blocks[i];
    if (!strcmp(b->unit->name, "upi"))
      rate = (clock_cycle(&(struct clock){.factor = b->clock.factor}, 1000000000000) * 8 + 50000) / 100000;
  }
  /* A rate between two codes reads as the faster one. */
  while (code + 1 < sizeof tenths / sizeof *tenths && rate > tenths[code])
    code++;
  return code + 1;
}

static uint32_t link_registers(const struct machine *m, const struct device *d, const struct pmon_address *a)
{
  if (d->fn == 2)
    return a->offset == 0x2e0 ? link_rate(m) : 0;
  if (a->offset == 0x94)
    return (a->package ^ (m->n_sockets > 1)) << 16 | (uint32_t)d->instance << 8; /* peer's node and port */
  return a->offset == 0x120 && m->n_sockets > 1 ? 1u << 4 : 0;                   /* link trained */
}

/* Device 09A6: the package's bus numbers, and which of them are valid. */
static uint32_t bus_numbers(const struct machine *m, unsigned socket, uint32_t offset)
{
  enum { LOW = 0x190, VALID = 0x1a0 };
  uint32_t word = 0;
  for (uint32_t i = 0; i < MACHINE_BUSES && socket < m->n_sockets; i++) {
    const unsigned stack = m->platform->stack_of_bus[i];
    const uint32_t bus = stack < MACHINE_STACKS ? m->root_bus[socket][stack] : 0;
    if (offset == VALID)
      word |= (uint32_t)(bus != 0) << i;
    else if (offset == LOW + (i & ~3u))
      word |= bus << 8 * (i % 4);
  }
  return word;
}

static uint32_t config_dword(const struct machine *m, const struct device *d, const struct pmon_address *a)
{
  const uint32_t offset = (uint32_t)a->offset;
  switch (offset) {
  case 0x00: return INTEL | (uint32_t)d->id << 16;
  case 0x08: return (uint32_t)d->class_code << 16;
  case 0x0c: return 0x80u << 16; /* a device with several functions */
  default: break;
  }
  switch (d->id) {
  case 0x3250: return ubox_map(a->package, offset);
  case 0x3251: return memory_bars(m, a->package, offset);
  case 0x3241:
  case 0x3242: return link_registers(m, d, a);
  case 0x325b: return capid_dword(m, offset);
  case 0x09a6: return bus_numbers(m, a->package, offset);
  case 0x09a7: return discovery_device(a->package, offset);
  default: return 0;
  }
}

static bool config_space(const struct machine *m, const struct pmon_address *a, uint64_t *ret_value)
{
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    const struct device *d = &devices[i];
    if (a->device != ((uint32_t)d->bus << 8 | (uint32_t)d->dev << 3 | d->fn) || a->offset >= CONFIG_SIZE)
      continue;
    if (d->instance >= unit_instances(m, d->unit))
      return false;
    *ret_value = config_dword(m, d, a);
    return true;
  }
  return false;
}

/* MSRs that belong to no unit: the number of CHAs, which reads 0 on this processor. */
static bool info_msr(uint64_t number, uint64_t *ret_value)
{
  *ret_value = 0;
  return number == 0x2ffe;
}

bool emr_info(const struct machine *m, const struct pmon_address *a, uint64_t *ret_value)
{
  if (a->space == PMON_SPACE_PCI)
    return config_space(m, a, ret_value);
  if (a->space == PMON_SPACE_MSR)
    return info_msr(a->offset, ret_value);
  if (a->device == EMR_BAR_DISCOVERY && a->offset / 8 < m->page.n) {
    *ret_value = (uint32_t)(m->page.words[a->package * m->page.n + a->offset / 8] >> (a->offset & 4) * 8);
    return true;
  }
  return false;
}
