/* SPDX-License-Identifier: MIT */
/* Shared by the tests of `pmon stat`: the command, a folder with a trace, and the captured output. */
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

/* The command's path: the test's first argument. */
extern const char *pmon;
extern char folder[32], trace[64];

struct output {
  int status;
  char out[1 << 20], err[8192];
};

/* Set-up of the whole group: makes the folder, and in it a trace in lackey's format: two passes over 4 MB that miss
 * every cache, return to the same lines, and write. */
int frame_set_up(void **state);
int frame_tear_down(void **state);

/* Reads a file as text, truncated to `size`; "": the file cannot be read. */
void take_file(const char *path, char *text, size_t size);

/* Runs `pmon stat ARGUMENTS`; @ in the arguments stands for the test's folder. */
struct output *measured(const char *arguments);

/* Runs `pmon stat --json ARGUMENTS`, which must succeed. Returns the parsed report, which the caller owns. */
json_t *measured_json(const char *arguments);
json_t *frame_parse(const char *text);

/* Returns the value of a name in a scope, given by package and instance; -1: none. */
double json_value_of(const json_t *report, const char *name, int package, int instance);

#endif
