/* SPDX-License-Identifier: MIT */
#include "src/access/ranges.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "src/access/register.h"
#include "src/platform/platform.h"

enum {
  /* The MSRs of the uncore of processors with a discovery page (817509 Table 1-2 and unit tables: 0x2000 to 0x3FFF),
   * and the number of MSRs of a unit. */
  MSR_FIRST = 0x2000,
  MSR_LAST = 0x3fff,
  MSR_BLOCK = 16,
  PCI_HEADER = 0x40,      /* configuration registers below this offset belong to the device, not to a unit */
  MEMORY_FIRST = 0x100000 /* units in memory are above the first megabyte */
};

/* Distance between consecutive registers of a unit, in numbers or bytes, by space: controls and counters; and the size
 * of a register. */
static const struct ranges_step {
  uint32_t ctl, ctr, bytes;
} ranges_steps[] = {[PMON_SPACE_MSR] = {1, 1, 1}, [PMON_SPACE_PCI] = {8, 8, 8}, [PMON_SPACE_MMIO] = {4, 8, 8}};

static bool ranges_has_cpu(const struct db_platform *p, const struct pmon_cpu *cpu)
{
  for (uint32_t i = p->cpus.first; i < p->cpus.first + p->cpus.n; i++) {
    const struct db_cpu *c = &db_builtin.cpus[i];
    if (!strcmp(db_text(&db_builtin, c->vendor), cpu->vendor) && c->family == cpu->signature[0] &&
        c->model == cpu->signature[1] && cpu->signature[2] >= c->stepping_lo && cpu->signature[2] <= c->stepping_hi)
      return true;
  }
  return false;
}

/* Reads the ranges of system memory. A kernel without this file, or one that shows zeros in it, does not let /dev/mem
 * reach system memory either. */
static void ranges_read_ram(struct ranges *r, const char *proc)
{
  char path[SYSTEM_PATH], line[160], name[80];
  snprintf(path, sizeof path, "%s/iomem", proc);
  FILE *f = fopen(path, "re");
  while (f && r->n_ram < RANGES_RAM && fgets(line, sizeof line, f))
    if (sscanf(line, " %" SCNx64 "-%" SCNx64 " : %79[^\n]", &r->ram[r->n_ram].first, &r->ram[r->n_ram].last, name) ==
            3 &&
        (!strncmp(name, "System RAM", 10) || !strncmp(name, "Kernel", 6)))
      r->n_ram++;
  if (f)
    fclose(f);
}

void ranges_init(struct ranges *r, const struct system *s)
{
  struct pmon_cpu cpu;
  *r = (struct ranges){.processor = "this processor"};
  ranges_read_ram(r, s->proc);
  const bool known = system_cpu(s, &cpu);
  if (known)
    snprintf(r->processor, sizeof r->processor, "%.12s %" PRIu32 "-%" PRIu32 "-%" PRIu32, cpu.vendor, cpu.signature[0],
             cpu.signature[1], cpu.signature[2]);
  for (uint32_t i = 0; i < db_builtin.n_platforms && i < 64; i++)
    if (known ? ranges_has_cpu(&db_builtin.platforms[i], &cpu) : !s->host)
      r->platforms |= UINT64_C(1) << i;
}

void ranges_fini(struct ranges *r)
{
  pmon_discovery_free(r->page);
  r->page = NULL;
}

/* Finds the bits that may be written according to the tables. PMON_OK; PMON_E_PERMISSION: the register is read-only;
 * PMON_E_UNKNOWN: no table has it. */
static int ranges_find_in_tables(const struct ranges *r, const struct pmon_address *a, uint64_t *ret_mask)
{
  int found = PMON_E_UNKNOWN;
  *ret_mask = 0;
  for (uint32_t i = 0; i < db_builtin.n_platforms && i < 64; i++) {
    const struct pmon_platform platform = {.db = &db_builtin, .row = &db_builtin.platforms[i]};
    uint64_t mask;
    unsigned width;
    const int status = r->platforms >> i & 1 ? access_writable_at(&platform, a, &mask, &width) : PMON_E_UNKNOWN;
    if (status == PMON_E_UNKNOWN || a->width_bits > width)
      continue;
    *ret_mask |= mask;
    found = found == PMON_OK ? PMON_OK : status;
  }
  return found;
}

/* True if an access of `bytes` at `offset` in a unit is within a run of registers. */
static bool ranges_is_in_run(uint64_t offset, uint32_t bytes, uint32_t first, uint32_t step, uint32_t n)
{
  return offset >= first && offset + bytes <= (uint64_t)first + (uint64_t)step * n;
}

/* True if the access is to a register that the page lists for the unit. */
static bool ranges_is_of_unit(const struct pmon_discovered_unit *u, uint64_t offset, uint32_t bytes)
{
  const struct ranges_step *step = &ranges_steps[u->space];
  if (u->space == PMON_SPACE_MSR)
    return offset < MSR_BLOCK;
  return ranges_is_in_run(offset, bytes, 0, step->bytes, 1) ||
         (u->status_offset && ranges_is_in_run(offset, bytes, u->status_offset, step->bytes, 1)) ||
         ranges_is_in_run(offset, bytes, u->ctl_offset, step->ctl, u->counters) ||
         ranges_is_in_run(offset, bytes, u->ctr_offset, step->ctr, u->counters);
}

/* True if the address is system memory. */
static bool ranges_is_ram(const struct ranges *r, uint64_t address)
{
  for (uint32_t i = 0; i < r->n_ram; i++)
    if (address >= r->ram[i].first && address <= r->ram[i].last)
      return true;
  return false;
}

/* Converts the address to the form that it has on the page: a number within a unit's space. False: the page has no such
 * addresses. */
static bool ranges_find_position(const struct ranges *r, const struct pmon_address *a, uint64_t *ret_position)
{
  *ret_position = a->offset;
  if (a->space == PMON_SPACE_MSR)
    return !a->device && a->offset >= MSR_FIRST && a->offset <= MSR_LAST;
  if (a->space == PMON_SPACE_MMIO)
    return a->device == PMON_BAR_PHYSICAL && a->offset >= MEMORY_FIRST && a->offset < UINT64_C(1) << 52 &&
           !ranges_is_ram(r, a->offset);
  *ret_position = (uint64_t)(a->device & 0xffff) << 12 | a->offset;
  return a->space == PMON_SPACE_PCI && a->device >> 8 >= PMON_BUS_OF_SYSTEM && a->offset >= PCI_HEADER &&
         a->offset < 4096;
}

static bool ranges_find_in_page(struct ranges *r, struct pmon_backend *b, const struct pmon_address *a)
{
  const struct pmon_discovered_unit *u;
  uint64_t position;
  if (!ranges_find_position(r, a, &position))
    return false;
  if (!r->page_read && pmon_discovery_read(b, 0, NULL, NULL, &r->page))
    r->page = NULL;
  r->page_read = true;
  const uint64_t mask = a->space == PMON_SPACE_PCI ? 0xfffffff : UINT64_MAX; /* without the segment */
  for (uint32_t i = 0; r->page && (u = pmon_discovery_unit(r->page, i)); i++)
    if (u->space == a->space && position >= (u->address & mask) &&
        ranges_is_of_unit(u, position - (u->address & mask), a->space == PMON_SPACE_MSR ? 1 : a->width_bits / 8))
      return true;
  return false;
}

int ranges_check_read(struct ranges *r, struct pmon_backend *b, const struct pmon_address *a)
{
  char where[64];
  uint64_t mask;
  if (ranges_find_in_tables(r, a, &mask) != PMON_E_UNKNOWN || ranges_find_in_page(r, b, a))
    return PMON_OK;
  pmon_address_format(a, where, sizeof where);
  snprintf(r->text, sizeof r->text,
           "an access to %s was refused: %s has no monitoring register there, by pmon's tables and by its discovery "
           "page",
           where, r->processor);
  return PMON_E_PERMISSION;
}

int ranges_check(struct ranges *r, struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  char where[64];
  uint64_t mask;
  const int found = ranges_find_in_tables(r, a, &mask);
  if (found == PMON_E_UNKNOWN)
    return ranges_check_read(r, b, a);
  if (found == PMON_OK && !(value & ~mask))
    return PMON_OK;
  pmon_address_format(a, where, sizeof where);
  if (found == PMON_OK)
    snprintf(r->text, sizeof r->text,
             "a write of 0x%" PRIx64 " to %s was refused: the bits 0x%" PRIx64 " are not writable on %s", value, where,
             value & ~mask, r->processor);
  else
    snprintf(r->text, sizeof r->text, "a write of 0x%" PRIx64 " to %s was refused: the register is read-only on %s",
             value, where, r->processor);
  return PMON_E_PERMISSION;
}
