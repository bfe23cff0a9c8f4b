/* SPDX-License-Identifier: MIT */
/* Counts the library's accesses to mapped registers, and makes them fail as memory does: by a signal, when the device
 * is gone; or without an answer, which reads as all ones. */
#include "src/access/guard.h"
#include "tests/hardware/tree.h"

bool __real_guard_read(struct guard *g, const volatile void *at, unsigned width_bits, uint64_t *ret_value);
bool __real_guard_write(struct guard *g, volatile void *at, unsigned width_bits, uint64_t value);
bool __wrap_guard_read(struct guard *g, const volatile void *at, unsigned width_bits, uint64_t *ret_value);
bool __wrap_guard_write(struct guard *g, volatile void *at, unsigned width_bits, uint64_t value);

bool __wrap_guard_read(struct guard *g, const volatile void *at, unsigned width_bits, uint64_t *ret_value)
{
  const enum tree_answer answer = tree_mapped();
  if (answer == TREE_ANSWERS)
    return __real_guard_read(g, at, width_bits, ret_value);
  *ret_value = width_bits == 64 ? UINT64_MAX : UINT32_MAX;
  return answer == TREE_SILENT;
}

bool __wrap_guard_write(struct guard *g, volatile void *at, unsigned width_bits, uint64_t value)
{
  const enum tree_answer answer = tree_mapped();
  return answer == TREE_ANSWERS ? __real_guard_write(g, at, width_bits, value) : answer == TREE_SILENT;
}
