/* SPDX-License-Identifier: MIT */
/*
 * Accesses to uncacheable memory. Each is a bus transaction, except stores to coalescing memory, which four buffers of
 * a line each gather (2.3.3.4). A buffer is written to the bus when it is full, when a fifth line needs a buffer, and
 * when the program orders its accesses or reads coalescing memory. A complete line is written in one transaction, else
 * in parts of 32, 16 and 8 bytes (Table 4-122); that order of sizes is the model's own.
 */
#include <string.h>
#include "machine/montecito/memory/data.h"

enum { LINE = 128, PART = 8, PARTS = LINE / PART, BUFFERS = 4 };

static void part_write(struct montecito_core *c, uint64_t address, unsigned bytes)
{
  bus_transaction(c, &(struct bus_request){.kind = bytes == LINE ? BUS_WRITE_LINE : BUS_WRITE_PARTIAL,
                                           .thread = c->active,
                                           .bytes = (uint8_t)bytes,
                                           .address = address});
}

/* Returns the size of the largest aligned run of written parts that begins at part `i`. */
static unsigned part_largest(uint16_t written, unsigned i)
{
  unsigned parts = i % 4 ? i % 2 ? 1 : 2 : 4;
  while (parts > 1 && (written >> i & ((1u << parts) - 1)) != (1u << parts) - 1)
    parts /= 2;
  return parts;
}

static void buffer_write(struct montecito_core *c, uint64_t line, uint16_t written)
{
  if (written == UINT16_MAX) {
    part_write(c, line, LINE);
    return;
  }
  for (unsigned i = 0; i < PARTS;) {
    const unsigned parts = written >> i & 1 ? part_largest(written, i) : 1;
    if (written >> i & 1)
      part_write(c, line + i * PART, parts * PART);
    i += parts;
  }
}

static void buffer_empty(struct montecito_core *c, unsigned i)
{
  struct montecito_coalescing *b = &c->coalescing;
  buffer_write(c, b->of[i].line, b->of[i].written);
  memmove(&b->of[i], &b->of[i + 1], (--b->n - i) * sizeof *b->of);
}

void uncached_drain(struct montecito_core *c)
{
  while (c->coalescing.n)
    buffer_empty(c, 0);
}

static void coalesce(struct montecito_core *c, const struct montecito_slot *s)
{
  struct montecito_coalescing *b = &c->coalescing;
  const uint64_t line = s->address / LINE * LINE;
  const unsigned at = (unsigned)(s->address % LINE), first = at / PART,
                 last = (at + (s->bytes ? s->bytes : 1u) - 1) / PART;
  unsigned i = 0;
  while (i < b->n && b->of[i].line != line)
    i++;
  if (i == BUFFERS)
    buffer_empty(c, 0);
  if (i >= b->n)
    b->of[i = b->n++] = (struct montecito_buffer){.line = line};
  for (unsigned part = first; part <= last && part < PARTS; part++)
    b->of[i].written |= (uint16_t)(1u << part);
  if (b->of[i].written == UINT16_MAX)
    buffer_empty(c, i);
}

void uncached_access(struct montecito_core *c, const struct montecito_slot *s, bool write, uint32_t latency)
{
  const bool ports = s->attribute == MEMORY_PORTS;
  if (write && s->attribute == MEMORY_COALESCING) {
    coalesce(c, s);
    return;
  }
  if (s->attribute == MEMORY_COALESCING || s->order)
    uncached_drain(c);
  bus_transaction(c, &(struct bus_request){.kind = ports   ? write ? BUS_IO_WRITE : BUS_IO_READ
                                                   : write ? BUS_WRITE_PARTIAL
                                                           : BUS_READ_PARTIAL,
                                           .thread = c->active,
                                           .bytes = s->bytes,
                                           .address = s->address,
                                           .latency = latency});
}
