/* SPDX-License-Identifier: MIT */
/*
 * Limits that a machine reports (struct pmon_limit), in one list for any machine: the host, a guest, one below --root,
 * an emulated one, or one of a capture. Sources are registers, files of the kernel, and the tables of the firmware
 * (SMBIOS).
 */
#ifndef CLI_TARGET_LIMITS_H
#define CLI_TARGET_LIMITS_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/platform.h>

struct hardware;
struct machine_config;

struct limit_list {
  struct pmon_limit limit[64];
  uint32_t n;
};

/* Adds a limit, whose name must outlive the list; of two for the same package the larger one stays. 0 adds nothing. */
void limits_add(struct limit_list *list, const char *name, uint32_t package, double number);

/* Returns the name of a limit, as a static text; NULL if there is no such limit. */
const char *limits_name(const char *name);

/* Adds the memory's limits in the tables of the firmware: structures of type 16 and 17 of the SMBIOS specification
 * (DMTF DSP0134), one after the other. */
void limits_read_smbios(const uint8_t *table, size_t size, uint32_t packages, struct limit_list *list);

/* Adds all limits of the host, or of the system below its root: from the processor (CPUID 16h), registers and files.
 * With a `backend` that counts through Linux perf, registers are read if they can be opened; NULL: none are. */
void limits_read_host(const struct hardware *h, const struct pmon_platform *platform, struct pmon_backend *backend,
                      struct limit_list *list);

/* Adds the limits of an emulated machine, by the same readers. */
void limits_read_machine(const struct machine_config *config, const struct pmon_platform *platform,
                         struct pmon_backend *backend, struct limit_list *list);

#endif
