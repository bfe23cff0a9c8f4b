/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses of a block whose addresses differ by a number that is known when it is translated: several words of one
 * object, a function's registers on the stack. A call for the first of them is enough for all, and stands for the whole
 * block where it always comes.
 */
#ifndef PLUGIN_GROUP_H
#define PLUGIN_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROUP_MOST = 8, GROUP_SPAN = 64 };

/* Loads, or stores, of plain instructions, each with one access of at most 8 bytes: the first one, and those behind it
 * in the block, at most GROUP_SPAN bytes from the lowest to the highest. */
struct group {
  bool store;
  uint8_t n;
  uint8_t insn[GROUP_MOST]; /* number of each in the block */
  uint8_t size_log2[GROUP_MOST];
  int16_t at[GROUP_MOST]; /* bytes from the first one */
};

/* What an instruction's accesses are; GROUP_ANY: both, or that is not known. */
enum group_kind { GROUP_ANY, GROUP_LOADS, GROUP_STORES };

/* false: the plugin was built without a decoder, or the code is not 64-bit x86: there are no groups. */
bool groups_install(bool is_64_bit);
/* A block begins; its next instruction, at that address. */
void groups_begin(void);
void groups_add(const void *code, size_t n, uint64_t address);
/* The group that begins with the instruction, NULL: none; whether the instruction's access belongs to one that begins
 * before it. */
const struct group *group_of(size_t insn);
bool group_contains(size_t insn);
enum group_kind group_kind_of(size_t insn);
/* The block's first instruction that accesses memory, if its access is one of a group; -1: it is not, or none does. */
int group_first(void);

#endif
