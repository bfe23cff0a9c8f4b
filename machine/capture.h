/* SPDX-License-Identifier: MIT */
/* A machine made like a captured one (docs/capture.md): its shape, its registers, and what a driver reads first. */
#ifndef MACHINE_CAPTURE_H
#define MACHINE_CAPTURE_H

#include <stddef.h>
#include <stdint.h>
#include <pmon/capture.h>

struct machine;
struct machine_config;

/* Sets platform, sockets, and how many of each unit there are; other parameters get the platform's usual values.
 * PMON_E_UNKNOWN (no such machine), PMON_E_RANGE (no machine has such a shape), with the reason in error. */
int machine_capture_configure(const struct pmon_capture *capture, struct machine_config *config, char *error,
                              size_t error_size);

/* Gets one sentence about a register in which the machine cannot be like the captured one; valid during the call. */
typedef void (*machine_diagnostic)(void *user, const char *text);

/* Gives the machine the registers, PCI functions and discovery pages of the capture. Returns in how many registers it
 * could not be made like it, each told to `diagnostic`; or PMON_E_MEMORY. */
int machine_capture_load(struct machine *m, const struct pmon_capture *capture, machine_diagnostic diagnostic,
                         void *user);

#endif
