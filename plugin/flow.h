/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Determines which loads and registers the addresses of a block's accesses depend on: the notes of
 * machine/trace/ring.h, for x86. */
#ifndef PLUGIN_FLOW_H
#define PLUGIN_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prepares the decoder for 32-bit or 64-bit x86 code. false: the plugin was built without a decoder. */
bool flow_install(bool is_64_bit);
/* Starts a block. */
void flow_begin(void);
/* ordinal: the number of instructions before this one in its block that access memory. alone: the instruction makes one
 * access, of eight bytes at most, in one piece. vector: it loads or stores one vector of 16 or 32 bytes, all of it, and
 * accesses nothing else. Neither: it may make several accesses. */
struct flow_place {
  uint8_t ordinal;
  bool alone, vector;
};
/* Adds the block's next instruction, `n` bytes at `code`. */
struct flow_place flow_add(const void *code, size_t n);
/* True if a part of the summary has its greatest value: the block must end here, because the part would not count a
 * further instruction. */
bool flow_is_full(void);
/* Ends the block: writes its notes, without the final NOTE_BLOCK, to `to`, which has room for NOTE_MOST; returns their
 * number. */
size_t flow_end(uint64_t *to);

#endif
