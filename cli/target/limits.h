/* SPDX-License-Identifier: MIT */
/*
 * What a machine says of itself (struct pmon_limit), in one list whatever machine it is: the host, a guest, one below
 * --root, an emulated one, or one of a capture. Sources are registers, files of the kernel, and the tables of the
 * firmware (SMBIOS).
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

/* Adds a limit, whose name has to outlive the list; of two for the same package the larger one stays. 0 adds nothing.
 */
void limits_add(struct limit_list *list, const char *name, uint32_t package, double number);

/* A limit's name as a text that lives forever; NULL: there is no such limit. */
const char *limits_name(const char *name);

/* Adds what the platform's registers say: rate of links, ratios of uncore and cores. Registers that cannot be read add
 * nothing. */
void limits_read_registers(const struct pmon_platform *platform, struct pmon_backend *backend, struct limit_list *list);

/* Adds what the tables of the firmware say of memory: structures of type 16 and 17 of the SMBIOS specification (DMTF
 * DSP0134), one behind the other. */
void limits_read_smbios(const uint8_t *table, size_t size, uint32_t packages, struct limit_list *list);

/* Adds all that the host, or the system below its root, says: the processor (CPUID 16h), registers, files. Beside a
 * `backend` that counts through Linux perf, registers are read where they can be opened; NULL: none are. */
void limits_read_host(const struct hardware *h, const struct pmon_platform *platform, struct pmon_backend *backend,
                      struct limit_list *list);

/* Adds what an emulated machine says, by the same readers. */
void limits_read_machine(const struct machine_config *config, const struct pmon_platform *platform,
                         struct pmon_backend *backend, struct limit_list *list);

#endif
