/* SPDX-License-Identifier: MIT */
/* `pmon` on the file trees of servers that are not here (sysfs_kernel.h). */
#ifndef TESTS_HARDWARE_SERVERS_H
#define TESTS_HARDWARE_SERVERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tests/hardware/sysfs_kernel.h"

extern char folder[48];      /* where the trees and the imported platforms are */
extern char output[1 << 20]; /* of the last command, both streams */

/* Imports the sample, runs the tests, and removes the folder; main()'s result. */
int servers_main(int argc, char **argv, int (*run)(void));

/* Fails unless `pmon LINE` ends with that exit code and prints that text. */
void expect(const char *line, int code, const char *text);

/* The total of all packages, in CSV; -1: there is none. */
double total_of(const char *name);

/* The tree of a server, below the folder. */
void make_server(const char *platform);

#endif
