/* SPDX-License-Identifier: MIT */
/* `pmon` on the file trees of other servers (sysfs_kernel.h). */
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

extern char folder[48];      /* has the trees and the imported platforms */
extern char output[1 << 20]; /* of the last command, both streams */

/* Imports the sample, runs the tests, and removes the folder; returns main()'s result. */
int servers_main(int argc, char **argv, int (*run)(void));

/* Fails the test unless `pmon LINE` ends with this exit code and prints this text. */
void expect(const char *line, int code, const char *text);

/* Returns the total of all packages from the CSV; -1: none. */
double total_of(const char *name);

/* Makes the tree of a server in the folder. */
void make_server(const char *platform);

#endif
