/* SPDX-License-Identifier: MIT */
/*
 * A device that copies memory, the model's own: its registers are 8 bytes each in a page that a translation to
 * EXEC_DEVICE_BASE shows. A write of the command starts the copy, which is done at once: source, destination, number of
 * bytes, command, and the number of bytes that were copied. Lines are read and written as a whole, the rest in part.
 */
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/machine.h"

enum { SOURCE, DESTINATION, BYTES, COMMAND, DONE, REGISTERS };
/* 1: reads lines; 2: reads their current value; 3, 4: the same as 1, but takes the destination's line from the caches
 * first, with its data or without. 5: copies nothing, but accesses ports, 8 bytes each. */
enum { COPY = 1, COPY_CURRENT, COPY_OWNED, COPY_INVALIDATED, ACCESS_PORTS };
enum { LINE = 128, PORT = 8, MOST = 1 << 20 };

static void line_announce(const struct exec_cpu *c, uint64_t command, const uint64_t address[2], bool whole)
{
  if (!c->machine)
    return;
  montecito_device_access(c->machine, c->thread,
                          !whole                    ? BUS_READ_PARTIAL
                          : command == COPY_CURRENT ? BUS_READ_CURRENT
                                                    : BUS_READ_LINE,
                          address[SOURCE]);
  if (command == COPY_OWNED || command == COPY_INVALIDATED)
    montecito_device_access(c->machine, c->thread, command == COPY_OWNED ? BUS_READ_INVALIDATE : BUS_INVALIDATE,
                            address[DESTINATION]);
  montecito_device_access(c->machine, c->thread, whole ? BUS_WRITE_LINE : BUS_WRITE_PARTIAL, address[DESTINATION]);
}

static void ports_announce(const struct exec_cpu *c, const uint64_t of[REGISTERS])
{
  for (uint64_t done = 0; c->machine && done + PORT <= of[BYTES]; done += PORT) {
    montecito_device_access(c->machine, c->thread, BUS_IO_READ, of[SOURCE] + done);
    montecito_device_access(c->machine, c->thread, BUS_IO_WRITE, of[DESTINATION] + done);
  }
}

void exec_device_store(struct exec_cpu *c, uint64_t address)
{
  const uint64_t page = address / EXEC_PAGE_BYTES * EXEC_PAGE_BYTES;
  uint64_t of[REGISTERS], done = 0;
  if (address - page != COMMAND * sizeof *of || !exec_memory_read(c->memory, page, of, sizeof of) || of[BYTES] > MOST)
    return;
  if (of[COMMAND] == ACCESS_PORTS)
    ports_announce(c, of);
  while (of[COMMAND] != ACCESS_PORTS && done < of[BYTES]) {
    uint8_t bytes[LINE];
    const uint64_t at[2] = {of[SOURCE] + done, of[DESTINATION] + done};
    const size_t n = of[BYTES] - done < LINE ? (size_t)(of[BYTES] - done) : LINE;
    if (!exec_memory_read(c->memory, at[SOURCE], bytes, n) || !exec_memory_write(c->memory, at[DESTINATION], bytes, n))
      break;
    line_announce(c, of[COMMAND], at, n == LINE);
    done += n;
  }
  exec_memory_write(c->memory, page + DONE * sizeof *of, &done, sizeof done);
}
