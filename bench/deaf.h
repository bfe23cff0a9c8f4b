/* SPDX-License-Identifier: MIT */
/* Stubs for the machine's blocks: none exists, and none is observed. For a program of a single source file, which
 * includes this header once. */
#ifndef BENCH_DEAF_H
#define BENCH_DEAF_H

#include <stdlib.h>
#include "machine/model.h"
#include "machine/pmon/block.h"

struct block *machine_block(struct machine *m, unsigned socket, const char *unit, unsigned instance)
{
  (void)m, (void)socket, (void)unit, (void)instance;
  return NULL;
}
void block_pulse_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t at, uint32_t n)
{
  (void)b, (void)code, (void)attr, (void)tid, (void)at, (void)n;
}
void block_span_report(struct block *b, uint8_t code, uint64_t attr, uint16_t tid, fs_t from, fs_t to, uint32_t n)
{
  (void)b, (void)code, (void)attr, (void)tid, (void)from, (void)to, (void)n;
}
void block_level_set(struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level)
{
  (void)b, (void)code, (void)attr, (void)at, (void)level;
}
void block_freerunning_level_set(struct block *b, unsigned index, fs_t at, uint32_t level)
{
  (void)b, (void)index, (void)at, (void)level;
}
void block_freerunning_pulse(struct block *b, unsigned index, fs_t at, uint32_t n)
{
  (void)b, (void)index, (void)at, (void)n;
}
void block_freerunning_span(struct block *b, unsigned index, fs_t from, fs_t to, uint32_t n)
{
  (void)b, (void)index, (void)from, (void)to, (void)n;
}
void block_out_of_memory(struct block *b)
{
  (void)b;
  abort();
}

#endif
