/* SPDX-License-Identifier: MIT */
#include "machine/trace/live_state.h"

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

enum { THREADS_MOST = 1 << 20 };
enum { WAITS = 64 };   /* number of waits between two searches for terminated processes */
enum { LOOKS = 1000 }; /* for news before the reader sleeps: some 20 to 50 us */

/* Returns the end position of a thread's readable words. For a terminated program these are all the words that it
 * wrote. */
static uint64_t thread_readable_end(const struct live *l, const struct live_thread *t)
{
  const struct ring *r = &l->area->ring[t->slot];

  return __atomic_load_n(t->process == l->pid && live_has_ended(l) ? &r->head : &r->published, __ATOMIC_ACQUIRE);
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

/* Returns the number of threads that have not ended. */
static unsigned live_count_threads(const struct live *l)
{
  unsigned alive = 0;

  for (unsigned i = 0; i < l->n; i++)
    alive +=
        !l->thread[i].ended && __atomic_load_n(&l->area->ring[l->thread[i].slot].state, __ATOMIC_ACQUIRE) != RING_ENDED;
  return alive;
}

/* True if the slot is set up for the thread with that number. */
static bool slot_has_thread(const struct live *l, unsigned slot, unsigned serial)
{
  const struct ring *r = &l->area->ring[slot];

  return !l->copy[slot].used && __atomic_load_n(&r->state, __ATOMIC_ACQUIRE) >= RING_RUNNING &&
         __atomic_load_n(&r->serial, __ATOMIC_RELAXED) == serial;
}

/* Makes room for another thread. */
static int live_make_room(struct live *l)
{
  unsigned room = l->room ? 2 * l->room : 16;
  struct live_thread *thread;

  if (l->n == THREADS_MOST) {
    snprintf(l->base.error, sizeof l->base.error, "the program has more than %d threads, or reports a false number",
             THREADS_MOST);
    return PMON_E_RANGE;
  }
  if (l->n < l->room)
    return 0;
  thread = realloc(l->thread, room * sizeof *thread);
  if (!thread) {
    snprintf(l->base.error, sizeof l->base.error, "out of memory for %u threads", l->n);
    return PMON_E_MEMORY;
  }
  l->thread = thread;
  l->room = room;
  return 0;
}

/* Returns the slot that is set up for the next thread; RING_THREADS: there is none yet. */
static unsigned live_find_slot(const struct live *l)
{
  unsigned slot = 0;

  while (slot < RING_THREADS && !slot_has_thread(l, slot, l->n))
    slot++;
  return slot;
}

/* Adds a thread for each slot that was claimed since the last search, in order of the serial numbers. */
static int live_find_threads(struct live *l)
{
  uint32_t serials = __atomic_load_n(&l->area->serials, __ATOMIC_ACQUIRE);
  unsigned before = l->n, alive;

  while (l->n < serials) {
    const int rc = live_make_room(l);
    if (rc < 0)
      return rc;
    const unsigned slot = live_find_slot(l);
    if (slot == RING_THREADS)
      break;
    l->thread[l->n++] = (struct live_thread){.slot = slot, .process = l->area->ring[slot].process};
    l->copy[slot].used = true;
    l->copy[slot].n = l->copy[slot].taken = 0;
    if (l->n % WAITS == 0)
      live_end_dead_rings(l); /* producers may be waiting for slots */
  }
  if (l->n != before && (alive = live_count_threads(l)) > l->most)
    l->most = alive;
  return 0;
}

/* True if a thread has unread words or has ended, or, if `at_rest`, is in a system call. */
static bool thread_has_news(const struct live *l, unsigned thread, bool at_rest)
{
  const struct live_thread *t = &l->thread[thread];
  const struct ring *r = &l->area->ring[t->slot];
  uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);

  return !t->ended && (l->copy[t->slot].taken < l->copy[t->slot].n || thread_readable_end(l, t) != t->read ||
                       state == RING_ENDED || (at_rest && state == RING_IN_SYSCALL));
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

/* True if a thread is blocked because its ring is full. */
static bool live_has_blocked_thread(const struct live *l)
{
  for (unsigned i = 0; i < l->n; i++)
    if (!l->thread[i].ended && __atomic_load_n(&l->area->ring[l->thread[i].slot].producer_waits, __ATOMIC_ACQUIRE))
      return true;
  return false;
}

/* True if a stop is requested. Forwards the signal to the program once. */
static bool live_is_stopped(struct live *l)
{
  if (!l->stop || !l->stop->number)
    return false;
  if (!l->forwarded && !live_has_ended(l))
    process_request_stop(&l->request, l->pid, l->stop->number);
  l->forwarded = true;
  return true;
}

static double live_seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Waits for the end of a program that got the signal. Drops its records, so that it waits neither for space nor for
 * their simulation. A program that has damaged the memory may wait for something else forever: it gets LIVE_END_SECONDS
 * to clean up, and is then killed. */
static void live_drain(struct live *l)
{
  static const struct timespec moment = {.tv_nsec = 2000000};
  const double begin = live_seconds();

  while (!live_has_ended(l)) {
    const uint32_t bell = __atomic_load_n(&l->area->bell, __ATOMIC_ACQUIRE);

    if (live_seconds() > begin + LIVE_END_SECONDS)
      l->stop->late = true;
    if (l->stop->count > 1 || l->stop->late)
      process_kill_all(&l->request, l->pid);
    for (unsigned slot = 0; slot < RING_THREADS; slot++) {
      struct ring *r = &l->area->ring[slot];
      const uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
      const uint64_t published = __atomic_load_n(&r->published, __ATOMIC_ACQUIRE);

      if (state == RING_ENDED) {
        __atomic_store_n(&r->state, RING_FREE, __ATOMIC_RELEASE);
      } else if (state >= RING_RUNNING) {
        __atomic_store_n(&r->done, published, __ATOMIC_RELEASE);
        ring_give_room(r, published);
      }
    }
    syscall(SYS_futex, &l->area->bell, FUTEX_WAIT, bell, &moment, NULL, 0);
  }
}

/* True if every process of the program waits: none of them is between two system calls. A thread in a system call has
 * published all records, but may return from it at once, as from a write() to a pipe. */
static bool live_waits(const struct live *l)
{
  pid_t asked = 0;

  for (unsigned i = 0; i < l->n; i++) {
    const struct live_thread *t = &l->thread[i];

    if (t->ended || t->process == asked)
      continue;
    if (!process_is_waiting(asked = t->process))
      return false;
  }
  return asked != 0;
}

/* True if the caller interrupts the program here. It is asked last: its answer takes effect. */
static bool live_is_interrupted(const struct live *l, unsigned thread)
{
  return thread == TRACE_ANY && l->interrupts && live_waits(l) && !live_has_news(l, thread) && l->interrupts(l->user);
}

/* Watches a thread for a short time, or until there is news. Waking a reader that sleeps takes the producer longer than
 * writing a batch of words, and a faster reader would sleep after each batch. Not if they share one processor. */
static void live_watch(const struct live *l, unsigned thread)
{
  for (unsigned looks = 0; l->watches && looks < LOOKS && !live_has_news(l, thread); looks++)
    host_relax();
}

/* The awaited thread may itself wait for a blocked thread, because QEMU stops all threads for some instructions. The
 * reader then waits for a moment and continues with the other threads. A killed process sends no notification, so this
 * function also searches for terminated processes. */
static int live_await(struct trace_source *s, unsigned thread)
{
  static const struct timespec moment = {.tv_nsec = 2000000}, while_alive = {.tv_nsec = 20000000};
  struct live *l = (struct live *)s;

  for (;;) {
    if (thread != TRACE_ANY)
      live_watch(l, thread);
    uint32_t bell = __atomic_load_n(&l->area->bell, __ATOMIC_ACQUIRE);
    bool stuck, timeout = false;

    __atomic_store_n(&l->area->reader_waits, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    stuck = thread != TRACE_ANY && live_has_blocked_thread(l);
    if (live_is_stopped(l)) { /* checked before news, which a program can forge */
      __atomic_store_n(&l->area->reader_waits, 0, __ATOMIC_RELAXED);
      return TRACE_REST; /* the caller checks the request; a signal to an idle program takes no simulated time */
    }
    if (live_has_news(l, thread))
      break;
    if (live_is_interrupted(l, thread)) {
      __atomic_store_n(&l->area->reader_waits, 0, __ATOMIC_RELAXED);
      return TRACE_REST;
    }
    if (syscall(SYS_futex, &l->area->bell, FUTEX_WAIT, bell, stuck || l->interrupts ? &moment : &while_alive, NULL, 0) <
        0)
      timeout = errno == ETIMEDOUT;
    if (timeout && stuck)
      break;
    if (timeout || ++l->waits >= WAITS)
      live_end_dead_rings(l);
  }
  __atomic_store_n(&l->area->reader_waits, 0, __ATOMIC_RELAXED);
  return 0;
}

void live_note(struct trace_source *s)
{
  struct live *l = (struct live *)s;

  live_find_threads(l);
  for (unsigned i = 0; i < l->n; i++)
    l->thread[i].noted = l->thread[i].ended ? 0 : thread_readable_end(l, &l->thread[i]);
}

bool live_has_passed(const struct trace_source *s)
{
  const struct live *l = (const struct live *)s;

  for (unsigned i = 0; i < l->n; i++) {
    const struct live_thread *t = &l->thread[i];
    const struct live_copy *copy = &l->copy[t->slot];

    if (!t->ended && t->read - (copy->n - copy->taken) < t->noted)
      return false;
  }
  return true;
}

static int live_poll(struct trace_source *s, unsigned *ret_threads, bool *ret_ended)
{
  struct live *l = (struct live *)s;
  live_begin(l);
  bool gone = live_has_ended(l);
  int rc = live_find_threads(l);

  *ret_threads = l->n;
  *ret_ended = gone;
  return rc == 0 && live_is_stopped(l) ? TRACE_REST : rc;
}

static int live_window(struct trace_source *s, unsigned thread, struct trace_window *ret)
{
  struct live *l = (struct live *)s;
  struct live_thread *t = &l->thread[thread];
  struct ring *r = &l->area->ring[t->slot];
  struct live_copy *copy = &l->copy[t->slot];
  bool gone = live_has_ended(l);
  int rc = 0;

  *ret = (struct trace_window){.state = TRACE_ENDED};
  if (t->ended)
    return 0;
  const uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);
  const uint64_t end = thread_readable_end(l, t);
  if (copy->taken == copy->n && (rc = live_copy_words(l, t, end)) < 0)
    return rc;
  ret->record = copy->word[copy->half] + copy->taken;
  ret->n = copy->n - copy->taken;
  if (!ret->n)
    __atomic_store_n(&r->done, t->read, __ATOMIC_RELEASE);
  if (t->read != end || (state == RING_RUNNING && !gone))
    ret->state = TRACE_RUNNING;
  else if (state == RING_IN_SYSCALL && !gone)
    ret->state = TRACE_BLOCKED;
  else if (!ret->n) {
    l->left += state != RING_ENDED && t->process != l->pid && !process_is_dead(t->process);
    t->ended = true; /* another thread can use the slot */
    copy->used = false;
    __atomic_store_n(&r->state, RING_FREE, __ATOMIC_RELEASE);
  }
  return 0;
}

static void live_consume(struct trace_source *s, unsigned thread, size_t n)
{
  struct live *l = (struct live *)s;

  l->copy[l->thread[thread].slot].taken += n;
}

static void live_free(struct trace_source *s)
{
  struct live *l = (struct live *)s;

  if (l->waiting && !l->joined) {
    if (l->begun && live_is_stopped(l))
      live_drain(l);
    else if (!live_has_ended(l))
      kill(l->pid, SIGKILL);
    live_join(l);
  }
  live_copy_end(l);
  ring_area_free(l->fd, l->area);
  if (l->setup_fd >= 0)
    close(l->setup_fd);
  free(l->copy);
  free(l->thread);
  free(l);
}

/* Copies a name at its first use; it does not change afterwards. */
static const char *live_name(struct trace_source *s, uint32_t number)
{
  struct live *l = (struct live *)s;
  const struct ring_name *slot = number < RING_NAMES ? &l->area->name[number] : NULL;

  if (!slot)
    return NULL;
  if (!*l->name[number] && __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == NAME_READY) {
    memcpy(l->name[number], slot->text, RING_NAME_BYTES);
    l->name[number][RING_NAME_BYTES - 1] = 0;
  }
  return *l->name[number] ? l->name[number] : NULL;
}

const struct trace_source_ops live_ops = {live_poll, live_await, live_window, live_consume, live_free, live_name};
