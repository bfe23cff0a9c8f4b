/* SPDX-License-Identifier: MIT */
/* The registers in configuration space that hold a package's memory BARs (817509 1.10.3). */
#ifndef PMON_PLATFORM_BAR_H
#define PMON_PLATFORM_BAR_H

#include <pmon/access.h>

enum { BAR_DEVICE = 30 << 8 | 0 << 3 | 1, BAR_BASE = 0xd0, BAR_FIRST = 0xd8 };

/* The register that all BARs of a package share (MMIO_BASE). */
#define BAR_BASE_ADDRESS(of_package)                                                                                   \
  ((struct pmon_address){                                                                                              \
      .package = (of_package), .space = PMON_SPACE_PCI, .width_bits = 32, .device = BAR_DEVICE, .offset = BAR_BASE})

#endif
