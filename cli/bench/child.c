/* SPDX-License-Identifier: MIT */
#include "cli/bench/child.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "cli/common/paths.h"
#include "vm/file.h"

enum { OPEN_FOLDERS = 16, CHILD_PATIENCE_S = 5 };

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

static int child_file(const char *path)
{
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* The signals that end this process. A signal that is ignored, as under nohup, stays ignored. */
static void ending_signals(sigset_t *ret)
{
  struct sigaction is;
  sigemptyset(ret);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (!sigaction(ends[i], NULL, &is) && is.sa_handler != SIG_IGN)
      sigaddset(ret, ends[i]);
}

void child_watch(struct child_watch *w)
{
  sigset_t signals;
  *w = (struct child_watch){.ended_by = 0};
  ending_signals(&signals);
  sigaddset(&signals, SIGCHLD);
  sigprocmask(SIG_BLOCK, &signals, &w->before);
}

static pid_t watch_end(struct child_watch *w, int signal)
{
  w->ended_by = signal;
  errno = EINTR;
  return -1;
}

bool child_interrupted(void)
{
  sigset_t pending, endings;
  ending_signals(&endings);
  sigpending(&pending);
  sigandset(&pending, &pending, &endings);
  return !sigisemptyset(&pending);
}

pid_t child_wait(struct child_watch *w, int *ret_status)
{
  static const struct timespec now = {0, 0};
  sigset_t endings, signals;
  ending_signals(&endings);
  signals = endings;
  sigaddset(&signals, SIGCHLD);
  for (;;) {
    /* Checked first: a guest that a terminal's ^C ended besides this process has no result. */
    const int pending = sigtimedwait(&endings, NULL, &now);
    if (pending > 0)
      return watch_end(w, pending);
    const pid_t pid = waitpid(-1, ret_status, WNOHANG);
    if (pid)
      return pid;
    const int signal = sigwaitinfo(&signals, NULL);
    if (signal > 0 && signal != SIGCHLD)
      return watch_end(w, signal);
  }
}

/* Reaps the processes that have ended. Returns how many still run. */
static unsigned children_left(pid_t *pid, unsigned n)
{
  unsigned left = 0;
  for (unsigned i = 0; i < n; i++) {
    if (pid[i] > 0 && waitpid(pid[i], NULL, WNOHANG))
      pid[i] = 0;
    left += pid[i] > 0;
  }
  return left;
}

/* Waits for the processes, at most CHILD_PATIENCE_S. */
static void children_wait_briefly(pid_t *pid, unsigned n)
{
  struct timespec start, now;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (children_left(pid, n)) {
    clock_gettime(CLOCK_MONOTONIC, &now);
    const time_t left = CHILD_PATIENCE_S - (now.tv_sec - start.tv_sec);
    if (left <= 0)
      return;
    sigtimedwait(&signals, NULL, &(struct timespec){left, 0}); /* also woken by other children */
  }
}

static void children_signal(const pid_t *pid, unsigned n, int signal)
{
  for (unsigned i = 0; i < n; i++)
    if (pid[i] > 0)
      kill(pid[i], signal);
}

void children_end(pid_t *pid, unsigned n)
{
  children_signal(pid, n, SIGTERM);
  children_wait_briefly(pid, n);
  children_signal(pid, n, SIGKILL);
  for (unsigned i = 0; i < n; i++) {
    while (pid[i] > 0 && waitpid(pid[i], NULL, 0) < 0 && errno == EINTR)
      continue;
    pid[i] = 0;
  }
}

void child_unwatch(struct child_watch *w)
{
  if (w->ended_by)
    raise(w->ended_by);
  sigprocmask(SIG_SETMASK, &w->before, NULL);
}

/* A guest ends by SIGTERM, from children_end() or when this process is gone, whatever this process does with SIGTERM.
 * SIGINT and SIGHUP stay ignored if they are: a shell's background job is in the group that ^C ends. */
static void child_take_signals(void)
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    sigaddset(&signals, ends[i]);
  signal(SIGTERM, SIG_DFL);
  sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

pid_t child_start(const char *const *argv, const char *output, const char *errors)
{
  const pid_t parent = getpid(), pid = fork();
  if (pid)
    return pid;
  child_take_signals();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  const int out = child_file(output), err = child_file(errors);
  if (getppid() == parent && out >= 0 && err >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
    execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
  _exit(BENCH_NO_GUEST);
}

int child_exit_code(int status)
{
  return WIFEXITED(status) ? WEXITSTATUS(status) : BENCH_NO_GUEST;
}

const char *child_failure(int exit_code, const char *report)
{
  static const char message[] = "pmon vm: ";
  const bool refused = !strncmp(report, message, sizeof message - 1) || strstr(report, "\npmon vm: ");
  return exit_code == BENCH_PANIC            ? "panic"
         : exit_code == BENCH_TIME_OUT       ? "time-out"
         : exit_code == BENCH_NO_GUEST       ? "no guest"
         : exit_code == CLI_USAGE && refused ? "no guest was started"
                                             : NULL;
}

int folder_make(struct cli *cli, const char *option, const char *path)
{
  struct stat is;
  if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &is) && S_ISDIR(is.st_mode)))
    return CLI_DONE;
  return cli_fail(cli, "%s %s: %s", option, path,
                  errno == EEXIST ? "the file exists and is not a folder" : strerror(errno));
}

int folder_open(struct cli *cli, const char *named, char path[PATH_MAX])
{
  const char *temporary = getenv("TMPDIR");
  if (named) { /* so that a guest's files have the same full path here and there */
    int result = folder_make(cli, "--artifacts", named);
    if (result == CLI_DONE)
      result = path_lock_folder(cli, "--artifacts", named);
    return result != CLI_DONE || realpath(named, path) ? result
                                                       : cli_fail(cli, "--artifacts %s: %s", named, strerror(errno));
  }
  snprintf(path, PATH_MAX, "%s/pmon-bench-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  return mkdtemp(path) ? CLI_DONE : cli_fail(cli, "%s: %s", path, strerror(errno));
}

static int folder_remove_one(const char *path, const struct stat *is, int kind, struct FTW *at)
{
  (void)is, (void)kind, (void)at;
  return remove(path);
}

void folder_remove(const char *path)
{
  nftw(path, folder_remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

int folder_save(struct cli *cli, const char *path, void (*write)(const void *user, struct out *out), const void *user)
{
  struct out *out = calloc(1, sizeof *out);
  if (!out)
    return cli_fail_memory(cli);
  out->fd = child_file(path);
  if (out->fd >= 0) {
    write(user, out);
    out_flush(out);
  }
  const int error = out->fd < 0 ? errno : out->error ? out->error : close(out->fd) ? errno : 0;
  free(out);
  return error ? cli_fail(cli, "%s: %s", path, strerror(error)) : CLI_DONE;
}

char *folder_read(const char *path)
{
  struct file file = {.n = 0};
  file_read(path, &file);
  char *text = calloc(1, file.n + 1);
  if (text && file.n)
    memcpy(text, file.bytes, file.n);
  file_free(&file);
  return text;
}
