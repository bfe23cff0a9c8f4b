/* SPDX-License-Identifier: MIT */
/* Names of PCI functions from pci.ids, the list that lspci uses. */
#ifndef CLI_TARGET_PCI_IDS_H
#define CLI_TARGET_PCI_IDS_H

enum { PCI_NAME = 200 };

struct pci_ids;

struct pci_function {
  unsigned vendor, device, class_code; /* class_code: 24 bits */
};

/* Reads the list of the system whose /sys is `sys`, from the folders in which distributions have it. NULL: it has
 * none. */
struct pci_ids *pci_ids_open(const char *sys);
void pci_ids_free(struct pci_ids *ids);

/* Writes "Ethernet controller: Intel Corporation Ethernet Controller X710"; numbers if the list, or its row, is
 * missing. */
void pci_ids_name(const struct pci_ids *ids, const struct pci_function *f, char name[PCI_NAME]);

#endif
