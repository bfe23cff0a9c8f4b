/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU calls with such memory as long as its translation may run, and does not say when a single one is dropped:
 * programs that write code have it translated again and again. Once the memory for translations is full QEMU drops all
 * of them, and no thread runs one meanwhile: what is here takes a small part of that memory at most.
 */
#include "plugin/calls.h"

#include <stdlib.h>
#include "plugin/qemu.h"

enum { CHUNK_BYTES = 1 << 16 };
static struct chunk {
  struct chunk *next;
  size_t used;
  char bytes[CHUNK_BYTES];
} * chunks;

static void calls_free(uint64_t id)
{
  (void)id;
  for (struct chunk *next; chunks; chunks = next) {
    next = chunks->next;
    free(chunks);
  }
}

void calls_install(uint64_t id)
{
  qemu_plugin_register_flush_cb(id, calls_free);
}

void *call_allocate(size_t n)
{
  const size_t size = (n + 7) & ~(size_t)7;

  if (!chunks || CHUNK_BYTES - chunks->used < size) {
    struct chunk *c = malloc(sizeof *c);

    if (!c)
      abort(); /* as QEMU does */
    c->next = chunks;
    c->used = 0;
    chunks = c;
  }
  chunks->used += size;
  return chunks->bytes + chunks->used - size;
}
