/* SPDX-License-Identifier: MIT */
/* A small invented platform that can be checked by eye, loaded from files. */
#ifndef TESTS_EVENT_TOY_H
#define TESTS_EVENT_TOY_H

#include <pmon/pmon.h>

/* Shared by the tests of a group that need it, between set-up and tear-down. */
extern struct pmon_context *context;
extern const struct pmon_platform *emr, *toy;

int toy_set_up(void **state);
int toy_tear_down(void **state);

#endif
