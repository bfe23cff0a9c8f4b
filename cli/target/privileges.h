/* SPDX-License-Identifier: MIT */
/*
 * Privileges beyond the user's, from a set-user-ID file or file capabilities. They are used to open devices only, and
 * dropped before a measured command starts. If the user is root, everything remains permitted until then.
 */
#ifndef CLI_TARGET_PRIVILEGES_H
#define CLI_TARGET_PRIVILEGES_H

#include <stdbool.h>

/* Acts as the calling user: files are opened and created with that user's rights. Call it first, and after each
 * privileges_take_up(). */
void privileges_lay_aside(void);

/* Acts with all privileges, to open devices. */
void privileges_take_up(void);

/* For a child before it executes another program: the program gets the user's privileges and no more. False: that
 * failed, and the child must not continue. */
bool privileges_return(void);

/* Drops all privileges permanently, including root's capabilities and those that new programs could acquire. False:
 * some remain. */
bool privileges_drop(void);

#endif
