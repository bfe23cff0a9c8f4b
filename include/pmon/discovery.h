/* SPDX-License-Identifier: MIT */
/*
 * The page by which the hardware describes its monitoring units (817509 1.9, Tables 1-13 and 1-14), read with
 * suspicion: what stands in it may be wrong, and is then told, not followed.
 */
#ifndef PMON_DISCOVERY_H
#define PMON_DISCOVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/api.h>
#include <pmon/platform.h>
#include <pmon/status.h>

PMON_BEGIN_DECLS

struct pmon_discovery;

/* What an address of the page is: an MSR's number, a physical address, or a configuration address (30:28 segment,
 * 27:20 bus, 19:12 device and function, 11:0 offset). */
struct pmon_discovery_info {
  size_t size;
  uint8_t space;       /* enum pmon_space */
  uint64_t global_ctl; /* address of the global control */
  uint32_t status_offset, status_bits;
  uint32_t stride_bytes, units;
};

struct pmon_discovered_unit {
  uint32_t type, id, status_position;
  uint8_t space;    /* enum pmon_space */
  uint64_t address; /* of the unit control */
  uint32_t counters, width_bits, ctl_offset, ctr_offset, status_offset;
};

/* Gets one sentence; valid during the call only. */
typedef void (*pmon_diagnostic)(void *user, const char *text);

/* Parses `n` quadwords of a page. Entries that make no sense are left out, and each is told to `diagnostic` (may be
 * NULL). PMON_OK; PMON_E_SYNTAX (it is no discovery page; *ret_discovery is not set, and diagnostic was told why);
 * PMON_E_MEMORY. The result is the caller's. */
PMON_API int pmon_discovery_parse(const uint64_t *words, size_t n, pmon_diagnostic diagnostic, void *user,
                                  struct pmon_discovery **ret_discovery);

/* Reads and parses the page of a package. Also PMON_E_NO_DEVICE (the backend shows none) and its other statuses. */
PMON_API int pmon_discovery_read(struct pmon_backend *backend, uint32_t package, pmon_diagnostic diagnostic, void *user,
                                 struct pmon_discovery **ret_discovery);

/* NULL is fine. */
PMON_API void pmon_discovery_free(struct pmon_discovery *discovery);

/* Fills info: where the global registers are, and how many units the page lists. PMON_OK,
 * PMON_E_INVALID (size 0). */
PMON_API int pmon_discovery_describe(const struct pmon_discovery *discovery, struct pmon_discovery_info *info);

/* The i-th unit in the order of the page; NULL past the last one. */
PMON_API const struct pmon_discovered_unit *pmon_discovery_unit(const struct pmon_discovery *discovery, uint32_t i);

/*
 * Tells `diagnostic` each point in which the page and the platform's tables disagree: units that only one of them has,
 * addresses, offsets, numbers and widths of counters. Where `backend` (may be NULL) is given, memory addresses are
 * compared with the memory BARs of `package`, and the numbers of units with its capability registers. Returns how many
 * there are.
 */
struct pmon_discovery_place {
  struct pmon_backend *backend;
  uint32_t package;
  bool fewer; /* units that only the tables have are no disagreement */
};
PMON_API uint32_t pmon_discovery_compare(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                                         const struct pmon_discovery_place *place, pmon_diagnostic diagnostic,
                                         void *user);

/* Whether the page lists, by type and address, each unit that the platform says is listed there, and there is one:
 * so it is with a platform that pmon_discovery_platform() made of this processor's page. */
PMON_API bool pmon_discovery_lists(const struct pmon_discovery *discovery, const struct pmon_platform *platform);

/*
 * How many of a unit a package has by its own registers beside the page: ones in the fields of capability registers
 * that are named after the unit (817509 1.7.1, 1.7.2), or instances whose memory BAR has a place (1.10.3). PMON_OK;
 * PMON_E_NO_DATA (no register tells); PMON_E_RANGE (no such unit); the backend's statuses.
 */
PMON_API int pmon_unit_count(struct pmon_backend *backend, uint32_t package, const struct pmon_platform *platform,
                             uint32_t unit, uint32_t *ret_count);

/*
 * Writes the page as the three files of a platform (docs/formats.md) named `name`, for a processor that there are no
 * facts about: a unit for each type, `type0`, `type1`, ..., the common control layout, and
 * raw events (`type0/config=0x35/`). Buses of units in configuration space are the system's (PMON_BUS_OF_SYSTEM), so
 * that such a platform is this machine's and its likes'. Returns the length that the text has; it was cut when that is
 * not less than `size`.
 */
enum pmon_platform_part { PMON_PART_PLATFORM, PMON_PART_REGISTERS, PMON_PART_UNITS };
PMON_API size_t pmon_discovery_platform(const struct pmon_discovery *discovery, enum pmon_platform_part part,
                                        const char *name, char *text, size_t size);

/*
 * Writes two files (PMON_PART_PLATFORM, PMON_PART_UNITS) of a platform named `name` that takes over `platform`, except
 * the units that the page has otherwise: their blocks stand where the page says, with its offsets, numbers and widths
 * of counters, and keep names, layouts and events. What most units of a type have stands in the unit's rows (counters
 * never fewer than the tables have, because events name them); `except` lines tell apart those that have it otherwise.
 * Such a file repairs what the comparison disagrees about; `place` as there. Returns the length that the text has; it
 * was cut when that is not less than `size`.
 */
struct pmon_repair_text {
  enum pmon_platform_part part;
  const char *name;
  char *text;
  size_t size;
};
PMON_API size_t pmon_discovery_repair(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                                      const struct pmon_discovery_place *place, const struct pmon_repair_text *out);

PMON_END_DECLS

#endif
