/* SPDX-License-Identifier: MIT */
/* Arrays whose pointer, number of rows and capacity are members of the owner's struct; the owner knows the row type. */
#ifndef PMON_BASE_ARRAY_H
#define PMON_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Grows an array of rows of `size` bytes so that one more than `n` fits; `array` is the address of the pointer to its
 * first row. PMON_OK; PMON_E_MEMORY (the array is unchanged). */
int array_grow(void *array, uint32_t n, uint32_t *capacity, size_t size);

#endif
