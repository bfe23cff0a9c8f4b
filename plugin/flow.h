/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On which loads the addresses of a block's accesses depend: the notes of machine/trace/ring.h, for x86. */
#ifndef PLUGIN_FLOW_H
#define PLUGIN_FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Prepares for x86 code of that width. false: the plugin was built without a decoder. */
bool flow_install(bool is_64_bit);
/* A block begins. */
void flow_begin(void);
/* An instruction's ordinal: the number of instructions of its block before it that access memory. alone: it makes one
 * access, of eight bytes at most, in one piece. vector: it loads or stores one vector of 16 or 32 bytes, all of it, and
 * accesses nothing else. Neither: it may make several accesses. */
struct flow_place {
  uint8_t ordinal;
  bool alone, vector;
};
/* The block's next instruction, `n` bytes at `code`. */
struct flow_place flow_add(const void *code, size_t n);
/* The block has ended: writes its notes, without the last one, to `to`, which takes NOTE_MOST; returns how many. */
size_t flow_end(uint64_t *to);

#endif
