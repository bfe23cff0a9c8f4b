/* SPDX-License-Identifier: MIT */
/* The discovery page as its 64-bit words. */
#ifndef PMON_PLATFORM_PAGE_H
#define PMON_PLATFORM_PAGE_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/discovery.h>

enum { DISCOVERY_WORDS = 0x80000 / 8 };

/* Reads as many words of a package's page as its first one says that there are, or as can be read: at least three, at
 * most DISCOVERY_WORDS. *ret_words is to be freed. The backend's status; PMON_E_MEMORY. */
int discovery_read_words(struct pmon_backend *backend, uint32_t package, uint64_t **ret_words, size_t *ret_n);

/* In how many points the page has the instances of a unit otherwise than the tables; units that it lacks are none. */
uint32_t discovery_differences(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                               const struct pmon_discovery_place *place, uint32_t unit);

#endif
