/* SPDX-License-Identifier: MIT */
/* How a session reads the counters: time slices, freezes and checks. */
#ifndef CLI_STAT_METHOD_H
#define CLI_STAT_METHOD_H

#include "cli/common/cli.h"

struct stat_method {
  uint64_t slice_ns;  /* --slice; 0: the library's default */
  uint32_t freeze;    /* enum pmon_freeze */
  bool no_witness;    /* --witness off */
  bool verify_given;  /* --verify: */
  uint64_t verify_ns; /* time between checks of control and filter registers; 0: at each read */
};

/* Values of --freeze, --witness and --verify. CLI_DONE, or CLI_USAGE after printing an error. */
int stat_method_parse_freeze(const struct cli *cli, struct stat_method *m, const char *text);
int stat_method_parse_witness(const struct cli *cli, struct stat_method *m, const char *text);
int stat_method_parse_verify(const struct cli *cli, struct stat_method *m, const char *text);

/* Returns the time between checks. Without --verify, a single reading is always checked, and intervals seldom if each
 * check costs accesses: of other registers than the emulated machine's. */
uint64_t stat_method_verify_ns(const struct stat_method *m, bool has_intervals, bool emulated);

#endif
