/* SPDX-License-Identifier: MIT */
/* What the tests of `pmon stat` share: the command, a folder with a trace, and what it printed. */
#ifndef TESTS_CLI_FRAME_H
#define TESTS_CLI_FRAME_H

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The command, from the test's first argument. */
extern const char *pmon;
extern char folder[32], trace[64];

struct output {
  int status;
  char out[1 << 20], err[8192];
};

/* Of the whole group: makes the folder, and in it accesses that miss every cache, come back, and write: two passes over
 * 4 MB in lackey's words. */
int frame_set_up(void **state);
int frame_tear_down(void **state);

/* A file's text, cut where it is too long; "" where there is none. */
void take_file(const char *path, char *text, size_t size);

/* Runs `pmon stat ARGUMENTS`; @ stands for the test's folder. */
struct output *measured(const char *arguments);

/* The same, of --json, which has to succeed; any JSON. The caller's. */
json_t *measured_json(const char *arguments);
json_t *frame_parse(const char *text);

/* The value of a name in a scope: package and instance, -1 for none. */
double json_value_of(const json_t *report, const char *name, int package, int instance);

#endif
