/* SPDX-License-Identifier: MIT */
/*
 * The page in which the hardware describes its monitoring units (817509 1.9, Tables 1-13 and 1-14). Its contents are
 * not trusted: an entry that makes no sense is reported and ignored.
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

/* The kind of address depends on `space`: an MSR number, a physical address, or a configuration address (30:28 segment,
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

/* Receives one sentence. `text` is valid during the call only. */
typedef void (*pmon_diagnostic)(void *user, const char *text);

/* Parses `n` quadwords of a page. An entry that makes no sense is left out and reported to `diagnostic` (may be NULL).
 * PMON_OK; PMON_E_SYNTAX (not a discovery page: `diagnostic` received the reason, *ret_discovery is not set);
 * PMON_E_MEMORY. The caller owns the result. */
PMON_API int pmon_discovery_parse(const uint64_t *words, size_t n, pmon_diagnostic diagnostic, void *user,
                                  struct pmon_discovery **ret_discovery);

/* Reads and parses the page of a package. Also PMON_E_NO_DEVICE (the backend has no page), and the other statuses of
 * the backend. */
PMON_API int pmon_discovery_read(struct pmon_backend *backend, uint32_t package, pmon_diagnostic diagnostic, void *user,
                                 struct pmon_discovery **ret_discovery);

/* Frees a parsed page. NULL is allowed. */
PMON_API void pmon_discovery_free(struct pmon_discovery *discovery);

/* Fills *info: addresses of the global registers, and the number of units on the page. PMON_OK,
 * PMON_E_INVALID (size 0). */
PMON_API int pmon_discovery_describe(const struct pmon_discovery *discovery, struct pmon_discovery_info *info);

/* The i-th unit in the order of the page; NULL past the last one. */
PMON_API const struct pmon_discovered_unit *pmon_discovery_unit(const struct pmon_discovery *discovery, uint32_t i);

/*
 * Reports to `diagnostic` each difference between the page and the platform's tables: units that only one of them has,
 * addresses, offsets, numbers and widths of counters. With a `backend` (may be NULL), memory addresses are also
 * compared with the memory BARs of `package`, and the numbers of units with its capability registers. `place` NULL: no
 * backend. Returns the number of differences, or PMON_E_INVALID (size 0) or PMON_E_UNSUPPORTED (a member of a newer
 * version is set).
 */
struct pmon_discovery_place {
  size_t size;
  struct pmon_backend *backend;
  uint32_t package;
  bool fewer; /* a unit that only the tables have is not a difference */
};
PMON_API int pmon_discovery_compare(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                                    const struct pmon_discovery_place *place, pmon_diagnostic diagnostic, void *user);

/* True if the platform has a unit with a discovery type, and the page lists every instance of such units by type and
 * address: so for a platform that pmon_discovery_platform() made from the page of this processor. An address relative
 * to a memory BAR, as that of emr's memory controllers, is not known without a backend and counts as not listed: use
 * pmon_discovery_compare() for such platforms. */
PMON_API bool pmon_discovery_lists(const struct pmon_discovery *discovery, const struct pmon_platform *platform);

/*
 * Counts the instances of a unit in a package from registers other than the discovery page: the bits set in the
 * capability register fields that are named after the unit (817509 1.7.1, 1.7.2), or the instances whose memory BAR is
 * assigned (1.10.3). PMON_OK; PMON_E_NO_DATA (no such register); PMON_E_RANGE (no such unit); the backend's statuses.
 */
PMON_API int pmon_unit_count(struct pmon_backend *backend, uint32_t package, const struct pmon_platform *platform,
                             uint32_t unit, uint32_t *ret_count);

/*
 * Writes the page as one of the three files of a platform (docs/formats.md) named `name`, for a processor without
 * facts: a unit for each type (`type0`, `type1`, ...), the common control layout, and raw events
 * (`type0/config=0x35/`). Bus numbers of units in configuration space are the system's (PMON_BUS_OF_SYSTEM), so the
 * platform fits this machine and others of the same kind. Returns the length of the whole text; the text was truncated
 * when the length is not less than `size`. Any other `part` gives an empty text and 0.
 */
enum pmon_platform_part { PMON_PART_PLATFORM, PMON_PART_REGISTERS, PMON_PART_UNITS };
PMON_API size_t pmon_discovery_platform(const struct pmon_discovery *discovery, enum pmon_platform_part part,
                                        const char *name, char *text, size_t size);

/*
 * Writes one of the two files (PMON_PART_PLATFORM, PMON_PART_UNITS) of a platform named `name`. It imports `platform`
 * and replaces the units that differ from the page: they get the page's addresses, offsets, numbers and widths of
 * counters, and keep their names, layouts and events. Values that most units of a type share are written in the unit's
 * rows; the number of counters is never less than in the tables, because events name counters. `except` lines hold the
 * values of the other units. Such a file removes the differences that pmon_discovery_compare() reports; `place` is as
 * for that function. Returns the length of the whole text; the text was truncated when the length is not less than
 * `text_size`. Any other part gives an empty text and 0; a struct without its size gives 0.
 */
struct pmon_repair_text {
  size_t size;
  enum pmon_platform_part part;
  const char *name;
  char *text;
  size_t text_size; /* of `text`, in bytes */
};
PMON_API size_t pmon_discovery_repair(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                                      const struct pmon_discovery_place *place, const struct pmon_repair_text *out);

PMON_END_DECLS

#endif
