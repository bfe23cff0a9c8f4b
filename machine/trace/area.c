/* SPDX-License-Identifier: MIT */
#include "machine/trace/area.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <pmon/status.h>

/* Words to read before the producer is notified of the free space. */
#define RELEASE_AT (RING_RECORDS / 8)

int ring_area_new(int *ret_fd, struct ring_area **ret_area)
{
  struct ring_area *area;

  /* Its size is sealed: a program that shortens it could otherwise end the reader by SIGBUS. */
  *ret_fd = memfd_create("pmon-trace", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (*ret_fd < 0 || ftruncate(*ret_fd, (off_t)sizeof *area) < 0 ||
      fcntl(*ret_fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
    return PMON_E_IO;
  area = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, *ret_fd, 0);
  if (area == MAP_FAILED)
    return PMON_E_MEMORY;
  area->magic = RING_MAGIC;
  area->threads = RING_THREADS;
  area->records = RING_RECORDS;
  *ret_area = area;
  return 0;
}

void ring_area_free(int fd, struct ring_area *area)
{
  if (area)
    munmap(area, sizeof *area);
  if (fd >= 0)
    close(fd);
}

int ring_setup_new(void)
{
  return memfd_create("pmon-setup", MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int ring_setup_write(int fd, const struct ring_setup *setup)
{
  return write(fd, setup, sizeof *setup) == (ssize_t)sizeof *setup && !fcntl(fd, F_ADD_SEALS, RING_SETUP_SEALS)
             ? 0
             : PMON_E_IO;
}

/* Whether a producer writes such words. It never lets a core sleep. */
static __attribute__((noinline)) bool word_is_possible(uint64_t word)
{
  if (record_is_block(word))
    return record_is_mark(word) ? record_mark_is_valid(word) : record_count(word) && record_bytes(word);
  if (record_is_note(word))
    return record_note_is_valid(word);
  return record_size_log2(word) <= RING_SIZE_LOG2_MOST && (word & RECORD_MANNER) != RECORD_SLEEP;
}

/* The same of nearly all words: accesses, whose high bits are zero but for a manner below RECORD_SLEEP, and blocks. */
static inline bool word_is_usual(uint64_t word)
{
  if (word < RECORD_SLEEP)
    return record_size_log2(word) <= RING_SIZE_LOG2_MOST;
  return record_is_block(word) && record_count(word) && record_bytes(word);
}

ptrdiff_t ring_copy(const struct ring *r, uint64_t from, uint64_t end, uint64_t *to, size_t room)
{
  if (end - from > RING_RECORDS)
    return -1;
  const size_t n = end - from < room ? (size_t)(end - from) : room;
  for (size_t i = 0; i < n; i++) {
    const uint64_t word = __atomic_load_n(&r->record[(from + i) & (RING_RECORDS - 1)], __ATOMIC_RELAXED);
    if (!word_is_usual(word) && !word_is_possible(word))
      return -1;
    to[i] = word;
  }
  return (ptrdiff_t)n;
}

void ring_give_room(struct ring *r, uint64_t read)
{
  if (read - __atomic_load_n(&r->tail, __ATOMIC_RELAXED) < RELEASE_AT &&
      !__atomic_load_n(&r->producer_waits, __ATOMIC_RELAXED))
    return;
  __atomic_store_n(&r->tail, read, __ATOMIC_RELEASE);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&r->producer_waits, __ATOMIC_RELAXED) ||
      __atomic_load_n(&r->head, __ATOMIC_RELAXED) - read > RING_RECORDS / 2)
    return;
  __atomic_add_fetch(&r->space, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &r->space, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
