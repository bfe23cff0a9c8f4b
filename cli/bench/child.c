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
#include <unistd.h>
#include "cli/common/paths.h"
#include "vm/file.h"

enum { OPEN_FOLDERS = 16 };

static int child_file(const char *path)
{
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* Signals that are ignored, as by nohup, stay so. */
static void child_signals(sigset_t *ret, bool all)
{
  static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction is;
  sigemptyset(ret);
  sigaddset(ret, SIGCHLD);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (all || (!sigaction(ends[i], NULL, &is) && is.sa_handler != SIG_IGN))
      sigaddset(ret, ends[i]);
}

void child_watch(struct child_watch *w)
{
  sigset_t signals;
  *w = (struct child_watch){.ended_by = 0};
  child_signals(&signals, false);
  sigprocmask(SIG_BLOCK, &signals, &w->before);
}

pid_t child_wait(struct child_watch *w, int *ret_status)
{
  sigset_t signals;
  pid_t pid;
  child_signals(&signals, false);
  while (!(pid = waitpid(-1, ret_status, WNOHANG))) {
    const int signal = sigwaitinfo(&signals, NULL);
    if (signal == SIGCHLD || (signal < 0 && errno == EINTR))
      continue;
    if (signal > 0) {
      w->ended_by = signal;
      errno = EINTR;
    }
    return -1;
  }
  return pid;
}

void child_end(pid_t pid)
{
  int status;
  kill(pid, SIGTERM);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
}

void child_unwatch(struct child_watch *w)
{
  if (w->ended_by)
    raise(w->ended_by);
  sigprocmask(SIG_SETMASK, &w->before, NULL);
}

pid_t child_start(const char *const *argv, const char *output, const char *errors)
{
  const pid_t parent = getpid(), pid = fork();
  if (pid)
    return pid;
  sigset_t signals;
  child_signals(&signals, true);
  sigprocmask(SIG_UNBLOCK, &signals, NULL);
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
  return cli_fail(cli, "%s %s: %s", option, path, errno == EEXIST ? "this is no folder" : strerror(errno));
}

int folder_open(struct cli *cli, const char *named, char path[PATH_MAX])
{
  const char *temporary = getenv("TMPDIR");
  if (named) { /* a guest's files have the same full path here and there */
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
