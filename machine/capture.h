/* SPDX-License-Identifier: MIT */
/* Configures a machine like a captured one (docs/capture.md): unit counts, register values, and the registers that
 * drivers read during discovery. */
#ifndef MACHINE_CAPTURE_H
#define MACHINE_CAPTURE_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/capture.h>

struct machine;
struct machine_config;

/* Sets platform, sockets, and the number of each unit; other parameters get the platform's default values.
 * PMON_E_UNKNOWN (no such machine), PMON_E_RANGE (no machine has such a shape), with the reason in error. */
int machine_capture_configure(const struct pmon_capture *capture, struct machine_config *config, char *error,
                              size_t error_size);

/* Receives one sentence about a register that the machine cannot reproduce; `text` is valid during the call. */
typedef void (*machine_diagnostic)(void *user, const char *text);

/* Loads the capture's registers, PCI functions and discovery pages into the machine. Returns the number of registers
 * that the machine cannot reproduce and reports each to `diagnostic`; or PMON_E_MEMORY. */
int machine_capture_load(struct machine *m, const struct pmon_capture *capture, machine_diagnostic diagnostic,
                         void *user);

#endif
