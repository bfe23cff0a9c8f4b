/* SPDX-License-Identifier: MIT */
/* Finds the register of a block by its address. The map is the same for every socket of a machine. */
#ifndef MACHINE_PMON_MAP_H
#define MACHINE_PMON_MAP_H

#include "machine/pmon/state.h"

/* Builds the map from the blocks of socket 0. False: no memory. */
bool map_build(struct reg_map *map, const struct socket *s, const struct reg_rows *globals);
void map_free(struct reg_map *map);
/* Returns the register that contains the dword (or MSR) at an address; NULL: none. */
const struct reg *map_find(const struct reg_map *map, uint8_t space, uint32_t device, uint64_t offset);
/* Writes the register's name in the guide's spelling. */
void map_name(const struct reg *r, const struct socket *s, char *text, size_t text_size);

#endif
