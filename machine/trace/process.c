/* SPDX-License-Identifier: MIT */
#include "machine/trace/process.h"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Returns the letter of a task's state; 'X' if there is no such task. */
static char task_state(const char *stat_path)
{
  char text[512], *state;
  FILE *f = fopen(stat_path, "re");
  size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

  if (f)
    fclose(f);
  text[n] = 0;
  state = strrchr(text, ')');
  return state && state[1] && state[2] ? state[2] : 'X';
}

/* Terminated, even if its parent has not waited for it yet. */
static bool task_has_terminated(char state)
{
  return state == 'Z' || state == 'X';
}

/* Neither running (R) nor in a short wait inside the kernel (D), such as for a page. */
static bool task_is_waiting(char state)
{
  return state != 'R' && state != 'D';
}

/* True if `is` holds for the state of each of the process's tasks. */
static bool process_tasks_are(pid_t process, bool (*is)(char state))
{
  char path[320];
  struct dirent *entry;
  bool all = true;
  DIR *tasks;

  snprintf(path, sizeof path, "/proc/%d/task", (int)process);
  tasks = opendir(path);
  while (all && tasks && (entry = readdir(tasks))) {
    if (*entry->d_name == '.')
      continue;
    snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)process, entry->d_name);
    all = is(task_state(path));
  }
  if (tasks)
    closedir(tasks);
  return all;
}

bool process_is_dead(pid_t process)
{
  char path[320];

  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  return task_has_terminated(task_state(path)) && process_tasks_are(process, task_has_terminated);
}

bool process_is_waiting(pid_t process)
{
  return process_tasks_are(process, task_is_waiting);
}

/* True if the process's status in /proc has the signal in the set of that name. */
static bool process_has_signal(pid_t process, const char *set_name, int number)
{
  char path[64], line[256];
  uint64_t set = 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)process);
  FILE *f = fopen(path, "re");

  while (f && fgets(line, sizeof line, f))
    if (!strncmp(line, set_name, strlen(set_name)))
      set = strtoull(line + strlen(set_name), NULL, 16);
  if (f)
    fclose(f);
  return set >> (number - 1) & 1;
}

/* An entry of a list of all processes. */
struct process_entry {
  pid_t process, parent;
  bool dead, found;
};

static int process_compare(const void *a, const void *b)
{
  const pid_t x = ((const struct process_entry *)a)->process, y = ((const struct process_entry *)b)->process;

  return (x > y) - (x < y);
}

/* Returns a snapshot of all processes, sorted by process ID, to be freed by the caller. NULL: it is not available. */
static struct process_entry *process_list(size_t *ret_n)
{
  struct process_entry *list = NULL;
  struct dirent *entry;
  size_t n = 0, room = 0;
  DIR *d = opendir("/proc");

  while (d && (entry = readdir(d))) {
    char path[320], text[512];
    struct process_entry *grown = list;
    struct process_entry e = {.process = (pid_t)strtol(entry->d_name, NULL, 10)};
    FILE *f = NULL;

    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    if (e.process <= 0 || !(f = fopen(path, "re")))
      continue;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    const char *state = strrchr(text, ')');
    if (!state || strlen(state) < 5)
      continue;
    e.dead = strchr("ZX", state[2]) != NULL;
    e.parent = (pid_t)strtol(state + 4, NULL, 10);
    if (n == room)
      grown = realloc(list, (room = room ? 2 * room : 256) * sizeof *list);
    if (!grown)
      break;
    list = grown;
    list[n++] = e;
  }
  if (d)
    closedir(d);
  if (n)
    qsort(list, n, sizeof *list, process_compare);
  *ret_n = n;
  return list;
}

static bool stop_has_other(const struct process_stop *stop, pid_t process)
{
  for (unsigned i = 0; i < stop->n; i++)
    if (stop->other[i] == process)
      return true;
  return false;
}

/* Marks the process and its descendants, from parents to children. */
static void process_mark(const struct process_stop *stop, pid_t process, struct process_entry *list, size_t n)
{
  bool more = true;

  for (size_t i = 0; i < n; i++)
    list[i].found = list[i].process == process ||
                    (stop->requested && list[i].parent == getpid() && !stop_has_other(stop, list[i].process));
  while (more) {
    more = false;
    for (size_t i = 0; i < n; i++) {
      const struct process_entry key = {.process = list[i].parent}, *const parent =
                                                                        list[i].found
                                                                            ? NULL
                                                                            : bsearch(&key, list, n, sizeof *list,
                                                                                      process_compare);

      if (parent && parent->found)
        list[i].found = more = true;
    }
  }
}

/* A killed process starts no other one: each search finds fewer new processes, and the last searches none. One search
 * is not sufficient: /proc is read entry by entry, and the list may contain a process but not its parent, which ends at
 * this moment. */
void process_kill_all(const struct process_stop *stop, pid_t process)
{
  enum { SEARCHES = 64, NONE = 2 };
  unsigned none = 0;

  kill(process, SIGKILL);
  for (unsigned search = 0; search < SEARCHES && none < NONE; search++) {
    size_t n = 0, alive = 0;
    struct process_entry *list = process_list(&n);

    process_mark(stop, process, list, n);
    for (size_t i = 0; i < n; i++)
      if (list[i].found && !list[i].dead)
        alive += !kill(list[i].process, SIGKILL);
    free(list);
    none = alive ? 0 : none + 1;
  }
}

/* True if a signal would have no effect on the child. A signal that the child itself has blocked is not lost: the child
 * may wait for it. */
static bool signal_is_lost(const struct process_stop *stop, pid_t process, int number)
{
  const struct signal_settings *from = stop->signals;
  const bool ignored = from && sigismember(&from->ignored, number) == 1;
  const bool blocked = from && sigismember(&from->blocked, number) == 1;

  if (stop->emulated)
    return ignored || blocked;
  return ((ignored || number == SIGINT || number == SIGHUP) && process_has_signal(process, "SigIgn:", number)) ||
         (blocked && process_has_signal(process, "SigBlk:", number));
}

void process_request_stop(struct process_stop *stop, pid_t process, int signal_number)
{
  const int number = signal_is_lost(stop, process, signal_number) ? SIGTERM : signal_number;
  size_t n = 0;
  struct process_entry *list = stop->requested ? NULL : process_list(&n);

  for (size_t i = 0; i < n && list; i++)
    if (list[i].parent == getpid() && list[i].process != process && stop->n < PROCESS_OTHERS)
      stop->other[stop->n++] = list[i].process;
  free(list);
  /* If the list has no room for all children, adopted ones could not be distinguished: none are adopted. */
  stop->requested = stop->n < PROCESS_OTHERS && !prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (number == SIGTERM && signal_is_lost(stop, process, SIGTERM))
    process_kill_all(stop, process);
  else
    kill(process, number);
}

/* A signal that comes just before a wait does not interrupt it: therefore each wait is short. */
void process_await_end(const struct process_stop *stop, pid_t process, const volatile sig_atomic_t *signals)
{
  enum { LOOK_MS = 20 };
  struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
  bool killed = false;

  while (waitpid(process, NULL, WNOHANG) == 0) {
    if (!killed && signals && *signals > 1) {
      process_kill_all(stop, process);
      killed = true;
    }
    poll(&end, 1, LOOK_MS);
  }
  if (end.fd >= 0)
    close(end.fd);
}
