/* SPDX-License-Identifier: MIT */
#include "vm/shared.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>
#include <pmon/status.h>

_Static_assert(sizeof(struct shared_memory) == 8 * (4 + SHARED_WORDS + SHARED_PROCESSORS / 64), "as QEMU has it");

int shared_open(struct shared *s)
{
  *s = (struct shared){.fd = memfd_create("pmon-shared", MFD_CLOEXEC)};
  if (s->fd < 0)
    return PMON_E_MEMORY;
  void *at = ftruncate(s->fd, sizeof *s->at) ? MAP_FAILED
                                             : mmap(NULL, sizeof *s->at, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
  if (at != MAP_FAILED) {
    s->at = at;
    return PMON_OK;
  }
  close(s->fd);
  s->fd = -1;
  return PMON_E_MEMORY;
}

void shared_close(struct shared *s)
{
  if (s->at)
    munmap(s->at, sizeof *s->at);
  if (s->fd >= 0)
    close(s->fd);
  *s = (struct shared){.fd = -1};
}

void shared_interrupt(struct shared *s, unsigned processor)
{
  if (s->at && processor < SHARED_PROCESSORS)
    atomic_fetch_or(&s->at->interrupts[processor / 64], UINT64_C(1) << processor % 64);
}
