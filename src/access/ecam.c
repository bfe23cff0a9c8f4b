/* SPDX-License-Identifier: MIT */
#include "src/access/ecam.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The table: a header of 36 bytes, which begins with the table's signature and length; 8 reserved bytes; then 16 bytes
 * for each range. */
enum { LENGTH_AT = 4, RANGES_AT = 44, RANGE_BYTES = 16, TABLE_MOST = RANGES_AT + ECAM_RANGES * RANGE_BYTES };

static uint64_t ecam_parse_number(const uint8_t *at, unsigned bytes)
{
  uint64_t value = 0;
  while (bytes--)
    value = value << 8 | at[bytes];
  return value;
}

uint32_t ecam_parse(const uint8_t *table, size_t n, struct ecam_range ranges[ECAM_RANGES])
{
  uint32_t found = 0;
  if (n < RANGES_AT || memcmp(table, "MCFG", 4))
    return 0;
  if (ecam_parse_number(table + LENGTH_AT, 4) < n)
    n = ecam_parse_number(table + LENGTH_AT, 4);
  for (size_t at = RANGES_AT; at + RANGE_BYTES <= n && found < ECAM_RANGES; at += RANGE_BYTES) {
    const struct ecam_range r = {ecam_parse_number(table + at, 8), (uint32_t)ecam_parse_number(table + at + 8, 2),
                                 table[at + 10], table[at + 11]};
    if (r.base && r.base % ECAM_PAGE == 0 && r.base < UINT64_C(1) << 52 && r.first_bus <= r.last_bus)
      ranges[found++] = r;
  }
  return found;
}

void ecam_open(struct ecam *e, const struct system *s)
{
  struct system_file table = {.root = s->sys, .name = "firmware/acpi/tables/MCFG", .needs = "", .flags = O_RDONLY};
  struct system_file mem = {.root = s->dev, .name = "mem", .needs = "", .flags = O_RDWR | O_SYNC};
  uint8_t bytes[TABLE_MOST];
  int fd;
  *e = (struct ecam){.mem = -1};
  if (system_open(&table, NULL, &fd))
    return;
  const ssize_t n = read(fd, bytes, sizeof bytes);
  close(fd);
  if (n > 0)
    e->n = ecam_parse(bytes, (size_t)n, e->ranges);
  if (e->n && system_open(&mem, NULL, &e->mem))
    *e = (struct ecam){.mem = -1};
}

void ecam_close(struct ecam *e)
{
  if (e->mem >= 0)
    close(e->mem);
  *e = (struct ecam){.mem = -1};
}

volatile uint32_t *ecam_map(const struct ecam *e, uint32_t segment, uint8_t bus, uint8_t devfn)
{
  struct stat st;
  for (uint32_t i = 0; i < e->n; i++) {
    const struct ecam_range *r = &e->ranges[i];
    /* The base is that of bus 0, whatever bus the range begins with (PCI Firmware Specification 3.0, 4.1.2). */
    const uint64_t at = r->base + ((uint64_t)bus << 20 | (uint64_t)devfn << 12);
    if (r->segment != segment || bus < r->first_bus || bus > r->last_bus)
      continue;
    /* An access past the end of a plain file would raise SIGBUS. */
    if (fstat(e->mem, &st) || (S_ISREG(st.st_mode) && (uint64_t)st.st_size < at + ECAM_PAGE))
      return NULL;
    void *p = mmap(NULL, ECAM_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, e->mem, (off_t)at);
    return p == MAP_FAILED ? NULL : p;
  }
  return NULL;
}
