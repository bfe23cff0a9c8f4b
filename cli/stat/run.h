/* SPDX-License-Identifier: MIT */
/* A measurement, from its options to its results. Each part has a header with the functions on it. */
#ifndef CLI_STAT_RUN_H
#define CLI_STAT_RUN_H

#include "cli/stat/checks.h"
#include "cli/stat/consumer.h"
#include "cli/stat/control.h"
#include "cli/stat/files.h"
#include "cli/stat/intervals.h"
#include "cli/stat/method.h"
#include "cli/stat/names.h"
#include "cli/stat/output.h"
#include "cli/stat/progress.h"
#include "cli/stat/regions.h"
#include "cli/stat/repeats.h"
#include "cli/stat/sampled.h"
#include "cli/stat/source.h"
#include "cli/stat/times.h"
#include "cli/stat/values.h"
#include "cli/stat/wanted.h"
#include "cli/target/devices.h"

struct stat_run {
  struct cli *cli;

  /* What is measured, where, when and how. */
  struct stat_wanted wanted;
  struct target_options target;
  struct stat_source source;
  struct stat_times times;
  struct stat_method method;
  struct stat_sampled sampled;
  struct stat_repeats repeats;
  const char *pre, *post; /* --pre, --post; NULL: none */

  /* Its results. */
  struct stat_output output;
  struct stat_files files;
  struct stat_names names;
  struct device_list devices;
  struct stat_watch watch;
  struct stat_samples samples;
  bool summary;   /* --summary: the recording's totals follow the intervals */
  bool pass_exit; /* --exit-code */

  /* The measurement so far. */
  struct stat_control control;
  struct stat_marks regions;
  struct stat_intervals intervals;
  struct stat_checks checks;
  struct stat_values values;
  struct stat_progress progress;
  bool delaying; /* the delay is passing */
  bool quit;     /* the measurement ends: on_tick() says so, or a command of --control */
  double measured_seconds;
};

/* Begins a measurement of this host, or of its emulated machine, without options; frees what it has. */
void stat_run_init(struct stat_run *s, struct cli *cli);
void stat_run_fini(struct stat_run *s);

#endif
