/* SPDX-License-Identifier: MIT */
/* An invented platform, small enough to check by eye, loaded from files. */
#ifndef TESTS_EVENT_TOY_H
#define TESTS_EVENT_TOY_H

#include <pmon/pmon.h>

/* What tests that need it share, between the set-up and the tear-down of a group. */
extern struct pmon_context *context;
extern const struct pmon_platform *emr, *toy;

int toy_set_up(void **state);
int toy_tear_down(void **state);

#endif
