/* SPDX-License-Identifier: MIT */
/* The functions of direct.h for a backend that accesses registers through the helper. */
#ifndef PMON_ACCESS_REMOTE_BACKEND_H
#define PMON_ACCESS_REMOTE_BACKEND_H

#include <pmon/hardware.h>

/* Returns the helper's backend below wrappers; NULL: the innermost backend is another one. */
struct pmon_backend *remote_below(struct pmon_backend *b);

/* As access_check_write(), access_lock() and access_unlock(). */
int remote_check_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value);
int remote_lock(struct pmon_backend *b, bool lock, struct pmon_reason *reason);

#endif
