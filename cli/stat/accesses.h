/* SPDX-License-Identifier: MIT */
/* A backend around another one that counts its accesses: the cost of a measurement, for any access method. */
#ifndef CLI_STAT_ACCESSES_H
#define CLI_STAT_ACCESSES_H

#include <stdint.h>
#include <pmon/access.h>

/* Owns `inner`, and adds to *count, which must outlive it. PMON_E_MEMORY. */
int accesses_backend_new(struct pmon_backend *inner, uint64_t *count, struct pmon_backend **ret_backend);

#endif
