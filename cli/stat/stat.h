/* SPDX-License-Identifier: MIT */
/* The parts of `pmon stat`: the options (options.c), what is measured (wanted.c), where the counts come from
 * (source.c), running sessions (measure.c), recordings (record.c), reports (print.c) and their destination (output.c).
 */
#ifndef CLI_STAT_STAT_H
#define CLI_STAT_STAT_H

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include "cli/common/findings.h"
#include "cli/stat/control.h"
#include "cli/stat/direct.h"
#include "cli/stat/monitor_group.h"
#include "cli/stat/sampled.h"
#include "cli/stat/separator.h"
#include "cli/target/core_states.h"
#include "cli/target/devices.h"
#include "cli/target/target.h"

struct pmon_region_info;
struct histogram;
struct series;
struct stat_run;

/* pmon top and pmon exporter, which show the counts while they are measured. Functions may be NULL. */
struct stat_watch {
  void *user; /* of the functions */
  /* Receives the report of each interval in place of printing it. */
  void (*on_report)(void *user, const struct pmon_report *report, double seconds, double end_seconds);
  bool (*on_tick)(void *user);                                      /* whether the measurement ends now */
  bool (*wants_row)(void *user, const struct pmon_report_row *row); /* NULL: reports have all rows */
  uint64_t *accesses;                                               /* to registers, added up here; NULL: not counted */
};

/* pmon sample: no intervals are printed. */
struct stat_samples {
  const struct pmon_sample_source *source;
  uint64_t poll_ns;
  void (*add)(void *user, const struct pmon_sample *sample); /* receives each record; NULL: no samples are collected */
  void *user;
  void (*print)(struct stat_run *s); /* prints the result */
  struct pmon_sample_loss loss;      /* filled when the sampling has ended */
};

/* Regions of the program (regions.c). */
struct stat_marks {
  struct machine_workload *workload; /* of the machine, or */
  struct region_channel *channel;    /* of a command on the host, or */
  struct pmon_backend *replay;       /* the log; all NULL: regions are not followed */
  struct pmon_backend *log;          /* where marks are noted; NULL: there is no --log */
  struct target_mark mark;           /* the next mark */
  bool pending;
  uint64_t lost; /* marks that could not be processed */
};

/* When counters are enabled (enabled.c). */
struct stat_control {
  const char *where;       /* --control; NULL: not given */
  struct control *channel; /* cli/stat/control.h; NULL: none */
  bool starts_disabled;    /* -D -1 */
  bool disabled;
  uint64_t paused_ns, all_paused_ns; /* disabled time within the interval, and within the measurement so far */
  bool began;                        /* counters have been enabled */
  enum control_command pending;
  unsigned early;              /* lines that came before the program started */
  bool at_rest;                /* the machine has run all that its program executed, which waits */
  bool noted;                  /* what the program has executed was noted when the next command had come, */
  unsigned looks;              /* and how often the machine was found to have run it */
  const struct target *target; /* of this run */
  struct pmon_backend *backend;
  struct pmon_backend *replay; /* a log with commands; NULL: none */
};

struct stat_run {
  struct cli *cli;

  /* What is measured. */
  struct target_options target;
  struct pmon_plan *plan;
  bool wanted;           /* -e, -m or -g was given */
  char *waiting;         /* -m: lists whose equations may use names of later lists; NULL: none */
  bool missed_overflows; /* --every: an instance that reports no overflow has been named */
  uint64_t every_count;  /* --every: intervals end when every_event has counted this often; 0: not given */
  uint32_t every_event;
  uint64_t interval_ns, slice_ns;
  uint64_t duration_ns; /* --duration; 0: to the end */
  uint64_t delay_ns;    /* --delay */
  struct stat_control control;
  bool delaying;  /* the delay is passing */
  bool summary;   /* --summary: the recording's totals follow the intervals */
  bool by_device; /* --by device */
  struct device_list devices;
  struct stat_sampled sampled;
  struct stat_samples samples;

  /* How it is measured. */
  const char *access_method; /* --backend; NULL: auto */
  char backend[32];          /* the backend's name in the results */
  struct hardware hardware;  /* the host's */
  bool host;                 /* the host is measured, not a machine */
  const char *resctrl_group; /* --resctrl-group; NULL: all control groups */
  bool own_group;            /* --resctrl-new: a group of the command's own */
  struct monitor_group group;
  struct host_command command; /* runs on the host in that case */
  const char *replay;          /* --replay; NULL: none */
  bool dry, force, pass_exit;  /* pass_exit: --exit-code */
  uint32_t freeze;             /* enum pmon_freeze */
  bool no_witness;             /* --witness off */
  bool verify_given;
  uint64_t verify_ns; /* --verify */
  char journal[400];  /* path; "": none */
  bool journal_given;
  bool check;                /* --check: invariants are measured, and accesses checked against the rules */
  struct checker *checker;   /* NULL: none */
  struct core_states states; /* registers of Montecito's threads, for the checker and the log */

  /* Files and the form of results. */
  const char *out_path, *log_path, *record_path, *html_path;
  struct out *file; /* of -o; NULL: standard output */
  FILE *log;
  struct pmon_record *record; /* during a measurement; NULL: nothing is recorded */
  bool recorded;              /* a recording was begun */
  enum pmon_format format;
  struct separator separator; /* -x */
  enum pmon_order order;
  uint32_t breakdown, top;
  bool breakdown_given; /* by an option */
  bool header_written, out_failed;
  struct series *series; /* the table of intervals; NULL: none */
  bool series_tried, series_used;
  bool wants_histogram;        /* --histogram */
  struct histogram *histogram; /* of the intervals so far; NULL: none */
  char begin[1024];            /* the text above it */

  /* Names in results. */
  char machine[64];       /* the emulated machine that is counted, by its platform; "": real hardware */
  char clock_name[4][32]; /* machine of a replay */
  char name[128];         /* the host's; "": a machine is measured */
  double time;            /* when the measurement began, in seconds since 1970 (UTC); 0: simulated time */
  char command_text[256];

  const char *pre, *post; /* --pre, --post; NULL: none */

  /* Repeated runs. */
  uint32_t runs;                /* 0 and 1: one */
  bool compared;                /* of pmon diff, which reports when all runs have ended */
  struct pmon_report **reports; /* of the runs so far */
  uint32_t n_reports;
  struct region_run *region_runs; /* the regions' reports of the runs so far (region_runs.c) */
  bool repeats_regions;           /* regions of repeated runs are followed */

  /* The measurement so far. */
  struct stat_watch watch;
  struct stat_marks regions;
  bool quit;                     /* watch.on_tick() ended the measurement */
  uint32_t interval;             /* number of the next interval */
  uint32_t invariant_violations; /* printed so far */
  uint32_t changed_registers;    /* by other software, as reported last */
  uint64_t values, lost_values;  /* of all reports; those that have no number since the counter could not be used */
  char lost_reason[163];         /* of the first one */
  double measured_seconds;
  uint64_t origin_ns; /* origin of printed times, on the backend's clock */
  struct timespec started, shown;
};

/*
 * Regions of the program, on the machine or the host, or of a log (regions.c). They are not followed while samples are
 * collected. Each tick asks whether a region begins or
 * ends now; if so, the run returns and the mark is processed, until no mark is left.
 */
bool stat_regions_wanted(const struct stat_run *s);
void stat_regions_follow(struct stat_run *s, const struct target *t);
bool stat_regions_pending(struct stat_run *s);
bool stat_regions_take(struct stat_run *s, struct pmon_session *session);
/* Ends all open regions and prints the results, if regions are followed. An enum cli_exit. */
int stat_regions_report(struct stat_run *s, struct pmon_session *session, uint32_t packages);
/* Prints the results of regions: the session's, or those of a recording (else NULL), which are loaded into the session.
 * An enum cli_exit. */
struct stat_regions {
  struct pmon_session *session;
  struct pmon_recording *recording;
  uint32_t packages;
};
int stat_regions_print(struct stat_run *s, const struct stat_regions *regions);
/* Prints one result; `head` names its region. */
int stat_report_region(struct stat_run *s, const struct pmon_session *view, uint32_t packages,
                       const struct pmon_region_info *info);

/*
 * Commands that enable and disable the counters (enabled.c). Opens the channel of --control (an enum cli_exit), and
 * closes it.
 */
int stat_control_open(struct stat_run *s);
void stat_control_close(struct stat_run *s);
/* Before a run's program starts, and when its backend is open. */
void stat_control_prepare(struct stat_run *s);
void stat_control_follow(struct stat_run *s, const struct target *t);
/* When the session has started: disables it, with -D -1, and takes the commands that have come. An enum pmon_status. */
int stat_control_begin(struct stat_run *s, struct pmon_session *session);
/* Makes the command that is due take effect, and acknowledges it. An enum pmon_status. */
int stat_control_take(struct stat_run *s, struct pmon_session *session, bool *ret_taken);
/* Lets time pass while the counters are disabled: until a command enables them, the end of the measurement, or
 * `until_ns`. CLI_DONE, or an exit code after printing an error. */
int stat_control_pass(struct stat_run *s, struct pmon_session *session, uint64_t until_ns, bool *ret_ended);
/* After a measurement without a report: CLI_DONE, or CLI_FAILED after printing that commands left it none. */
int stat_control_check(const struct stat_run *s);

/* Called while time passes, by the session or in place of it; whether the run returns now. */
bool stat_tick(struct stat_run *s, uint64_t now_ns);
/* The time between these calls. */
uint64_t stat_tick_ns(const struct stat_run *s);

/* The signal that requested the end; 0: none. */
extern struct live_stop stat_stop;
/* Called at each of these signals, in the signal handler; NULL: nothing is. */
extern void (*stat_at_signal)(void);

/* Lets SIGINT, SIGTERM, SIGHUP and SIGPIPE set stat_stop; the latter two unless they are ignored or handled.
 * stat_begin() does this. */
void stat_handle_signals(void);

/* Whether the host is measured, and not a machine: as --backend says; else if the host can be measured and no option
 * requires the machine. */
bool stat_on_host(struct stat_run *s);

/* Measures as the options state. Returns an enum cli_exit. */
int stat_measure(struct stat_run *s);

/* The steps of stat_measure(), for commands that measure in turns: opens what all runs need; one run, from the
 * machine's start to its end, whose report is kept in `reports` if `runs` is over 1; closes, and returns the exit code
 * for `result`. */
int stat_begin(struct stat_run *s);
int stat_measure_once(struct stat_run *s);
int stat_end(struct stat_run *s, int result);

/* Opens the backend: the host, with the command waiting to start, a machine, or a log; and puts the checking and
 * logging wrappers around it (open.c). An enum cli_exit. */
int stat_open_backend(struct stat_run *s, struct target *t);
/* After an error of a replay: prints that the log does not fit. Returns `result`. A capture fits all options. */
int stat_fail_replay(const struct stat_run *s, int result);
int stat_wrap_backend(struct stat_run *s, struct target *t);

/* record.c: begins the recording, if one is wanted, with the session's devices; sets the journal's path: the given one,
 * or a default for backends whose registers outlive pmon, except the kernel's. An enum cli_exit. */
int stat_begin_record(struct stat_run *s, const struct pmon_session *session);
int stat_choose_journal(struct stat_run *s);

/* Warnings about counts that may be wrong (warnings.c): other software changed control or filter registers, since the
 * last check (reported again only if their number changes); an instance counted far more than --every allows, because
 * its overflows did not freeze the package, or their message did not arrive (817509 2.12.1; reported once); filters of
 * another user would narrow the counts. */
void stat_warn_changed(struct stat_run *s, const struct pmon_session *session);
void stat_warn_missed_overflows(struct stat_run *s, const struct pmon_session *session, uint32_t packages);
void stat_warn_filters(const struct stat_run *s, const struct pmon_session *session);

/* hooks.c: runs the shell command of --pre or --post (NULL: none) and waits for its end. Not with --dry-run. CLI_DONE,
 * or an exit code after printing an error: it failed, or a signal came. */
int stat_run_hook(const struct stat_run *s, const char *option, const char *command);

/* summary.c: prints the values of the whole recording, as if they were one interval. An enum cli_exit. */
int stat_print_summary(struct stat_run *s);

/* Open and close the files for results and accesses; closing reports write errors. */
int stat_open_files(struct stat_run *s);
int stat_close_files(struct stat_run *s, int result);

/* Makes a report of the counts of a session since its start or last mark. An enum pmon_status. */
int stat_make_report(struct stat_run *s, struct pmon_session *session, uint32_t packages,
                     struct pmon_report **ret_report);

/* Prints the counts of a session since its start or last mark. */
int stat_print_report(struct stat_run *s, struct pmon_session *session, uint32_t packages);

/* Ends the table of intervals, with its footnotes, or prints the histogram. An enum cli_exit. */
int stat_end_series(struct stat_run *s);

/* Prints the mean of all runs, and that of each region. */
int stat_print_mean(struct stat_run *s);
/* Reports that no printed value has a number because no counter could be used, and returns CLI_NO_HARDWARE if `result`
 * is CLI_DONE; else returns `result`. */
int stat_check_values(const struct stat_run *s, int result);

/* Write a report, and that of a region (output.c). An enum pmon_status. */
int stat_write_report(struct stat_run *s, struct pmon_report *r);
int stat_write_region(struct stat_run *s, struct pmon_report *r);
/* Adds a region's report of one run, and takes ownership of it: CLI_DONE, or an exit code after printing an error.
 * Prints the mean of each region and thread, and frees the reports: an enum pmon_status. */
int stat_region_runs_add(struct stat_run *s, const struct pmon_region_info *info, struct pmon_report *report);
int stat_region_runs_print(struct stat_run *s);

/* Parse a number from 1 to `most`, which is in optarg, and one of `n` words (NULL entries are skipped), whose index
 * goes to *ret. CLI_DONE, or CLI_USAGE after printing an error. */
int stat_read_count(struct stat_run *s, const char *option, uint32_t most, uint32_t *ret);
int stat_parse_word(struct stat_run *s, const char *option, const char *text, const char *const *words, uint32_t n,
                    uint32_t *ret);

/* Writes results to standard output, or to the file of -o. 0. */
int stat_sink(void *user, const char *bytes, size_t n);

/* Options for how values are printed (print_options.c), which other commands also take; handles one of them, by its
 * code. An enum cli_exit. */
extern const struct cli_option stat_print_options[];
int stat_take_print_option(struct stat_run *s, int code, const char *value);
/* Rejects those that exclude each other; -x alone selects CSV. CLI_DONE, or CLI_USAGE after printing an error. */
int stat_check_print_options(struct stat_run *s);

/* The other options, in the groups of the help (options.c). */
extern const struct cli_option stat_what_options[], stat_output_options[], stat_method_options[], stat_file_options[];
/* --resctrl-group and --resctrl-new (source.c), for commands that start another one; exporters have the first alone.
 * Handles one of them, by its code (CLI_DONE). */
#define STAT_GROUP_OPTION                                                                                              \
  {                                                                                                                    \
    "resctrl-group", CLI_OPTION_RESCTRL_GROUP, "PATH",                                                                 \
        "unit resctrl: read this group, by its path below /sys/fs/resctrl (default: all control groups together)",     \
        CLI_TEXT, NULL                                                                                                 \
  }
extern const struct cli_option stat_group_options[];
int stat_take_group_option(struct stat_run *s, int code, const char *value);
/* Refuses them where `others` are read instead of a host ("recordings"). CLI_DONE, or CLI_USAGE after printing an
 * error. */
int stat_refuse_group(const struct stat_run *s, const char *others);
/* Reads the options that determine how events and metrics are resolved, at any position. CLI_DONE, or an exit code. */
int stat_read_platform(struct stat_run *s, int argc, char **argv);
/* Reads them all. 0 to continue; 1: *ret_exit is the result. */
int stat_read_options(struct stat_run *s, int argc, char **argv, int *ret_exit);

/* The scopes of results without --per-socket and --per-unit: lines of intervals have totals only. */
uint32_t stat_default_breakdown(const struct stat_run *s, bool intervals);

/* --by device (by_device.c). Before the plan is made: the default metrics are those of ports. An enum cli_exit. */
int stat_prepare_devices(struct stat_run *s);
/* Reads the host's devices, or the scenario's, into `devices`. */
int stat_read_devices(struct stat_run *s);
/* Reads the devices that a recording has; fails if their table is damaged. An enum cli_exit. */
int stat_recorded_devices(struct stat_run *s, struct pmon_recording *recording);
/* As stat_read_devices(), if a report or a recording needs them, with a warning if there are none. */
int stat_find_devices(struct stat_run *s);
/* Stores them in a recording (an enum cli_exit); names the values of a report by them (an enum pmon_status). */
int stat_record_devices(struct stat_run *s);
int stat_name_devices(struct stat_run *s, struct pmon_report *r);

/* --csv or --json: one of them. */
int stat_take_format(struct stat_run *s, enum pmon_format format);

/* Adds an option's list to the plan: 'e' events, 'm' metrics, 'g' metric groups; takes --backend; checks, after all
 * options, what is measured. An enum cli_exit. */
int stat_add_wanted(struct stat_run *s, const char *list, int option);
/* Does the same for an option that can be repeated (-m): equations that use those of later lists wait for
 * stat_add_waiting(), which is called after the last option. */
int stat_add_option(struct stat_run *s, const char *list, int option);
int stat_add_waiting(struct stat_run *s);
/* Adds `list` to `*waiting`, if the plan refused it for a name that another list may define. */
bool stat_keep_waiting(const struct stat_run *s, char **waiting, const char *list);
int stat_parse_access_method(struct stat_run *s, const char *text);
int stat_check_host(struct stat_run *s);

/* A time of an option in milliseconds or with its unit. CLI_DONE, or CLI_USAGE after printing an error. */
int stat_take_time(struct stat_run *s, const char *option, const char *value, uint64_t *ret_ns);

/* Handle options that `pmon stat` and other commands share; `N,EVENT` of --every. */
int stat_parse_every(struct stat_run *s, const char *value);
int stat_parse_journal(struct stat_run *s, const char *path);
int stat_make_plan(struct stat_run *s);
void stat_describe_command(struct stat_run *s);

/* Times are printed relative to this point: a measurement of the host begins at 0, not at the host's boot. The
 * machine's clock begins with the machine, whose scenarios and logs use it. */
void stat_begin_at(struct stat_run *s, uint64_t now_ns);
/* Shows progress on a terminal. */
void stat_show_progress(struct stat_run *s, uint64_t now_ns);
void stat_clear_progress(const struct stat_run *s);

/* --dry-run, in cli/stat/dry.c: writes a line of the dry backend with the register's name behind it; the heading of the
 * first round; and the writes of the other rounds. */
void dry_print_write(struct cli *cli, const char *line);
void dry_print_first(struct cli *cli, const struct pmon_plan *plan, const struct pmon_session *session);
void dry_print_rest(struct cli *cli, const struct pmon_plan *plan, uint32_t packages);

#endif
