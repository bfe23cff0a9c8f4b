/* SPDX-License-Identifier: MIT */
/* From an address to a register of a block; the same for every socket of a machine. */
#ifndef MACHINE_PMON_MAP_H
#define MACHINE_PMON_MAP_H

#include "machine/pmon/state.h"

/* Of the blocks that socket 0 has. False: no memory. */
bool map_build(struct reg_map *map, const struct socket *s, const struct reg_rows *globals);
void map_free(struct reg_map *map);
/* The register that holds the dword (MSR: the register) there; NULL: none. */
const struct reg *map_find(const struct reg_map *map, uint8_t space, uint32_t device, uint64_t offset);
/* The register's name in the guide's spelling. */
void map_name(const struct reg *r, const struct socket *s, char *text, size_t text_size);

#endif
