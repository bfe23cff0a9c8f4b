/* SPDX-License-Identifier: MIT */
#include "cli/stat/region_channel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <pmon/region_channel.h>

/* DESCRIPTOR: from a range that shell scripts do not use themselves; WAKES: taken at once, the others at the next
 * look. */
enum { DESCRIPTOR = 200, WAKES = 64, THREADS = 4096 };

struct channel_thread {
  int32_t process, thread;
  unsigned number;
  bool visible; /* in this process's PID namespace, so that its end can be noticed */
};

struct region_channel {
  struct pmon_region_area_ *area;
  int memory, socket, passed; /* passed: the command's end of the socket */
  uint64_t inode;
  struct channel_thread threads[THREADS];
  uint32_t n_threads;
  unsigned numbers; /* number of threads numbered so far */
  uint32_t slot;    /* the slot to look at next: round-robin */
  uint32_t pending; /* the slot that waits for its acknowledgement; PMON_REGION_SLOTS_: none */
  uint64_t refused;
  char name[PMON_REGION_NAME_MAX + 1];
};

static int channel_make_memory(struct region_channel *c)
{
  c->memory = memfd_create("pmon-regions", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (c->memory < 0 || ftruncate(c->memory, sizeof *c->area) ||
      fcntl(c->memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
    return errno;
  void *at = mmap(NULL, sizeof *c->area, PROT_READ | PROT_WRITE, MAP_SHARED, c->memory, 0);
  if (at == MAP_FAILED)
    return errno;
  c->area = at;
  c->area->magic = PMON_REGION_MAGIC_;
  return 0;
}

static int channel_make_socket(struct region_channel *c)
{
  int ends[2];
  struct stat st;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
    return errno;
  c->socket = ends[0];
  c->passed = ends[1];
  if (fstat(c->passed, &st))
    return errno;
  c->inode = st.st_ino;
  return 0;
}

int region_channel_new(struct region_channel **ret_channel)
{
  struct region_channel *c = calloc(1, sizeof *c);
  if (!c)
    return ENOMEM;
  c->memory = c->socket = c->passed = -1;
  c->pending = PMON_REGION_SLOTS_;
  int error = channel_make_memory(c);
  if (!error)
    error = channel_make_socket(c);
  if (error) {
    region_channel_free(c);
    return error;
  }
  *ret_channel = c;
  return 0;
}

static void channel_close(int *fd)
{
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

/* Makes a copy of a descriptor that the command inherits, with a number that its programs do not use. */
static int channel_inherit(int fd)
{
  const int high = fcntl(fd, F_DUPFD, DESCRIPTOR);
  return high >= 0 ? high : fcntl(fd, F_DUPFD, 3);
}

void region_channel_pass(const struct region_channel *c)
{
  char text[80];
  snprintf(text, sizeof text, "%d,%d,%llu", channel_inherit(c->memory), channel_inherit(c->passed),
           (unsigned long long)c->inode);
  setenv(PMON_REGION_VARIABLE_, text, 1);
}

void region_channel_close_passed(struct region_channel *c)
{
  channel_close(&c->passed);
  channel_close(&c->memory);
}

int region_channel_fd(const struct region_channel *c)
{
  return c->socket;
}

/* Reads the bytes that woke this process. Closes a socket that the command has shut down, which would otherwise remain
 * readable. */
static void channel_take_wakes(struct region_channel *c)
{
  char bytes[WAKES];
  const ssize_t n = c->socket < 0 ? -1 : recv(c->socket, bytes, sizeof bytes, MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
    channel_close(&c->socket);
}

static bool thread_exists(const struct channel_thread *t)
{
  return !tgkill(t->process, t->thread, 0) || errno != ESRCH;
}

/* Returns the thread's number; -1: there are too many threads. */
static int channel_number(struct region_channel *c, int32_t process, int32_t thread)
{
  for (uint32_t i = 0; i < c->n_threads; i++)
    if (c->threads[i].thread == thread && c->threads[i].process == process)
      return (int)c->threads[i].number;
  if (c->n_threads == THREADS)
    return -1;
  struct channel_thread *t = &c->threads[c->n_threads++];
  *t = (struct channel_thread){.process = process, .thread = thread, .number = c->numbers++};
  t->visible = process > 0 && thread > 0 && thread_exists(t);
  return (int)t->number;
}

/* Takes the end of a thread; its number is not used again. */
static bool channel_take_ended(struct region_channel *c, struct target_mark *ret_mark)
{
  for (uint32_t i = 0; i < c->n_threads; i++) {
    if (!c->threads[i].visible || thread_exists(&c->threads[i]))
      continue;
    *ret_mark = (struct target_mark){.kind = TARGET_MARK_THREAD_ENDS, .thread = c->threads[i].number};
    c->threads[i] = c->threads[--c->n_threads];
    return true;
  }
  return false;
}

/* Takes a copy of a request. False: there is none, or it cannot be measured, and is acknowledged at once. */
static bool channel_take_request(struct region_channel *c, uint32_t number, struct target_mark *ret_mark)
{
  struct pmon_region_slot_ *slot = &c->area->slots[number];
  if (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) != PMON_REGION_REQUESTED_)
    return false;
  const uint32_t kind = __atomic_load_n(&slot->kind, __ATOMIC_RELAXED);
  const int32_t process = __atomic_load_n(&slot->process, __ATOMIC_RELAXED),
                thread = __atomic_load_n(&slot->thread, __ATOMIC_RELAXED);
  for (size_t i = 0; i < sizeof c->name - 1; i++)
    c->name[i] = __atomic_load_n(&slot->name[i], __ATOMIC_RELAXED);
  c->name[sizeof c->name - 1] = 0;
  c->pending = number;
  const bool known = kind == PMON_REGION_BEGINS_ || kind == PMON_REGION_ENDS_;
  const int which = known ? channel_number(c, process, thread) : -1;
  if (which < 0) {
    c->refused++;
    region_channel_acknowledge(c);
    return false;
  }
  *ret_mark = (struct target_mark){.kind = kind == PMON_REGION_BEGINS_ ? TARGET_MARK_BEGIN : TARGET_MARK_END,
                                   .thread = (unsigned)which,
                                   .name = *c->name ? c->name : NULL};
  return true;
}

static bool channel_take_mark(struct region_channel *c, struct target_mark *ret_mark)
{
  if (channel_take_ended(c, ret_mark))
    return true;
  for (uint32_t i = 0; i < PMON_REGION_SLOTS_; i++) {
    const uint32_t number = c->slot++ % PMON_REGION_SLOTS_;
    if (channel_take_request(c, number, ret_mark))
      return true;
  }
  return false;
}

/* While there are requests, the socket stays readable, so that the next wait ends at once. */
bool region_channel_next(struct region_channel *c, struct target_mark *ret_mark)
{
  if (channel_take_mark(c, ret_mark))
    return true;
  channel_take_wakes(c);
  return channel_take_mark(c, ret_mark); /* a request that came before its wake was taken */
}

static void channel_wake(struct pmon_region_slot_ *slot)
{
  syscall(SYS_futex, &slot->state, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

void region_channel_acknowledge(struct region_channel *c)
{
  uint32_t state = PMON_REGION_REQUESTED_;
  if (c->pending == PMON_REGION_SLOTS_)
    return;
  struct pmon_region_slot_ *slot = &c->area->slots[c->pending];
  c->pending = PMON_REGION_SLOTS_;
  if (__atomic_compare_exchange_n(&slot->state, &state, (uint32_t)PMON_REGION_READ_, false, __ATOMIC_RELEASE,
                                  __ATOMIC_RELAXED))
    channel_wake(slot);
}

uint64_t region_channel_lost(const struct region_channel *c)
{
  return c->refused + __atomic_load_n(&c->area->lost, __ATOMIC_RELAXED);
}

void region_channel_free(struct region_channel *c)
{
  if (!c)
    return;
  channel_close(&c->passed);
  channel_close(&c->socket);
  channel_close(&c->memory);
  if (c->area) {
    __atomic_store_n(&c->area->closed, 1, __ATOMIC_RELEASE);
    for (uint32_t i = 0; i < PMON_REGION_SLOTS_; i++)
      channel_wake(&c->area->slots[i]);
    munmap(c->area, sizeof *c->area);
  }
  free(c);
}
