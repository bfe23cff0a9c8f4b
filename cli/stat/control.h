/* SPDX-License-Identifier: MIT */
/*
 * The times in which counters are enabled: -D -1 begins without, and commands of another program (--control) enable and
 * disable them. A disabled session is stopped: its counters are frozen, or what they count is left out, and its time
 * stops. The backend's time goes on.
 *
 * On the emulated machine the measured program may itself send the commands. It runs ahead of the machine: a command
 * takes effect when the machine has run what the program had executed before it. If the program waits for the
 * acknowledgement, that is exactly where it waits.
 */
#ifndef CLI_STAT_CONTROL_H
#define CLI_STAT_CONTROL_H

#include "cli/stat/control_channel.h"
#include "cli/target/target.h"

struct stat_run;

struct stat_control {
  const char *where;               /* --control; NULL: not given */
  struct control_channel *channel; /* NULL: none */
  bool starts_disabled;            /* -D -1 */
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

/* Opens the channel of --control (an enum cli_exit), and closes it. */
int stat_control_open(const struct cli *cli, struct stat_control *c);
void stat_control_close(struct stat_control *c);
/* Before a run's program starts, and when its backend is open. */
void stat_control_prepare(struct stat_control *c, struct target_options *target);
void stat_control_follow(struct stat_control *c, const struct target *t);
/* When the session has started: disables it, with -D -1, and takes the commands that have come. An enum pmon_status. */
int stat_control_begin(struct stat_run *s, struct pmon_session *session);
/* Makes the command that is due take effect, and acknowledges it. An enum pmon_status. */
int stat_control_take(struct stat_run *s, struct pmon_session *session, bool *ret_taken);
/* Lets time pass while the counters are disabled: until a command enables them, the end of the measurement, or
 * `until_ns`. CLI_DONE, or an exit code after printing an error. */
int stat_control_pass(struct stat_run *s, struct pmon_session *session, uint64_t until_ns, bool *ret_ended);
/* After a measurement without a report: CLI_DONE, or CLI_FAILED after printing that commands left it none. */
int stat_control_check(const struct cli *cli, const struct stat_control *c);

/* Called while time passes, by the session or in place of it; whether the run returns now. */
bool stat_tick(struct stat_run *s, uint64_t now_ns);
/* The time between these calls. */
uint64_t stat_tick_ns(const struct stat_run *s);

#endif
