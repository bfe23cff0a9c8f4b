/* SPDX-License-Identifier: MIT */
/*
 * The privileged helper: opens the monitoring registers of this host's processor, drops every privilege, restricts
 * itself to accesses to open descriptors, and answers the messages of src/access/remote.h until its caller ends.
 */
#ifndef HELPER_SERVE_H
#define HELPER_SERVE_H

#include <stdbool.h>
#include <pmon/hardware.h>

/* True if the descriptor is a Unix socket of whole messages (SOCK_SEQPACKET) whose peer has this user's ID. */
bool helper_check_socket(int fd);

/* Answers the messages that arrive at `fd`. `system`: NULL in the program; a tree of files in tests. Returns when the
 * other end is closed (0), or when it has sent an invalid message, privileges cannot be dropped, or the socket fails
 * (1). */
int helper_serve(int fd, const struct pmon_system *system);

#endif
