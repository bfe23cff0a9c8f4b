/* SPDX-License-Identifier: MIT */
/*
 * Runs a program, and before each of its system calls that concerns a file's lock or name, or writes into a file of the
 * folder, a shell command: this is an action of another process at exactly that moment. Exits with the program's
 * status. usage: at-call FOLDER COMMAND PROGRAM ARGUMENT...
 */
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SKIPPED = 77, FAILED = 99 };

static bool is_in_folder(pid_t pid, uint64_t fd, const char *folder)
{
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, (int)fd);
  const ssize_t n = readlink(link, path, sizeof path - 1);
  path[n > 0 ? n : 0] = 0;
  return !strncmp(path, folder, strlen(folder));
}

static bool concerns_files(pid_t pid, const struct __ptrace_syscall_info *call, const char *folder)
{
  switch (call->entry.nr) {
  case SYS_write: return is_in_folder(pid, call->entry.args[0], folder);
  case SYS_flock:
  case SYS_link:
  case SYS_linkat:
  case SYS_rename:
  case SYS_renameat2:
  case SYS_unlink: return true;
  default: return false;
  }
}

static int at_call_start(char **argv, pid_t *ret_pid)
{
  int status;
  const pid_t pid = fork();
  if (!pid) {
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* leak detection does not work under ptrace() */
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
      _exit(SKIPPED);
    raise(SIGSTOP);
    execvp(argv[0], argv);
    _exit(FAILED);
  }
  *ret_pid = pid;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status) &&
                 !ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL))
             ? 0
             : SKIPPED;
}

int main(int argc, char **argv)
{
  struct __ptrace_syscall_info info;
  pid_t pid;
  int status = 0, calls = 0;
  long deliver = 0;
  if (argc < 4) {
    fputs("usage: at-call FOLDER COMMAND PROGRAM ARGUMENT...\n", stderr);
    return 2;
  }
  if (at_call_start(argv + 3, &pid)) {
    fputs("SKIPPED: ptrace() is not permitted\n", stderr);
    return SKIPPED;
  }
  while (!ptrace(PTRACE_SYSCALL, pid, NULL, (void *)deliver) && waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
    deliver = WSTOPSIG(status) == SIGTRAP || WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
    if (WSTOPSIG(status) != (SIGTRAP | 0x80) || ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info) <= 0 ||
        info.op != PTRACE_SYSCALL_INFO_ENTRY || !concerns_files(pid, &info, argv[1]))
      continue;
    char number[16];
    snprintf(number, sizeof number, "%d", ++calls);
    setenv("CALL", number, 1);
    if (system(argv[2]))
      return kill(pid, SIGKILL), FAILED;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}
