/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The producer's side of the rings (machine/trace/ring.h): claiming slots, publishing, waiting for space, ending. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "machine/trace/ring.h"
#include "plugin/producer.h"
#include "plugin/trace.h"

struct ring_area *area;
struct ring_setup setup;
struct ring *ring_spill;
int ring_wake_fd = -1;
int32_t ring_process;

const char *rings_map(int fd)
{
  void *p = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (p == MAP_FAILED)
    return "the shared memory cannot be mapped";
  area = p;
  if (area->magic != RING_MAGIC || area->threads != RING_THREADS || area->records != RING_RECORDS)
    return "the shared memory has a different version than this plugin";
  p = mmap(NULL, sizeof *ring_spill, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    return "out of memory";
  ring_spill = p;
  return NULL;
}

const char *setup_read(const char *path)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const bool good = fd >= 0 && (fcntl(fd, F_GET_SEALS) & RING_SETUP_SEALS) == RING_SETUP_SEALS &&
                    pread(fd, &setup, sizeof setup, 0) == (ssize_t)sizeof setup;
  if (fd >= 0)
    close(fd);
  return good ? NULL : "the setup cannot be read, or is not sealed";
}

/* Waits at most 0.1 seconds; false: it timed out. */
static bool futex_sleep(uint32_t *word, uint32_t value)
{
  static const struct timespec most = {.tv_nsec = 100000000};

  return syscall(SYS_futex, word, FUTEX_WAIT, value, &most, NULL, 0) == 0 || errno != ETIMEDOUT;
}

/* True if recording has ended: the first process or the reader has terminated. */
static bool ring_reader_is_gone(void)
{
  return __atomic_load_n(&area->gone, __ATOMIC_ACQUIRE) || (kill(setup.reader, 0) < 0 && errno == ESRCH);
}

static void futex_wake(uint32_t *word)
{
  syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void ring_bell(void)
{
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&area->reader_waits, __ATOMIC_RELAXED))
    return;
  __atomic_store_n(&area->reader_waits, 0, __ATOMIC_RELAXED);
  __atomic_add_fetch(&area->bell, 1, __ATOMIC_SEQ_CST);
  if (ring_wake_fd < 0)
    futex_wake(&area->bell);
  else if (write(ring_wake_fd, &(uint64_t){1}, sizeof(uint64_t)) < 0)
    ring_wake_fd = -1; /* the reader has terminated */
}

/* From now on the reader may read what has been written. */
static void ring_let_read(struct ring *r)
{
  __atomic_store_n(&r->published, r->head, __ATOMIC_RELEASE);
}

void trace_publish(struct ring *r)
{
  ring_let_read(r);
  ring_bell();
}

void trace_await_reader(struct ring *r)
{
  static const struct timespec moment = {.tv_nsec = 20000}; /* 50,000 of them are 1 to 5 s */
  uint64_t tail = 0;

  trace_publish(r);
  for (int i = 0; i < 50000 && __atomic_load_n(&r->done, __ATOMIC_ACQUIRE) < r->head && !ring_reader_is_gone(); i++) {
    nanosleep(&moment, NULL);
    if (__atomic_load_n(&r->tail, __ATOMIC_RELAXED) != tail)
      i = 0;
    tail = __atomic_load_n(&r->tail, __ATOMIC_RELAXED);
  }
}

static uint64_t ring_limit(const struct ring *r, uint64_t published)
{
  const uint64_t batch = published + RING_BATCH, full = r->seen_tail + RING_RECORDS - RING_RESERVE;

  return batch < full ? batch : full;
}

void ring_set_limit(struct ring *r)
{
  r->limit = ring_limit(r, r->head);
}

void trace_set_limit(struct ring *r)
{
  r->limit = ring_limit(r, r->published);
}

/* Waits until the reader has freed space for another block. false: recording has ended. */
static bool ring_wait_for_space(struct ring *r)
{
  for (bool woken = true;;) {
    uint32_t space = __atomic_load_n(&r->space, __ATOMIC_ACQUIRE);

    __atomic_store_n(&r->producer_waits, 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    r->seen_tail = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
    if (r->head < r->seen_tail + RING_RECORDS - RING_RESERVE)
      break;
    if (__atomic_load_n(&area->gone, __ATOMIC_ACQUIRE) || (!woken && ring_reader_is_gone()))
      return false;
    ring_bell(); /* the reader may be waiting for a thread that this thread keeps waiting */
    woken = futex_sleep(&r->space, space);
  }
  __atomic_store_n(&r->producer_waits, 0, __ATOMIC_RELAXED);
  return true;
}

static bool ring_claim(uint32_t slot)
{
  uint32_t state = RING_FREE, slots = __atomic_load_n(&area->slots, __ATOMIC_RELAXED);

  if (!__atomic_compare_exchange_n(&area->ring[slot].state, &state, RING_CLAIMED, false, __ATOMIC_ACQUIRE,
                                   __ATOMIC_RELAXED))
    return false;
  while (slots <= slot &&
         !__atomic_compare_exchange_n(&area->slots, &slots, slot + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
  return true;
}

/* A program begins with its measurement, which is prepared while the emulator starts, and may turn out to be
 * impossible. */
static void ring_await_begin(void)
{
  while (!__atomic_load_n(&area->begins, __ATOMIC_ACQUIRE) && !ring_reader_is_gone())
    futex_sleep(&area->begins, 0);
}

struct ring *ring_attach(void)
{
  struct ring *r = NULL;

  ring_await_begin();
  for (unsigned i = 0; i < RING_THREADS && !r && !ring_reader_is_gone(); i++)
    if (ring_claim(i))
      r = &area->ring[i];
  if (!r) {
    __atomic_add_fetch(&area->lost_threads, 1, __ATOMIC_RELAXED);
    return ring_spill;
  }
  r->head = r->limit = r->seen_tail = r->published = r->tail = r->done = 0;
  r->process = ring_process;
  r->serial = __atomic_fetch_add(&area->serials, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&r->state, RING_RUNNING, __ATOMIC_RELEASE);
  return r;
}

bool trace_look_up(struct ring *r)
{
  ring_let_read(r);
  r->seen_tail = __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE);
  if (r->head - r->seen_tail >= RING_WAKE)
    ring_bell();
  if (r->head >= r->seen_tail + RING_RECORDS - RING_RESERVE && !ring_wait_for_space(r))
    return false;
  ring_set_limit(r);
  return true;
}

void ring_set_state(struct ring *r, uint32_t state)
{
  if (!r || r == ring_spill)
    return;
  ring_let_read(r);
  __atomic_store_n(&r->state, state, __ATOMIC_RELEASE);
  ring_bell();
}

void rings_end(void)
{
  const uint32_t slots = __atomic_load_n(&area->slots, __ATOMIC_RELAXED);

  /* Not the slots after them: their memory, a page each, would have to be provided only to be looked at. */
  for (uint32_t i = 0; i < slots && i < RING_THREADS; i++) {
    struct ring *r = &area->ring[i];
    uint32_t state = __atomic_load_n(&r->state, __ATOMIC_ACQUIRE);

    if ((state == RING_RUNNING || state == RING_IN_SYSCALL) && r->process == ring_process)
      ring_set_state(r, RING_ENDED);
  }
}
