/* SPDX-License-Identifier: MIT */
/*
 * Words that were captured on another machine outside its PMON registers (configuration headers, capabilities,
 * discovery page). They replace the values of the platform's code.
 */
#ifndef MACHINE_PMON_OVERLAY_H
#define MACHINE_PMON_OVERLAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <pmon/access.h>

/* A dword; for an MSR all 64 bits. */
struct overlay_word {
  struct pmon_address address;
  uint64_t value;
};

/* only: configuration space has only functions with words in this overlay. */
struct overlay {
  struct overlay_word *at;
  size_t n;
  bool only;
};

/* Takes ownership of `words`; overlay_free() frees them. */
void overlay_set(struct overlay *o, struct overlay_word *words, size_t n);
void overlay_free(struct overlay *o);

/* True if the overlay determines this dword (or MSR). *ret_there: whether a register exists there; *ret_value: its
 * value. */
bool overlay_read(const struct overlay *o, const struct pmon_address *a, bool *ret_there, uint64_t *ret_value);

#endif
