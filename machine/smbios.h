/* SPDX-License-Identifier: MIT */
/*
 * The SMBIOS table by which the firmware of an emulated machine describes its memory: an array for each socket, and a
 * module for each channel, with its transfer rate, as structures 16 and 17 of the SMBIOS specification (DMTF DSP0134,
 * 7.17, 7.18).
 */
#ifndef MACHINE_SMBIOS_H
#define MACHINE_SMBIOS_H

#include <stddef.h>
#include <stdint.h>

struct machine_config;

/* Enough for two sockets with 32 channels, and the end of the table. */
enum { MACHINE_SMBIOS_MOST = 8192 };

/* Writes the table, of MACHINE_SMBIOS_MOST bytes at most, and returns its size. */
size_t machine_smbios(const struct machine_config *config, uint8_t table[MACHINE_SMBIOS_MOST]);

/* Returns the size of the table's structure at `at`, with its texts; 0: it is the end. */
size_t machine_smbios_structure(const uint8_t *table, size_t size, size_t at);

#endif
