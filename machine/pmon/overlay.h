/* SPDX-License-Identifier: MIT */
/*
 * What another machine showed beside its PMON registers (configuration headers, capabilities, discovery page), in the
 * place of what the platform's code would say.
 */
#ifndef MACHINE_PMON_OVERLAY_H
#define MACHINE_PMON_OVERLAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>
#include <pmon/access.h>

/* A dword; of an MSR all 64 bits. */
struct overlay_word {
  struct pmon_address address;
  uint64_t value;
};

/* only: there are no other functions in configuration space than those with words here. */
struct overlay {
  struct overlay_word *at;
  size_t n;
  bool only;
};

/* Takes over `words`, to be freed by overlay_free(). */
void overlay_set(struct overlay *o, struct overlay_word *words, size_t n);
void overlay_free(struct overlay *o);

/* Whether the overlay answers for this dword (or MSR): *ret_there tells whether anything is there, *ret_value what. */
bool overlay_read(const struct overlay *o, const struct pmon_address *a, bool *ret_there, uint64_t *ret_value);

#endif
