/* SPDX-License-Identifier: MIT */
#include "machine/common/host_pages.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>

#define HUGE_PAGE ((size_t)2 << 20)
#define COLLAPSE 25 /* MADV_COLLAPSE, which older headers lack */

/* Returns the bytes to map for `bytes` bytes: whole huge pages, unless it is less than one. */
static size_t pages_room(size_t bytes)
{
  return bytes < HUGE_PAGE ? bytes : (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

void *pages_get(size_t bytes)
{
  const size_t room = pages_room(bytes), more = bytes < HUGE_PAGE ? 0 : HUGE_PAGE;
  char *p = mmap(NULL, room + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (p == MAP_FAILED)
    return NULL;
  if (!more)
    return p;
  const size_t before = -(uintptr_t)p & (HUGE_PAGE - 1); /* huge pages begin at multiples of their size */
  if (before)
    munmap(p, before);
  munmap(p + before + room, more - before);
  madvise(p + before, room, MADV_NOHUGEPAGE); /* also where the host uses huge pages by default */
  return p + before;
}

void pages_put(void *pages, size_t bytes)
{
  if (pages)
    munmap(pages, pages_room(bytes));
}

static void *huge_pages_run(void *data)
{
  const struct huge_pages *h = data;

  for (unsigned i = 0; i < h->n; i++) {
    madvise(h->table[i].pages, pages_room(h->table[i].bytes), MADV_HUGEPAGE);
    madvise(h->table[i].pages, pages_room(h->table[i].now), COLLAPSE);
  }
  return NULL;
}

void huge_pages_begin(struct huge_pages *h)
{
  sigset_t all, before;

  if (h->begun)
    return;
  h->begun = true;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  h->running = pthread_create(&h->thread, NULL, huge_pages_run, h) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void huge_pages_end(struct huge_pages *h)
{
  if (h->running)
    pthread_join(h->thread, NULL);
  h->running = false;
}
