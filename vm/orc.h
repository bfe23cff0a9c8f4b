/* SPDX-License-Identifier: MIT */
/*
 * Unwinds a stack of the Linux kernel with the kernel's own tables for this purpose (sections .orc_unwind_ip and
 * .orc_unwind of its image, with CONFIG_UNWINDER_ORC): for each range of instructions, how far the return address is
 * from the stack pointer or the frame pointer.
 */
#ifndef VM_ORC_H
#define VM_ORC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm/image.h"

/* Borrowed from the image. n 0: the image has no such tables, or unsorted ones (older kernels sort them when they
 * start). */
struct orc {
  const uint8_t *ip, *entry;
  uint64_t ip_address;
  size_t n;
};

/* One image's tables, or those of the kernel and its modules. */
struct orc_all {
  const struct orc *at;
  size_t n;
};

/* A line for orc_make(): the entry, of ORC_ENTRY_BYTES, applies from `address` on. If several lines have one address,
 * the one with the highest number applies. */
enum { ORC_ENTRY_BYTES = 6 };
struct orc_line {
  uint64_t address;
  const uint8_t *entry;
  uint64_t number;
};

/* The state of a processor that executes the kernel; `words` of the stack are known, from rsp on. */
struct orc_state {
  uint64_t rip, rsp, rbp;
  const uint64_t *stack;
  size_t words;
};

void orc_init(struct orc *o, const struct elf *image);
/* Makes tables of n lines, which it sorts. Returns their memory, which the caller frees; NULL with n 0: out of memory,
 * or the addresses are too far apart for the tables. */
uint8_t *orc_make(struct orc *o, struct orc_line *line, size_t n);
/* Returns the addresses of the code that the processor executes: the instruction, then the call in its caller, in the
 * caller's caller, and so on. The walk ends after `most` addresses, at the first one outside the tables, or where the
 * known stack ends. Returns their number, at least 1. ret_end, unless it is NULL, becomes the state at the last
 * address, from which the walk can be continued with more tables; its stack is a part of that of `from`. */
size_t orc_walk(const struct orc_all *o, const struct orc_state *from, uint64_t *ret_code, size_t most,
                struct orc_state *ret_end);

#endif
