/* SPDX-License-Identifier: MIT */
/*
 * One function in PCI configuration space: its file below bus/pci/devices, or the same space as memory (ecam.h). Files
 * are opened at the first access, and stay open.
 */
#ifndef PMON_ACCESS_FUNCTION_H
#define PMON_ACCESS_FUNCTION_H

#include "src/access/ecam.h"
#include "src/access/guard.h"
#include "src/access/pci.h"
#include "src/access/system.h"

#define FUNCTION_NEEDS "root (CAP_SYS_ADMIN to see more than 64 bytes of configuration space)"

/* Shared by all functions; reason: the reason of the last failure. */
struct function_ways {
  struct system system;
  struct ecam ecam;
  struct guard guard;
  struct pmon_reason reason;
};

/* at: the function's space as memory; NULL: not mapped. page: the BAR that leads to a discovery page; -1: none. fd: -1
 * while it is not open. */
struct function {
  uint32_t domain;
  uint8_t bus, devfn;
  uint16_t id;
  int fd;
  volatile uint32_t *at;
  int page;
};

/* Formats the function's name below bus/pci/devices. */
void function_name(const struct function *f, char name[FUNCTION_NAME]);

/* Opens the function's file. PMON_OK; the status of the failure, with the reason. A file that may not be written is
 * opened for reading. */
int function_open(struct function_ways *w, struct function *f);
void function_close(struct function *f);

/* Maps an open function, so that its accesses use memory from now on, if the memory shows the same function. */
void function_map(struct function_ways *w, struct function *f);

/* Reads or writes one dword at an aligned offset; opens the function. PMON_E_NO_DEVICE: the device has been removed;
 * PMON_E_PERMISSION, PMON_E_IO. */
int function_read(struct function_ways *w, struct function *f, uint64_t offset, uint32_t *ret_value);
int function_write(struct function_ways *w, struct function *f, uint64_t offset, uint32_t value);

/* Returns the BAR of a discovery page, from an open function's extended capabilities (817509 1.9.1); -1: none. */
int function_page(struct function_ways *w, struct function *f);

/* Returns the physical address in BAR `bar`; 0: none. */
uint64_t function_bar(struct function_ways *w, struct function *f, unsigned bar);

#endif
