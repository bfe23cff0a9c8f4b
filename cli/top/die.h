/* SPDX-License-Identifier: MIT */
/* The layout in which the units of a die are drawn. */
#ifndef CLI_TOP_DIE_H
#define CLI_TOP_DIE_H

#include <stddef.h>
#include "cli/top/top.h"

/* Position of units: links above the centre, memory beside it. Units of the centre are on a ring in its order, or in
 * the rows of a mesh. Links have data in both directions. */
enum place { BELOW, ABOVE, BESIDE };
enum fabric { NO_FABRIC, MESH, RING };
struct form {
  const char *unit;
  enum place place;
  enum fabric fabric;
  const char *sent, *received; /* metrics of links; NULL: no links between sockets, or no such metrics */
};

/* Writes what the links of a package send and receive. False: the units are no links, or nothing of them is
 * measured. */
bool links_format(struct top *t, const struct form *form, uint32_t package, char *text, size_t size);
/* Draws arrows between two packages, one line for each of `n` links, and the traffic in both directions; from line
 * at[0] to before at[1], from column at[2] on. */
enum { LINKS_WIDTH = 19 };
void links_draw(struct top *t, const struct form *form, uint32_t n, const int at[3]);

#endif
