/* SPDX-License-Identifier: MIT */
/* Arrays of rows whose type the owner knows: pointer, number and capacity are members of the owner's struct. */
#ifndef PMON_BASE_ARRAY_H
#define PMON_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>

/* Grows an array of `size` byte rows so that one more than `n` fits; `array` is the address of the pointer to its first
 * row. PMON_OK; PMON_E_MEMORY (the array is as before). */
int array_grow(void *array, uint32_t n, uint32_t *capacity, size_t size);

#endif
