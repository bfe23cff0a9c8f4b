/* SPDX-License-Identifier: MIT */
/* What the access method for configuration space provides to others. */
#ifndef PMON_ACCESS_PCI_H
#define PMON_ACCESS_PCI_H

#include <pmon/access.h>

enum { FUNCTION_NAME = 24 }; /* domains without firmware have more digits */

/* Finds the announcement of a package's discovery page (817509 1.10.1): the function's name below bus/pci/devices, its
 * BAR, and the physical address in that BAR; 0: none. False: no function announces one. */
struct pci_page {
  char name[FUNCTION_NAME];
  unsigned bar;
  uint64_t address;
};
bool pci_discovery(struct pmon_backend *pci, uint32_t package, struct pci_page *ret_page);

#endif
