/* SPDX-License-Identifier: MIT */
/* A running program as a source: its start under the emulator, and its end. */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/trace/area.h"
#include "machine/trace/launcher.h"
#include "machine/trace/live_state.h"

/* Waits for the emulator's end, and notifies a reader that waits for records. The emulator keeps its process ID until
 * live_join(): the reader may still send it a signal, which no other process must get. */
static void *live_wait_for_end(void *data)
{
  struct live *l = data;
  siginfo_t info;

  while (waitid(P_PID, (id_t)l->pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
    continue;
  __atomic_store_n(&l->gone, true, __ATOMIC_RELEASE);
  __atomic_store_n(&l->area->gone, 1, __ATOMIC_RELEASE);
  __atomic_add_fetch(&l->area->bell, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &l->area->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  return NULL;
}

void live_join(struct live *l)
{
  pid_t ended;

  if (l->joined)
    return;
  pthread_join(l->waiter, NULL);
  do
    ended = waitpid(l->pid, &l->wait_status, 0);
  while (ended < 0 && errno == EINTR);
  l->lost = ended < 0; /* SIGCHLD is ignored: waiting fails after all children have ended */
  l->joined = true;
}

/* Starts a thread that receives no signals; the caller's threads handle them. */
static int live_start_waiter(struct live *l)
{
  sigset_t all, before;
  int rc;

  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  rc = pthread_create(&l->waiter, NULL, live_wait_for_end, l);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  l->waiting = rc == 0;
  return rc ? PMON_E_MEMORY : 0;
}

/* Writes the setup that the plugin needs to follow execve(): the emulator's words and the location of the shared
 * memory. */
static int live_describe_emulator(const struct live *l, const struct launch_command *command)
{
  struct ring_setup setup = {.reader = (int32_t)getpid()};
  char *to = setup.emulator, *end = to + sizeof setup.emulator - 1;

  snprintf(setup.memory, sizeof setup.memory, "/proc/%d/fd/%d", (int)getpid(), l->fd);
  for (size_t i = 0; i < command->emulator_words; i++) {
    size_t n = strlen(command->argv[i]) + 1;

    if (n > (size_t)(end - to)) {
      memset(setup.emulator, 0, sizeof setup.emulator);
      break;
    }
    memcpy(to, command->argv[i], n);
    to += n;
  }
  return ring_setup_write(l->setup_fd, &setup);
}

/* Creates the memory that is shared with the program, and the memory for copies of it. */
static int live_new_memory(struct live *l)
{
  int rc = ring_area_new(&l->fd, &l->area);

  if (rc == 0 && (l->setup_fd = ring_setup_new()) < 0)
    rc = PMON_E_IO;
  if (rc == 0 && !(l->copy = calloc(RING_THREADS, sizeof *l->copy)))
    rc = PMON_E_MEMORY;
  return rc;
}

void live_begin(struct live *l)
{
  if (l->begun)
    return;
  l->begun = true;
  __atomic_store_n(&l->area->begins, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, &l->area->begins, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

int live_check(const struct live_options *options, char *error, size_t error_size)
{
  const struct launch_options launch = {.argv = options->argv, .qemu = options->qemu, .plugin = options->plugin};
  struct launch_command command;
  const int rc = launch_resolve(&launch, error, error_size, &command);

  if (!rc)
    launch_fini(&command);
  return rc;
}

int live_open(const struct live_options *options, char *error, size_t error_size, struct trace_source **ret_source)
{
  struct live *l = calloc(1, sizeof *l);
  struct launch_command command = {0};
  struct launch_options launch = {.argv = options->argv,
                                  .qemu = options->qemu,
                                  .plugin = options->plugin,
                                  .line_bytes = options->line_bytes,
                                  .sampling = options->sampling};
  int rc = PMON_E_MEMORY;

  snprintf(error, error_size, "cannot create shared memory for the trace: %s", strerror(l ? errno : ENOMEM));
  if (!l)
    return rc;
  l->base.ops = &live_ops;
  l->base.ahead = live_copy_ahead;
  l->watches = workers_host_threads() > 1;
  l->stop = options->stop;
  l->interrupts = options->interrupts;
  l->user = options->user;
  l->request = (struct process_stop){.signals = options->signals, .emulated = true};
  l->fd = l->setup_fd = -1;
  rc = live_new_memory(l);
  launch.shm_fd = l->fd;
  launch.setup_fd = l->setup_fd;
  if (rc < 0)
    snprintf(error, error_size, "cannot create shared memory for the trace: %s", strerror(errno));
  if (rc < 0 || (rc = launch_resolve(&launch, error, error_size, &command)) < 0)
    goto fail;
  command.signals = options->signals;
  rc = live_describe_emulator(l, &command);
  if (rc < 0)
    snprintf(error, error_size, "cannot create shared memory for the trace: %s", strerror(errno));
  if (rc < 0 || (rc = launch_start(&command, l->fd, error, error_size, &l->pid)) < 0)
    goto fail;
  launch_fini(&command);
  rc = live_start_waiter(l);
  if (rc < 0) {
    snprintf(error, error_size, "cannot create a thread that waits for the program");
    kill(l->pid, SIGKILL);
    waitpid(l->pid, NULL, 0);
    goto fail;
  }
  *ret_source = &l->base;
  return 0;
fail:
  launch_fini(&command);
  trace_source_free(&l->base);
  return rc;
}

/* Maximum plausible counts. Each counted thread or process was created by an emulator; a run with so many would take
 * days. */
enum { LIVE_COUNT_MOST = 1 << 24 };

/* The measured program can write into the shared memory: counts that no run reaches are not reported. */
static void live_check_counts(struct live_result *r)
{
  r->forged = r->lost_threads > LIVE_COUNT_MOST || r->children > LIVE_COUNT_MOST || r->unseen > LIVE_COUNT_MOST;
  if (r->forged)
    r->lost_threads = r->children = r->unseen = r->unnamed = 0;
}

int live_result(struct trace_source *s, struct live_result *ret)
{
  struct live *l = (struct live *)s;

  live_join(l);
  if (!l->area->started) {
    snprintf(s->error, sizeof s->error,
             "the emulator ended before the trace plugin was loaded: see its messages "
             "above");
    return PMON_E_NO_DEVICE;
  }
  if (l->lost) {
    snprintf(s->error, sizeof s->error,
             "the program's exit status is unknown: this process ignores SIGCHLD, or waits for all of its children");
    return PMON_E_IO;
  }
  *ret = (struct live_result){.threads = l->area->serials,
                              .most = l->most,
                              .lost_threads = l->area->lost_threads,
                              .children = l->area->children,
                              .unseen = l->area->unseen,
                              .unnamed = l->area->unnamed,
                              .left = l->left,
                              .flushes = l->area->flushes};
  live_check_counts(ret);
  if (WIFSIGNALED(l->wait_status)) {
    ret->signal = WTERMSIG(l->wait_status);
    ret->exit_code = 128 + ret->signal;
  } else {
    ret->exit_code = WEXITSTATUS(l->wait_status);
  }
  return 0;
}

static const char *plural(unsigned n)
{
  return n == 1 ? "" : "s";
}

/* The notes so far; n can exceed size, and nothing is added then. */
struct notes {
  char *text;
  size_t size, n;
};

__attribute__((format(printf, 2, 3))) static void notes_add(struct notes *notes, const char *format, ...)
{
  va_list ap;

  if (notes->n >= notes->size)
    return;
  va_start(ap, format);
  notes->n += (size_t)vsnprintf(notes->text + notes->n, notes->size - notes->n, format, ap);
  va_end(ap);
}

void live_notes(const struct live_result *r, char *text, size_t text_size)
{
  struct notes notes = {text, text_size, 0};

  text[0] = 0;
  if (r->forged)
    notes_add(&notes,
              "the program wrote into the shared memory of its measurement: the numbers of its processes, and of "
              "untraced programs, threads and regions, are unknown\n");
  if (r->most > 1) {
    notes_add(&notes, "%u threads", r->threads);
    if (r->children)
      notes_add(&notes, " of %u processes", r->children + 1);
    notes_add(&notes, " ran live: another run can interleave them differently; a recorded trace is reproducible\n");
  }
  if (r->unseen)
    notes_add(&notes,
              "%u program%s ran natively and %s not traced (set-user-ID, another architecture, or not supported by the "
              "emulation)\n",
              r->unseen, plural(r->unseen), r->unseen == 1 ? "was" : "were");
  if (r->left)
    notes_add(&notes,
              "%u thread%s of child processes continued after the command ended and %s not traced from then on\n",
              r->left, plural(r->left), r->left == 1 ? "was" : "were");
  if (r->unnamed)
    notes_add(&notes, "%u begin%s or end%s of regions missing from the results: more than %u names, or no name\n",
              r->unnamed, plural(r->unnamed), plural(r->unnamed), RING_NAMES);
  if (r->flushes)
    notes_add(&notes, "instructions that flush or write back cache lines had no effect, since the emulation does not "
                      "report their addresses\n");
  if (r->lost_threads)
    notes_add(&notes, "%u thread%s beyond %u simultaneous ones %s not traced\n", r->lost_threads,
              plural(r->lost_threads), RING_THREADS, r->lost_threads == 1 ? "was" : "were");
}
