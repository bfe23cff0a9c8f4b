/* SPDX-License-Identifier: MIT */
/* Runs of `pmon vm` as child processes, and the folder for their files. */
#ifndef CLI_BENCH_CHILD_H
#define CLI_BENCH_CHILD_H

#include <limits.h>
#include <signal.h>
#include <sys/types.h>
#include "cli/common/cli.h"

/* Exit codes of `pmon vm` besides those of its command (docs/vm.md). */
enum bench_exit { BENCH_VIOLATION = 122, BENCH_PANIC = 123, BENCH_TIME_OUT = 124, BENCH_NO_GUEST = 125 };

/* Starts this program with the arguments (argv[0] is its name, the last is NULL); its standard output and error go to
 * two files. The child ends with this process. Returns its process ID; -1 with errno set. */
pid_t child_start(const char *const *argv, const char *output, const char *errors);
/* While guests run, the signals that end this process (SIGINT, SIGTERM, SIGHUP) wait until its files are removed. */
struct child_watch {
  sigset_t before;
  int ended_by; /* the signal that came; 0: none */
};
void child_watch(struct child_watch *w);
/* Waits for a process that child_start() started. Returns its process ID; -1 with errno set: EINTR for such a signal,
 * even if a process ended at the same time. */
pid_t child_wait(struct child_watch *w, int *ret_status);
/* While watching: whether such a signal has come. */
bool child_interrupted(void);
/* While watching: ends the processes, with SIGTERM and after some seconds with SIGKILL, and waits for them. IDs that
 * are not positive are skipped; all are 0 afterwards. */
void children_end(pid_t *pid, unsigned n);
/* Stops watching, and ends this process with the signal that came. */
void child_unwatch(struct child_watch *w);
/* Returns the exit code for a wait status. */
int child_exit_code(int status);
/* Returns "panic", "time-out" or "no guest" for exit codes without a result, and "no guest was started" if the code may
 * be the command's but `report`, its standard error, has a message of `pmon vm`; NULL for others. */
const char *child_failure(int exit_code, const char *report);

/* Opens a folder for files: `named`, which is created, or a new temporary one. CLI_DONE, or CLI_USAGE after a
 * message. */
int folder_open(struct cli *cli, const char *named, char path[PATH_MAX]);
/* Creates the folder that an option names, if it does not exist. CLI_DONE, or CLI_USAGE after a message. */
int folder_make(struct cli *cli, const char *option, const char *path);
/* Removes the folder with its contents. */
void folder_remove(const char *path);
/* Creates a file that `write` fills. CLI_DONE, or CLI_USAGE after a message. */
int folder_save(struct cli *cli, const char *path, void (*write)(const void *user, struct out *out), const void *user);
/* Returns the text of a file, "" if there is none; the caller frees it. NULL: no memory. */
char *folder_read(const char *path);

#endif
