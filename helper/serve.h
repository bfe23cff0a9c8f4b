/* SPDX-License-Identifier: MIT */
/*
 * The privileged helper: opens the monitoring registers of this host's processor, gives up every privilege, allows
 * itself nothing but accesses to what is open, and answers the messages of src/access/remote.h until its caller ends.
 */
#ifndef HELPER_SERVE_H
#define HELPER_SERVE_H

#include <stdbool.h>
#include <pmon/hardware.h>

/* Whether the descriptor is one end of a pair of sockets of whole messages whose other end this user made. */
bool helper_check_socket(int fd);

/* Answers the messages that arrive at `fd`. `system`: NULL in the program; a tree of files in tests. Returns when the
 * other end is closed (0) or has sent what no caller sends (1). */
int helper_serve(int fd, const struct pmon_system *system);

#endif
