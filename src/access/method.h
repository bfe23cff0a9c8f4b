/* SPDX-License-Identifier: MIT */
/* The access methods for registers of this host, which direct.c joins. */
#ifndef PMON_ACCESS_METHOD_H
#define PMON_ACCESS_METHOD_H

#include "src/access/system.h"

/* One access method: a file of its own, and a row in direct.c. */
struct access_method {
  const char *name, *brief, *needs;
  int (*open)(const struct system *s, struct pmon_reason *reason, struct pmon_backend **ret_backend);
  /* Returns the descriptor of the first device that is open for writing, for the host's lock; -1: none. */
  int (*lock_fd)(const struct pmon_backend *b);
};
extern const struct access_method access_method_msr, access_method_pci, access_method_mmio, access_method_resctrl;

#endif
