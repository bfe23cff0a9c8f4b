/* SPDX-License-Identifier: MIT */
/*
 * Kills `pmon stat --record` before each system call that changes the recording or its journal, and opens the remains:
 * all committed intervals are there with the same counts, reading changes nothing, and the next --record refuses to
 * replace them. usage: kill-recording PMON FILE STRIDE SCENARIO OPTION...
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/pmon.h>
#include <pmon/record.h>

enum { WORDS = 32, SKIPPED = 77, VALUES = 4096, PATH = 500 };

struct run {
  char **argv;
  unsigned kill_at; /* the call before which pmon is killed; UINT32_MAX: none */
  unsigned calls;   /* calls that change a file */
  unsigned commits; /* commits: removals of the journal */
  int status;
};

/* The counts to compare: of each event in each interval. */
struct counts {
  uint32_t intervals, n, complete;
  double value[VALUES];
};

static char recording[PATH], journal[PATH + 16];
static int failures, rolled_back;

static void fail(const struct run *r, const char *what)
{
  printf("killed before call %u, after %u commits: %s\n", r->kill_at, r->commits, what);
  failures++;
}

static bool call_changes_file(uint64_t number)
{
  return number == SYS_pwrite64 || number == SYS_write || number == SYS_unlink || number == SYS_ftruncate;
}

static bool run_start(struct run *r, pid_t *ret_pid)
{
  int status;
  const pid_t pid = fork();
  if (!pid) {
    const int nowhere = open("/dev/null", O_WRONLY);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* leak detection does not work under ptrace() */
    if (nowhere < 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0 || ptrace(PTRACE_TRACEME, 0, NULL, NULL))
      _exit(SKIPPED);
    raise(SIGSTOP);
    execv(r->argv[0], r->argv);
    _exit(99);
  }
  *ret_pid = pid;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
    return false;
  return !ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
}

/* Runs the command up to call kill_at, or to its end. */
static bool run_until(struct run *r)
{
  struct __ptrace_syscall_info info;
  pid_t pid;
  bool removes = false;
  long deliver = 0;
  r->calls = r->commits = 0;
  if (!run_start(r, &pid))
    return false;
  while (!ptrace(PTRACE_SYSCALL, pid, NULL, (void *)deliver) && waitpid(pid, &r->status, 0) == pid &&
         WIFSTOPPED(r->status)) {
    deliver = WSTOPSIG(r->status) == SIGTRAP ? 0 : WSTOPSIG(r->status);
    if (WSTOPSIG(r->status) != (SIGTRAP | 0x80))
      continue;
    deliver = 0;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof info, &info) <= 0)
      return false;
    if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
      r->commits += removes && !info.exit.is_error;
      removes = false;
    } else if (info.op == PTRACE_SYSCALL_INFO_ENTRY && call_changes_file(info.entry.nr)) {
      removes = info.entry.nr == SYS_unlink;
      if (r->calls++ == r->kill_at)
        return !kill(pid, SIGKILL) && waitpid(pid, &r->status, 0) == pid;
    }
  }
  return true;
}

static size_t file_read(const char *path, char *bytes, size_t room)
{
  FILE *f = fopen(path, "r");
  const size_t n = f ? fread(bytes, 1, room, f) : 0;
  if (f)
    fclose(f);
  return n;
}

static int load_counts(struct pmon_recording *r, const struct pmon_platform *p, struct counts *ret)
{
  struct pmon_recording_info info = {.size = sizeof info};
  struct pmon_plan *plan;
  struct pmon_session *session;
  int status = pmon_recording_describe(r, &info);
  ret->intervals = info.intervals;
  ret->complete = info.complete;
  ret->n = 0;
  if (status || (status = pmon_recording_plan(r, p, NULL, NULL, &plan)))
    return status;
  status = pmon_recording_session(r, plan, &session);
  for (uint32_t i = 0; !status && i < info.intervals; i++) {
    status = pmon_recording_load(r, session, i);
    for (uint32_t e = 0; !status && e < info.events && ret->n < VALUES; e++) {
      struct pmon_value value;
      status = pmon_session_event(session, e, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &value);
      ret->value[ret->n++] = value.number;
    }
  }
  if (session)
    pmon_session_close(session);
  pmon_plan_free(plan);
  return status;
}

/* Reads the counts; returns PMON_OK, or why the recording cannot be read, in which case no interval was committed. */
static int read_counts(struct pmon_context *context, struct counts *ret)
{
  struct pmon_recording *r;
  const struct pmon_platform *p;
  *ret = (struct counts){0};
  int status = pmon_platform_find(context, "emr", &p);
  if (!status)
    status = pmon_recording_open(context, recording, &r);
  if (status)
    return status;
  status = load_counts(r, p, ret);
  pmon_recording_close(r);
  return status;
}

/* The next measurement into the same file is refused if data would be lost. */
static void check_next(struct run *killed, uint32_t intervals)
{
  struct run next = {.argv = killed->argv, .kill_at = UINT32_MAX};
  if (!run_until(&next) || !WIFEXITED(next.status) || (WEXITSTATUS(next.status) != 0) != (intervals != 0))
    fail(killed, intervals ? "the next measurement replaced it" : "the next measurement refused to replace it");
}

/* True if the intervals have the same counts. Updates of a single interval count on, as later kills come later. */
static bool counts_agree(const struct counts *got, const struct counts *whole)
{
  static double last[VALUES];
  bool good = true;
  for (uint32_t i = 0; i < got->n; i++) {
    good = good && (whole->intervals > 1 ? got->value[i] == whole->value[i]
                                         : got->value[i] >= last[i] && got->value[i] <= whole->value[i]);
    last[i] = got->value[i];
  }
  return good;
}

static void remove_files(void)
{
  unlink(recording);
  unlink(journal);
}

static void check_killed(struct pmon_context *context, struct run *r, const struct counts *whole, uint32_t commits)
{
  static char before[1 << 20], after[1 << 20];
  static struct counts got;
  const size_t n = file_read(recording, before, sizeof before);
  const bool commit_was_open = access(journal, F_OK) == 0;
  int status = read_counts(context, &got);
  /* The commits are: the tables; each interval, or each update of the only one; the completion. */
  const uint32_t added = !r->commits ? 0 : r->commits - 1, want = added < whole->intervals ? added : whole->intervals;
  if (!WIFSIGNALED(r->status) || WTERMSIG(r->status) != SIGKILL)
    fail(r, "the command was not killed");
  if (r->commits && status)
    fail(r, pmon_context_error(context));
  if (!r->commits && !status)
    fail(r, "a recording without tables was read");
  if (got.intervals != want || !counts_agree(&got, whole))
    fail(r, "it has other counts than were committed");
  if (!status && got.complete != (r->commits == commits))
    fail(r, "it does not say whether it is complete");
  if (n != file_read(recording, after, sizeof after) || memcmp(before, after, n) ||
      commit_was_open != (access(journal, F_OK) == 0))
    fail(r, "reading it changed it");
  rolled_back += commit_was_open && r->commits;
  if (r->kill_at % 16 == 0)
    check_next(r, got.complete ? 0 : got.intervals);
}

int main(int argc, char **argv)
{
  static struct counts whole;
  struct pmon_context *context;
  char *words[WORDS] = {argv[1], "stat", "-p", "emr", "--record", recording, "--scenario"};
  struct run r = {.argv = words, .kill_at = UINT32_MAX};
  const unsigned stride = argc > 4 ? (unsigned)atoi(argv[3]) : 0;
  if (!stride || argc > WORDS - 7 || pmon_context_new(&context)) {
    fputs("usage: kill-recording PMON FILE STRIDE SCENARIO OPTION...\n", stderr);
    return 2;
  }
  memcpy(words + 7, argv + 4, (size_t)(argc - 4) * sizeof *words);
  snprintf(recording, sizeof recording, "%s-%d", argv[2], (int)getpid()); /* unique for this run */
  snprintf(journal, sizeof journal, "%s-journal", recording);
  remove_files();
  if (!run_until(&r)) {
    fputs("SKIPPED: ptrace() is not permitted\n", stderr);
    return SKIPPED;
  }
  if (!WIFEXITED(r.status) || WEXITSTATUS(r.status) || read_counts(context, &whole) || !whole.complete)
    fail(&r, "the measurement failed");
  const unsigned calls = r.calls, commits = r.commits;
  unsigned kills = 0;
  const bool expected = whole.intervals > 1 ? commits == whole.intervals + 2 && commits > 6 : commits > 6;
  if (!expected || calls < 100 || !whole.n || whole.value[0] <= 0)
    fail(&r, "other commits or counts than expected");
  for (unsigned at = 0; at < calls && !failures; at += stride, kills++) {
    remove_files();
    r.kill_at = at;
    if (run_until(&r))
      check_killed(context, &r, &whole, commits);
    else
      fail(&r, "ptrace()");
  }
  remove_files();
  printf("%u kills, %u of them in a commit after an interval; %u intervals\n", kills, rolled_back, whole.intervals);
  pmon_context_free(context);
  return failures || rolled_back < 3;
}
