/* SPDX-License-Identifier: MIT */
/* What is packed as kernels and their modules are, unpacked by the program that it takes. */
#ifndef VM_PACKED_H
#define VM_PACKED_H

#include "vm/file.h"

/* The program that unpacks what begins with these `n` bytes; NULL: packed in no way that is known here. */
const char *packed_program(const uint8_t *bytes, size_t n);
/* Unpacks them. What stands behind the packed stream is passed over, so that whether all is there shows only in *ret,
 * which file_free() frees. False with nothing to be freed: nothing came out, or the program is not here. */
bool packed_open(const uint8_t *bytes, size_t n, struct file *ret);

#endif
