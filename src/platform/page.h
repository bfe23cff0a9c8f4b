/* SPDX-License-Identifier: MIT */
/* The discovery page as its 64-bit words. */
#ifndef PMON_PLATFORM_PAGE_H
#define PMON_PLATFORM_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/discovery.h>

enum { DISCOVERY_WORDS = 0x80000 / 8 };

/* Reads a package's page: as many words as its first one announces, or as can be read; at least three, at most
 * DISCOVERY_WORDS. The caller frees *ret_words. The backend's status; PMON_E_MEMORY. */
int discovery_read_words(struct pmon_backend *backend, uint32_t package, uint64_t **ret_words, size_t *ret_n);

/* Returns the number of differences between the page and the tables about a unit's instances; instances that the page
 * lacks are not counted. */
uint32_t discovery_differences(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                               const struct pmon_discovery_place *place, uint32_t unit);

/* Whether the page has the instance's control at the address of the tables (configuration space: on any bus). */
bool discovery_lists_instance(const struct pmon_discovery *page, const struct pmon_platform *platform, uint32_t unit,
                              uint32_t instance);

/* Whether the page has a unit of that type at that address; of PCI addresses the bus does not count. */
bool discovery_has(const struct pmon_discovery *page, uint32_t type, uint8_t space, uint64_t address);

#endif
