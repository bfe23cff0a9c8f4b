/* SPDX-License-Identifier: MIT */
/* An invented platform, small enough to check by eye, as a file that a context can load. */
#ifndef TESTS_EVENT_TOY_H
#define TESTS_EVENT_TOY_H

#include <pmon/pmon.h>

/* Writes the platform's files into a new directory, loads them, and removes them again. NULL when that fails. */
const struct pmon_platform *toy_load(struct pmon_context *context);

#endif
