/* SPDX-License-Identifier: MIT */
/* A run of `pmon vm` as a process of its own, and the folder for the files of such runs. */
#ifndef CLI_BENCH_CHILD_H
#define CLI_BENCH_CHILD_H

#include <limits.h>
#include <signal.h>
#include <sys/types.h>
#include "cli/common/cli.h"

/* The exit codes of `pmon vm` besides its command's (docs/vm.md). */
enum bench_exit { BENCH_VIOLATION = 122, BENCH_PANIC = 123, BENCH_TIME_OUT = 124, BENCH_NO_GUEST = 125 };

/* Starts this program with the arguments (argv[0] is its name, the last is NULL); its outputs go to two files. The
 * process ends with this one. Returns its number, -1 with errno set. */
pid_t child_start(const char *const *argv, const char *output, const char *errors);
/* While guests run: the signals that end this process (SIGINT, SIGTERM, SIGHUP) wait until what it made is removed. */
struct child_watch {
  sigset_t before;
  int ended_by; /* the signal that came; 0: none */
};
void child_watch(struct child_watch *w);
/* Waits for a process that child_start() started. Returns its number; -1: errno, EINTR for such a signal, also if it
 * came together with the end of a process. */
pid_t child_wait(struct child_watch *w, int *ret_status);
/* While it is watched: whether such a signal has come. */
bool child_interrupted(void);
/* While it is watched: ends processes that run, at once, those that take seconds to end by force, and waits for them.
 * Numbers that are not positive are passed over; all are 0 afterwards. */
void children_end(pid_t *pid, unsigned n);
/* Ends the watching, and this process with the signal that came. */
void child_unwatch(struct child_watch *w);
/* What ended it, as an exit code. */
int child_exit_code(int status);
/* "panic", "time-out" or "no guest" for codes with which there is no result, and "no guest was started" where the
 * command's code would be the same, but `report`, its standard error, has a message of `pmon vm`; NULL for the others.
 */
const char *child_failure(int exit_code, const char *report);

/* A folder for files: `named`, which is created, or a new one among the temporary ones. CLI_DONE, or CLI_USAGE after a
 * message. */
int folder_open(struct cli *cli, const char *named, char path[PATH_MAX]);
/* Creates the folder that an option names; one that is there is taken. CLI_DONE, or CLI_USAGE after a message. */
int folder_make(struct cli *cli, const char *option, const char *path);
/* With all that it contains. */
void folder_remove(const char *path);
/* A new file that `write` fills. CLI_DONE, or CLI_USAGE after a message. */
int folder_save(struct cli *cli, const char *path, void (*write)(const void *user, struct out *out), const void *user);
/* The text of a file, "" if there is none; freed by the caller. NULL: no memory. */
char *folder_read(const char *path);

#endif
