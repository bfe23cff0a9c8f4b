/* SPDX-License-Identifier: MIT */
/* Unpacks compressed kernels and modules with the matching program. */
#ifndef VM_PACKED_H
#define VM_PACKED_H

#include "vm/file.h"

/* The program that unpacks what begins with these `n` bytes; NULL: packed in no way that is known here. */
const char *packed_program(const uint8_t *bytes, size_t n);
/* Unpacks them. Data after the packed stream is ignored, so only *ret shows whether the result is complete;
 * which file_free() frees. False with nothing to be freed: nothing came out, or the program is not here. */
bool packed_open(const uint8_t *bytes, size_t n, struct file *ret);

#endif
