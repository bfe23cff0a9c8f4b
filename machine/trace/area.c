/* SPDX-License-Identifier: MIT */
#include "machine/trace/area.h"

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

  *ret_fd = memfd_create("pmon-trace", MFD_CLOEXEC);
  if (*ret_fd < 0 || ftruncate(*ret_fd, (off_t)sizeof *area) < 0)
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
