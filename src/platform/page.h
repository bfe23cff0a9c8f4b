/* SPDX-License-Identifier: MIT */
/* The discovery page as the words that stand in it. */
#ifndef PMON_PLATFORM_PAGE_H
#define PMON_PLATFORM_PAGE_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>

enum { DISCOVERY_WORDS = 0x80000 / 8 };

/* Reads as many words of a package's page as its first one says that there are, or as can be read: at least three, at
 * most DISCOVERY_WORDS. *ret_words is to be freed. The backend's status; PMON_E_MEMORY. */
int discovery_read_words(struct pmon_backend *backend, uint32_t package, uint64_t **ret_words, size_t *ret_n);

#endif
