/* SPDX-License-Identifier: MIT */
/* Unpacks compressed kernels and modules with the matching program. */
#ifndef VM_PACKED_H
#define VM_PACKED_H

#include "vm/file.h"

/* Returns the program that unpacks data that begin with these `n` bytes; NULL: the compression is unknown. */
const char *packed_program(const uint8_t *bytes, size_t n);
/* Unpacks them into *ret, which file_free() frees. Data after the packed stream are ignored, so only *ret shows whether
 * the result is complete. False, with nothing to be freed: there was no output, or the program is missing. */
bool packed_open(const uint8_t *bytes, size_t n, struct file *ret);

#endif
