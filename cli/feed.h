/* SPDX-License-Identifier: MIT */
/*
 * What feeds the emulated machine, as commands take it from their options: a program, a trace or a scenario, and the
 * machine's parameters. Shared by all commands that run the machine.
 */
#ifndef CLI_FEED_H
#define CLI_FEED_H

#include <getopt.h>
#include "cli/cli.h"
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/scenario.h"

enum feed_option { FEED_TRACE = 1000, FEED_SCENARIO, FEED_SET, FEED_PRESET, FEED_PLACE };

/* Rows for getopt_long(), and their help. */
#define FEED_OPTIONS \
  { "trace", 1, NULL, FEED_TRACE }, { "scenario", 1, NULL, FEED_SCENARIO }, { "set", 1, NULL, FEED_SET }, \
  { "preset", 1, NULL, FEED_PRESET }, { "place", 1, NULL, FEED_PLACE }
#define FEED_HELP \
  "      --trace FILE      a recorded trace: pmon's own format, plain or zstd, or Valgrind lackey text\n" \
  "      --scenario FILE   threads and devices as FILE describes them\n" \
  "      --set NAME=VALUE  a parameter of the machine (pmon machine describe lists them); may repeat\n" \
  "      --preset NAME     a whole machine: emr (the default), cachegrind\n" \
  "      --place POLICY    cores for threads: compact (the default), spread, or a list such as 0,64,1-3\n"

#define FEED_SETTINGS 64

struct feed {
  const char *trace, *scenario, *preset, *place;
  const char *set[FEED_SETTINGS];
  unsigned n_set;
  char **command;                  /* NULL: none */
  struct machine_config config;    /* after feed_configure() */
  struct machine *machine;
  struct trace_source *live;       /* of a command; belongs to the machine's workload */
  struct scenario scene;
};

/* Takes one option; false when it is none of these. A full table of settings is told by feed_configure(). */
bool feed_option(struct feed *f, int option, const char *value);

/* Makes the configuration from preset, scenario and settings, in this order. 0, or an exit code after telling why. */
int feed_configure(struct cli *cli, struct feed *f);

/* Builds the machine and attaches what feeds it (after feed_configure()). 0, or an exit code after telling why. */
int feed_open(struct cli *cli, struct feed *f);

/* Lets the machine run to the workload's end, with progress on a terminal. 0, or an exit code after telling why: what
 * was counted until then stands. */
int feed_run(struct cli *cli, struct feed *f);

/* After the end: tells on standard error what could not be followed and how the program failed, if it did; the exit
 * code. */
int feed_result(struct cli *cli, struct feed *f);

/* Frees the machine and everything with it; a program that still runs is ended. */
void feed_close(struct feed *f);

/* The exit code that a status of the machine's room asks for. */
int feed_exit(int status);

#endif
