/* SPDX-License-Identifier: MIT */
#include "src/platform/bar.h"

#include <pmon/hardware.h>

int pmon_bar_address(struct pmon_backend *backend, uint32_t package, uint32_t device, uint64_t *ret_address,
                     uint64_t *ret_size)
{
  struct pmon_address a = BAR_BASE_ADDRESS(package);
  uint64_t base = 0, bar = 0;
  if (device > PMON_BAR_LAST_MEM)
    return PMON_E_RANGE;
  int status = backend->ops->read(backend, &a, &base);
  a.offset = BAR_FIRST + 4 * (uint64_t)device;
  if (!status)
    status = backend->ops->read(backend, &a, &bar);
  if (status)
    return status;
  if (!bar || !base)
    return PMON_E_NO_DEVICE;
  const uint64_t first = bar & 0x7ff, last = bar >> 13 & 0x7ff;
  *ret_address = (base & 0x1fffffff) << 23 | first << 12;
  *ret_size = last >= first ? (last - first + 1) << 12 : 0;
  return 0;
}
