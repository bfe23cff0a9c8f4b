/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups of accesses in a block whose addresses differ by constants known at translation: several words of one object,
 * a function's registers on the stack. One callback, at the first access, stands for the whole group; if that access is
 * always executed, it also stands for the block.
 */
#ifndef PLUGIN_GROUP_H
#define PLUGIN_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROUP_MOST = 8, GROUP_SPAN = 64 };

/* Loads, or stores, of plain instructions, each with one access of at most 8 bytes: the first access and later ones of
 * the block, at most GROUP_SPAN bytes from the lowest to the highest. */
struct group {
  bool store;
  uint8_t n;
  uint8_t insn[GROUP_MOST]; /* index of each instruction in the block */
  uint8_t size_log2[GROUP_MOST];
  int16_t at[GROUP_MOST]; /* bytes from the first access */
};

/* The kind of an instruction's accesses; GROUP_ANY: loads and stores, or unknown. */
enum group_kind { GROUP_ANY, GROUP_LOADS, GROUP_STORES };

/* false: there are no groups, because the plugin was built without a decoder or the code is not 64-bit x86. */
bool groups_install(bool is_64_bit);
/* groups_begin() starts a block; groups_add() adds its next instruction, located at `address`. */
void groups_begin(void);
void groups_add(const void *code, size_t n, uint64_t address);
/* group_of(): the group whose first access is the instruction's; NULL: none. group_contains(): true if the
 * instruction's access belongs to a group that starts at an earlier instruction. */
const struct group *group_of(size_t insn);
bool group_contains(size_t insn);
enum group_kind group_kind_of(size_t insn);
/* Returns the block's first instruction that accesses memory, if its access belongs to a group; -1: it does not, or no
 * instruction accesses memory. */
int group_first(void);

#endif
