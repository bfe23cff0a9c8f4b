/* SPDX-License-Identifier: MIT */
/*
 * One function in PCI configuration space: its file below bus/pci/devices, or the same as memory (ecam.h). Files are
 * opened when they are needed first, and stay open.
 */
#ifndef PMON_ACCESS_FUNCTION_H
#define PMON_ACCESS_FUNCTION_H

#include "ecam.h"
#include "guard.h"
#include "system.h"

#define FUNCTION_NEEDS "root (CAP_SYS_ADMIN to see more than 64 bytes of configuration space)"

/* What all functions are reached by; reason: why the last that failed did. */
struct function_ways {
  struct system system;
  struct ecam ecam;
  struct guard guard;
  struct pmon_reason reason;
};

/* at: as memory; NULL: it is not. page: the BAR that leads to a discovery page; -1: none. fd: -1 while it is not
 * open. */
struct function {
  uint32_t domain;
  uint8_t bus, devfn;
  uint16_t id;
  int fd;
  volatile uint32_t *at;
  int page;
};

/* Its name below bus/pci/devices. */
void function_name(const struct function *f, char name[FUNCTION_NAME]);

/* PMON_OK; the status of what failed, with the reason. A file that may not be written is open for reading. */
int function_open(struct function_ways *w, struct function *f);
void function_close(struct function *f);

/* Makes accesses to an open function go through memory from now on, where that shows the same function. */
void function_map(struct function_ways *w, struct function *f);

/* One dword at an aligned offset; opens the function. PMON_E_NO_DEVICE: it was taken away; PMON_E_PERMISSION,
 * PMON_E_IO. */
int function_read(struct function_ways *w, struct function *f, uint64_t offset, uint32_t *ret_value);
int function_write(struct function_ways *w, struct function *f, uint64_t offset, uint32_t value);

/* The BAR of a discovery page, by an open function's extended capabilities (817509 1.9.1); -1: there is none. */
int function_page(struct function_ways *w, struct function *f);

/* The physical address in BAR `bar`; 0: none. */
uint64_t function_bar(struct function_ways *w, struct function *f, unsigned bar);

#endif
