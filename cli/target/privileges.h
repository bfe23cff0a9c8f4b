/* SPDX-License-Identifier: MIT */
/*
 * What the command may do beyond its user, because its file is set-user-ID or has capabilities: used to open devices,
 * never for anything else, and given up before a measured command begins. Of a user who is root anyway, everything is
 * his own until then.
 */
#ifndef CLI_TARGET_PRIVILEGES_H
#define CLI_TARGET_PRIVILEGES_H

#include <stdbool.h>

/* Acts as the user who called: files are opened and made with his rights. To be called first of all, and after each
 * privileges_take_up(). */
void privileges_lay_aside(void);

/* Acts with all that was given, to open devices. */
void privileges_take_up(void);

/* For a child that is to become another program: it gets what its user has, and no more. False: that failed, and it
 * must not go on. */
bool privileges_return(void);

/* Gives everything up for good, root's capabilities too, and what new programs could get. False: something is left. */
bool privileges_drop(void);

#endif
