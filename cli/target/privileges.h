/* SPDX-License-Identifier: MIT */
/*
 * Privileges. pmon has those of its caller and no others: it reads files that the caller names and runs programs. It
 * uses them to open devices, and drops them before a measured command starts.
 */
#ifndef CLI_TARGET_PRIVILEGES_H
#define CLI_TARGET_PRIVILEGES_H

#include <stdbool.h>

/* Whether the program's file gives it privileges that its caller does not have: set-user-ID, set-group-ID or file
 * capabilities. */
bool privileges_are_borrowed(void);

/* Warns if the file of the program that a command names has such privileges: measured programs do not acquire them. */
struct cli;
void privileges_warn_of_program(const struct cli *cli, const char *name);

/* For a child before it executes another program: the program gets the user's privileges and no more. False: that
 * failed, and the child must not continue. */
bool privileges_return(void);

/* Drops all privileges permanently, including root's capabilities and those that new programs could acquire. False:
 * some remain. */
bool privileges_drop(void);

#endif
