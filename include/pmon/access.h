/* SPDX-License-Identifier: MIT */
#ifndef PMON_ACCESS_H
#define PMON_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/status.h>

/*
 * Where registers live. A backend answers reads and writes of one register; the emulated machine is one, real
 * hardware's doors are others, and wrappers (trace, allow, fault) are backends that hold another.
 */
enum pmon_space { PMON_SPACE_MSR, PMON_SPACE_PCI, PMON_SPACE_MMIO, PMON_SPACE_PMC, PMON_SPACE_PMD };

struct pmon_address {
  uint32_t package;      /* socket, from 0 */
  uint8_t space;         /* enum pmon_space */
  uint8_t width_bits;    /* of one access: 32 or 64 */
  uint16_t reserved;
  uint32_t device;       /* PCI: uncore bus as the guide numbers it (30, 31) << 8 | device << 3 | function;
                            MMIO: index of the memory BAR (MEM0..MEM3: 0..3; 16: the discovery page; 17: CXL); else 0 */
  uint64_t offset;       /* MSR number, configuration-space offset, or offset from the BAR */
};

struct pmon_backend;

/*
 * One backend. Each function returns 0 or a negative enum pmon_status, and then leaves a text in *error_text (may be
 * NULL; owned by the backend, valid until its next call).
 * wait: let time pass until `until_ns` on the backend's clock (simulated or monotonic), or the measured thing ends;
 *   ret_now_ns gets the time reached, ret_ended whether it ended. UINT64_MAX waits for the end.
 */
struct pmon_backend_ops {
  const char *name;
  int (*read)(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value);
  int (*write)(struct pmon_backend *b, const struct pmon_address *a, uint64_t value);
  int (*wait)(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended);
  void (*close)(struct pmon_backend *b);
};

struct pmon_backend {
  const struct pmon_backend_ops *ops;
  const char *error_text;
  uint32_t packages;     /* sockets it answers for */
};

#endif
