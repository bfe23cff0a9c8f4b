/* SPDX-License-Identifier: MIT */
/* Links of PCI Express root ports, by Linux' files. */
#ifndef CLI_TARGET_PORT_LINKS_H
#define CLI_TARGET_PORT_LINKS_H

#include "cli/target/hardware.h"

struct limit_list;

/* Returns the bytes per second that the link of a port moves in one direction; 0: not known. `port`: its folder below
 * `sys`. `state`: "current", or "max": what the port is capable of. */
double port_link_rate(const char *sys, const char *port, const char *state);

/* Adds "stack" for each package: the most that the links of all ports of one of its I/O stacks move together in one
 * direction. Adds nothing if the stacks of the root buses, or the speed of a root port, are not known. */
void limits_read_ports(const struct hardware *h, const struct pmon_platform *platform, struct limit_list *list);

#endif
