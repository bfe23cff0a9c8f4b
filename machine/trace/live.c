/* SPDX-License-Identifier: MIT */
#include "machine/trace/live.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/trace/area.h"
#include "machine/trace/launcher.h"
#include "machine/trace/process.h"

struct live_thread {
  unsigned slot;
  pid_t process;
  bool ended;    /* the slot is free again */
  uint64_t read; /* consumed words */
};

struct live {
  struct trace_source base;
  struct ring_area *area;
  int fd;
  pid_t pid;
  int wait_status;
  pthread_t waiter;
  bool waiting, joined, finished;
  struct live_thread *thread; /* by serial number */
  unsigned n, room;
  unsigned most;  /* maximum number of simultaneous threads */
  unsigned waits; /* since the last search for terminated processes */
  const struct live_stop *stop;
  bool forwarded; /* the program got the signal that requests the stop */
  unsigned left;  /* number of threads still running when the first process ended */
};

enum { WAITS = 64 }; /* between two searches for terminated processes */

/* Waits for the emulator's end, so that a reader that waits for records is notified. */
static void *live_wait_for_end(void *data)
{
  struct live *l = data;

  while (waitpid(l->pid, &l->wait_status, 0) < 0 && errno == EINTR)
    ;
  __atomic_store_n(&l->area->gone, 1, __ATOMIC_RELEASE);
  __atomic_add_fetch(&l->area->bell, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &l->area->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
  return NULL;
}

static bool live_has_ended(const struct live *l)
{
  return __atomic_load_n(&l->area->gone, __ATOMIC_ACQUIRE);
}

/* The end of a ring's readable words. For a terminated process these are all the words that it wrote. */
static uint64_t ring_readable_end(const struct live *l, const struct ring *r)
{
  return r->process == l->pid && live_has_ended(l) ? r->head : __atomic_load_n(&r->published, __ATOMIC_ACQUIRE);
}

/* Ends the rings of processes that were killed. */
static void live_end_dead_rings(struct live *l)
{
  pid_t asked = 0;
  bool dead = false;

  l->waits = 0;
  for (unsigned i = 0; i < l->n; i++) {
    struct ring *r = &l->area->ring[l->thread[i].slot];

    if (l->thread[i].ended || l->thread[i].process == l->pid ||
        __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) == RING_ENDED)
      continue;
    if (l->thread[i].process != asked)
      dead = process_is_dead(asked = l->thread[i].process);
    if (!dead)
      continue;
    __atomic_store_n(&r->published, r->head, __ATOMIC_RELEASE);
    __atomic_store_n(&r->state, RING_ENDED, __ATOMIC_RELEASE);
  }
}

/* Number of threads that have not ended. */
static unsigned live_count_threads(const struct live *l)
{
  unsigned alive = 0;

  for (unsigned i = 0; i < l->n; i++)
    alive +=
        !l->thread[i].ended && __atomic_load_n(&l->area->ring[l->thread[i].slot].state, __ATOMIC_ACQUIRE) != RING_ENDED;
  return alive;
}

/* Creates a thread for each slot that was claimed since the last search, in order of the serial numbers. */
static int live_find_threads(struct live *l)
{
  uint32_t serials = __atomic_load_n(&l->area->serials, __ATOMIC_ACQUIRE);
  unsigned before = l->n, alive;

  while (l->n < serials) {
    unsigned slot = 0;

    if (l->n == l->room) {
      unsigned room = l->room ? 2 * l->room : 16;
      struct live_thread *thread = realloc(l->thread, room * sizeof *thread);

      if (!thread)
        return PMON_E_MEMORY;
      l->thread = thread;
      l->room = room;
    }
    while (slot < RING_THREADS && (__atomic_load_n(&l->area->ring[slot].state, __ATOMIC_ACQUIRE) < RING_RUNNING ||
                                   l->area->ring[slot].serial != l->n))
      slot++;
    if (slot == RING_THREADS)
      break; /* the slot is not set up yet */
    l->thread[l->n++] = (struct live_thread){.slot = slot, .process = l->area->ring[slot].process};
    if (l->n % WAITS == 0)
      live_end_dead_rings(l); /* producers may be waiting for slots */
  }
  if (l->n != before && (alive = live_count_threads(l)) > l->most)
    l->most = alive;
  return 0;
}

/* Whether a thread has unread words, or is at rest. */
static bool thread_has_news(const struct live *l, unsigned thread, bool at_rest)
{
  const struct live_thread *t = &l->thread[thread];
  const struct ring *r = &l->area->ring[t->slot];
  uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);

  return !t->ended &&
         (ring_readable_end(l, r) != t->read || state == RING_ENDED || (at_rest && state == RING_IN_SYSCALL));
}

static bool live_has_news(const struct live *l, unsigned thread)
{
  if (live_has_ended(l) || __atomic_load_n(&l->area->serials, __ATOMIC_ACQUIRE) != l->n)
    return true;
  if (thread != TRACE_ANY)
    return thread_has_news(l, thread, true);
  for (unsigned i = 0; i < l->n; i++)
    if (thread_has_news(l, i, false))
      return true;
  return false;
}

/* Whether a thread is blocked because its ring is full. */
static bool live_has_blocked_thread(const struct live *l)
{
  for (unsigned i = 0; i < l->n; i++)
    if (!l->thread[i].ended && __atomic_load_n(&l->area->ring[l->thread[i].slot].producer_waits, __ATOMIC_ACQUIRE))
      return true;
  return false;
}

/* Whether a stop is requested. Forwards the signal to the program once. */
static bool live_is_stopped(struct live *l)
{
  if (!l->stop || !l->stop->number)
    return false;
  if (!l->forwarded && !live_has_ended(l))
    process_request_stop(l->pid, l->stop->number);
  l->forwarded = true;
  return true;
}

/* Waits for the end of a program that got the signal. Drops its records, so that it never waits for free space. */
static void live_drain(struct live *l)
{
  static const struct timespec moment = {.tv_nsec = 2000000};

  while (!live_has_ended(l)) {
    const uint32_t bell = __atomic_load_n(&l->area->bell, __ATOMIC_ACQUIRE);

    if (l->stop->count > 1)
      kill(l->pid, SIGKILL);
    for (unsigned slot = 0; slot < RING_THREADS; slot++) {
      struct ring *r = &l->area->ring[slot];
      const uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);

      if (state == RING_ENDED)
        __atomic_store_n(&r->state, RING_FREE, __ATOMIC_RELEASE);
      else if (state >= RING_RUNNING)
        ring_give_room(r, __atomic_load_n(&r->published, __ATOMIC_ACQUIRE));
    }
    syscall(SYS_futex, &l->area->bell, FUTEX_WAIT, bell, &moment, NULL, 0);
  }
}

/* The awaited thread may itself wait for a blocked one, because QEMU stops all threads for some instructions. The
 * reader then waits for a moment and continues with the other threads. A killed process sends no notification, so
 * terminated processes are searched for. */
static int live_await(struct trace_source *s, unsigned thread)
{
  static const struct timespec moment = {.tv_nsec = 2000000}, while_alive = {.tv_nsec = 20000000};
  struct live *l = (struct live *)s;

  for (;;) {
    uint32_t bell = __atomic_load_n(&l->area->bell, __ATOMIC_ACQUIRE);
    bool stuck, timeout = false;

    __atomic_store_n(&l->area->reader_waits, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    stuck = thread != TRACE_ANY && live_has_blocked_thread(l);
    if (live_has_news(l, thread))
      break;
    if (live_is_stopped(l)) {
      __atomic_store_n(&l->area->reader_waits, 0, __ATOMIC_RELAXED);
      return TRACE_SLEEP; /* simulated time passes, so that the reader checks the request */
    }
    if (syscall(SYS_futex, &l->area->bell, FUTEX_WAIT, bell, stuck ? &moment : &while_alive, NULL, 0) < 0)
      timeout = errno == ETIMEDOUT;
    if (timeout && stuck)
      break;
    if (timeout || ++l->waits >= WAITS)
      live_end_dead_rings(l);
  }
  __atomic_store_n(&l->area->reader_waits, 0, __ATOMIC_RELAXED);
  return 0;
}

static int live_poll(struct trace_source *s, unsigned *ret_threads, bool *ret_ended)
{
  struct live *l = (struct live *)s;
  bool gone = live_has_ended(l);
  int rc = live_find_threads(l);

  if (rc < 0)
    snprintf(s->error, sizeof s->error, "out of memory for %u threads", l->n);
  *ret_threads = l->n;
  *ret_ended = gone;
  return rc;
}

static int live_window(struct trace_source *s, unsigned thread, struct trace_window *ret)
{
  struct live *l = (struct live *)s;
  struct live_thread *t = &l->thread[thread];
  struct ring *r = &l->area->ring[t->slot];
  uint32_t state;
  uint64_t end, at = t->read & (RING_RECORDS - 1), n;
  bool gone = live_has_ended(l);

  *ret = (struct trace_window){.state = TRACE_ENDED};
  if (t->ended)
    return 0;
  state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
  end = ring_readable_end(l, r);
  n = end - t->read;
  if (n > RING_RECORDS - at)
    n = RING_RECORDS - at;
  ret->record = &r->record[at];
  ret->n = n;
  if (t->read + n != end || (state == RING_RUNNING && !gone))
    ret->state = TRACE_RUNNING;
  else if (state == RING_IN_SYSCALL && !gone)
    ret->state = TRACE_BLOCKED;
  else if (!n) {
    l->left += state != RING_ENDED && t->process != l->pid && !process_is_dead(t->process);
    t->ended = true; /* the slot can be used by another thread */
    __atomic_store_n(&r->state, RING_FREE, __ATOMIC_RELEASE);
  }
  return 0;
}

static void live_consume(struct trace_source *s, unsigned thread, size_t n)
{
  struct live *l = (struct live *)s;
  struct live_thread *t = &l->thread[thread];
  struct ring *r = &l->area->ring[t->slot];

  t->read += n;
  ring_give_room(r, t->read);
}

static void live_free(struct trace_source *s)
{
  struct live *l = (struct live *)s;

  if (l->waiting && !l->joined) {
    if (live_is_stopped(l))
      live_drain(l);
    else if (!live_has_ended(l))
      kill(l->pid, SIGKILL);
    pthread_join(l->waiter, NULL);
  }
  ring_area_free(l->fd, l->area);
  free(l->thread);
  free(l);
}

static const char *live_name(const struct trace_source *s, uint32_t number)
{
  const struct live *l = (const struct live *)s;
  const struct ring_name *slot = number < RING_NAMES ? &l->area->name[number] : NULL;

  return slot && __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == NAME_READY ? slot->text : NULL;
}

static const struct trace_source_ops live_ops = {live_poll,    live_await, live_window,
                                                 live_consume, live_free,  live_name};

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

/* The information that the plugin needs to follow execve(): the emulator's words and the location of the shared
 * memory. */
static void live_describe_emulator(struct live *l, const struct launch_command *command)
{
  char *to = l->area->emulator, *end = to + sizeof l->area->emulator - 1;

  for (size_t i = 0; i < command->emulator_words; i++) {
    size_t n = strlen(command->argv[i]) + 1;

    if (n > (size_t)(end - to)) {
      *l->area->emulator = 0;
      return;
    }
    memcpy(to, command->argv[i], n);
    to += n;
  }
  *to = 0;
  l->area->reader = (int32_t)getpid();
  snprintf(l->area->memory, sizeof l->area->memory, "/proc/%d/fd/%d", (int)getpid(), l->fd);
}

int live_open(const struct live_options *options, char *error, size_t error_size, struct trace_source **ret_source)
{
  struct live *l = calloc(1, sizeof *l);
  struct launch_command command = {0};
  struct launch_options launch = {
      .argv = options->argv, .qemu = options->qemu, .plugin = options->plugin, .line_bytes = options->line_bytes};
  int rc = PMON_E_MEMORY;

  snprintf(error, error_size, "cannot create shared memory for the trace: %s", strerror(l ? errno : ENOMEM));
  if (!l)
    return rc;
  l->base.ops = &live_ops;
  l->stop = options->stop;
  l->fd = -1;
  rc = ring_area_new(&l->fd, &l->area);
  launch.shm_fd = l->fd;
  if (rc < 0)
    snprintf(error, error_size, "cannot create shared memory for the trace: %s", strerror(errno));
  if (rc < 0 || (rc = launch_resolve(&launch, error, error_size, &command)) < 0)
    goto fail;
  live_describe_emulator(l, &command);
  rc = launch_start(&command, l->fd, error, error_size, &l->pid);
  if (rc < 0)
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
  live_free(&l->base);
  return rc;
}

int live_result(struct trace_source *s, struct live_result *ret)
{
  struct live *l = (struct live *)s;

  if (!l->joined)
    pthread_join(l->waiter, NULL);
  l->joined = true;
  if (!l->area->started) {
    snprintf(s->error, sizeof s->error,
             "the emulator ended before the trace plugin was loaded: see its messages "
             "above");
    return PMON_E_NO_DEVICE;
  }
  *ret = (struct live_result){.threads = l->area->serials,
                              .most = l->most,
                              .lost_threads = l->area->lost_threads,
                              .children = l->area->children,
                              .unseen = l->area->unseen,
                              .unnamed = l->area->unnamed,
                              .left = l->left};
  if (WIFSIGNALED(l->wait_status)) {
    ret->signal = WTERMSIG(l->wait_status);
    ret->exit_code = 128 + ret->signal;
  } else {
    ret->exit_code = WEXITSTATUS(l->wait_status);
  }
  return 0;
}

void live_notes(const struct live_result *result, char *text, size_t text_size)
{
  size_t n = 0;

  text[0] = 0;
  if (result->most > 1 && n < text_size)
    n += (size_t)snprintf(text + n, text_size - n, "%u threads", result->threads);
  if (result->most > 1 && result->children && n < text_size)
    n += (size_t)snprintf(text + n, text_size - n, " of %u processes", result->children + 1);
  if (result->most > 1 && n < text_size)
    n += (size_t)snprintf(text + n, text_size - n,
                          " ran live: another run can interleave them differently; a recorded trace is reproducible\n");
  if (result->unseen && n < text_size)
    n += (size_t)snprintf(text + n, text_size - n,
                          "%u programs ran natively and were not traced (set-user-ID, another "
                          "architecture, or not supported by the emulation)\n",
                          result->unseen);
  if (result->left && n < text_size)
    n += (size_t)snprintf(
        text + n, text_size - n,
        "%u threads of child processes continued after the command ended and were not traced from then on\n",
        result->left);
  if (result->unnamed && n < text_size)
    n += (size_t)snprintf(text + n, text_size - n,
                          "%u begins or ends of regions are not in the results: more than %u names, or no name\n",
                          result->unnamed, RING_NAMES);
  if (result->lost_threads && n < text_size)
    snprintf(text + n, text_size - n, "%u threads beyond %u simultaneous ones were not traced\n", result->lost_threads,
             RING_THREADS);
}
