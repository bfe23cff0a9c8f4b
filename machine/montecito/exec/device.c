/* SPDX-License-Identifier: MIT */
/*
 * A device that copies memory, the model's own. Its registers have 8 bytes each: source, destination, number of bytes,
 * command, and number of bytes copied. They lie in a page that a translation to EXEC_DEVICE_BASE maps. A write of the
 * command starts the copy, which completes at once. Whole lines are read and written as lines, the rest as partial
 * accesses.
 */
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/machine.h"

enum { SOURCE, DESTINATION, BYTES, COMMAND, DONE, REGISTERS };
/* COPY reads lines; COPY_CURRENT reads their current value; COPY_OWNED and COPY_INVALIDATED are as COPY, but first take
 * the destination's line from the caches, with its data or without. ACCESS_PORTS copies nothing, but accesses ports, 8
 * bytes each. */
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
