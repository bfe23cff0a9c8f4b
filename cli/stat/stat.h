/* SPDX-License-Identifier: MIT */
/* `pmon stat` in its parts: the options (stat.c), running sessions (measure.c), telling results (tell.c). */
#ifndef CLI_STAT_STAT_H
#define CLI_STAT_STAT_H

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include "cli/common/findings.h"
#include "cli/stat/direct.h"
#include "cli/target/core_states.h"
#include "cli/target/target.h"

struct pmon_region_info;

struct stat_run {
  struct cli *cli;
  struct target_options target;
  struct pmon_plan *plan;
  bool check;                    /* invariants are measured on purpose, and accesses judged by the rules */
  struct checker *checker;       /* NULL: none */
  uint32_t invariant_violations; /* told so far */
  bool wanted;                   /* an event or metric was named */
  uint64_t interval_ns, slice_ns;
  uint32_t breakdown;
  enum pmon_format format;
  char journal[400]; /* path; "": none yet */
  bool journal_asked;
  const char *out_path, *log_path, *replay, *record_path;
  struct pmon_record *record;
  const char *access_method;   /* --backend; NULL: auto */
  struct hardware hardware;    /* the host's */
  bool host;                   /* it is measured, not a machine */
  struct host_command command; /* which runs on it then */
  bool dry, force;
  uint32_t freeze; /* enum pmon_freeze */
  bool verify_asked;
  uint64_t verify_ns;     /* --verify */
  char backend[32];       /* its name in the results */
  char clock_name[4][32]; /* of a replay */
  int out_fd;
  FILE *log;
  struct core_states states; /* of Montecito's threads, for the checker and the log */
  bool header_written, out_failed;
  enum pmon_order order;
  uint32_t top, runs;           /* runs: 0 and 1: one */
  struct pmon_report **reports; /* of the runs so far */
  uint32_t n_reports;
  uint64_t every_count; /* --every: intervals end when every_event has counted this often; 0: they do not */
  uint32_t every_event;
  uint32_t interval; /* number of the interval that is told next */
  char command_text[256];
  /* pmon sample: what is caught, who gets it, and who tells it in the end. No intervals are told then. */
  const struct pmon_sample_source *wanted_source;
  void (*sample)(void *user, const struct pmon_sample *sample);
  void (*print_samples)(struct stat_run *s);
  void *sample_user;
  uint64_t poll_ns;
  struct {
    struct machine_workload *workload; /* NULL: regions are not followed */
    struct target_mark mark;           /* the next to be taken */
    bool pending;
    uint64_t lost; /* marks that could not be taken */
  } regions;
  double measured_seconds;
  uint64_t origin_ns; /* on the backend's clock: what times are told from */
  struct timespec started, shown;
};

/*
 * Regions of the program on the machine (regions.c). Whether they are followed: not while overflows end intervals or
 * samples are taken, not in a log, which a replay could not repeat, and not in repeated runs. A tick asks whether one
 * begins or ends now; then the run returns, and the mark is taken, until there is none.
 */
void stat_regions_follow(struct stat_run *s, const struct target *t);
bool stat_regions_pending(struct stat_run *s);
bool stat_regions_take(struct stat_run *s, struct pmon_session *session);
/* All that is open ends, and the results are recorded and printed. An enum cli_exit. */
int stat_regions_report(struct stat_run *s, struct pmon_session *session, uint32_t packages);
/* Prints the results of regions: the session's, or those of a recording (else NULL), which are loaded into the session.
 * An enum cli_exit. */
struct stat_regions {
  struct pmon_session *session;
  struct pmon_recording *recording;
  uint32_t packages;
};
int stat_regions_print(struct stat_run *s, const struct stat_regions *regions);
/* Prints one result, with the region that the head names. */
int stat_report_region(struct stat_run *s, const struct pmon_session *view, uint32_t packages,
                       const struct pmon_region_info *info);

/* The signal that asked to stop; 0: none. */
extern struct live_stop stat_stop;

/* Whether the host itself is measured, and not a machine: what --backend says, else whether that can be done and
 * nothing asks for the machine. */
bool stat_on_host(struct stat_run *s);

/* Runs what the options say. Result: an enum cli_exit. */
int stat_measure(struct stat_run *s);

/* Opens and closes the files that results and accesses go to; closing says what could not be written. */
int stat_open_files(struct stat_run *s);
int stat_close_files(struct stat_run *s, int result);

/* Tells what a session measured since its start or last mark. */
int stat_print_report(struct stat_run *s, struct pmon_session *session, uint32_t packages);

/* The mean of all runs. */
int stat_print_mean(struct stat_run *s);

/* Values of --sort; of options that are numbers from 1 to `most`. CLI_DONE, or CLI_USAGE after telling the error. */
int stat_parse_order(struct stat_run *s, const char *text);
int stat_read_count(struct stat_run *s, const char *text, uint32_t most, uint32_t *ret);

/* Where results go: to standard output, or to the file of -o. 0. */
int stat_sink(void *user, const char *bytes, size_t n);

/* Options that name what is measured or watched as in `pmon stat`; `N,EVENT` of --every. */
int stat_parse_every(struct stat_run *s, const char *value);
int stat_parse_journal(struct stat_run *s, const char *path);
int stat_make_plan(struct stat_run *s);
void stat_describe_command(struct stat_run *s);

/* Times are told from then on: a measurement on the computer begins at 0, not when the computer did. The machine's
 * clock begins with the machine, whose scenarios and logs go by it. */
void stat_begin_at(struct stat_run *s, uint64_t now_ns);
/* How far it is, on a terminal. */
void stat_show_progress(struct stat_run *s, uint64_t now_ns);
void stat_clear_progress(const struct stat_run *s);

#endif
