/* SPDX-License-Identifier: MIT */
/* Copying of a running program's words before they are used, by the reader, or ahead of it by a host thread. */
#include <stdio.h>
#include <pmon/status.h>
#include "machine/trace/area.h"
#include "machine/trace/live_state.h"

/* The command is at fault, not pmon's input: PMON_E_IO. */
static int live_refuse(struct live *l)
{
  snprintf(l->base.error, sizeof l->base.error,
           "the shared memory of the trace is damaged: the measured program, or one of its children, wrote into it");
  return PMON_E_IO;
}

static void copy_run(struct work *w)
{
  struct live_copy *c = (struct live_copy *)w;

  c->copied = ring_copy(c->ring, c->from, c->end, c->word[!c->half], COPY_WORDS);
}

int live_copy_words(struct live *l, struct live_thread *t, uint64_t end)
{
  struct ring *r = &l->area->ring[t->slot];
  struct live_copy *c = &l->copy[t->slot];

  if (work_has_begun(&c->work)) {
    work_finish(l->base.workers, &c->work);
  } else {
    c->work.run = copy_run;
    c->ring = r;
    c->from = t->read;
    c->end = end;
    copy_run(&c->work);
  }
  if (c->copied < 0)
    return live_refuse(l);
  c->half = !c->half;
  c->n = (size_t)c->copied;
  c->taken = 0;
  t->read += c->n;
  if (!c->n)
    return 0;
  /* Space is freed only now, not when the words are copied: otherwise a program further ahead would end, and the next
   * one begin, before the machine gets there, and successive processes would run in parallel in simulated time. */
  ring_give_room(r, t->read);
  if (l->base.workers && t->read != end) {
    c->from = t->read;
    c->end = end;
    work_begin(l->base.workers, &c->work);
  }
  return 0;
}

void live_copy_ahead(struct trace_source *s, unsigned threads)
{
  struct live *l = (struct live *)s;

  if (!l->base.workers && threads > 1)
    l->base.workers = workers_new(threads - 1);
}

void live_copy_end(struct live *l)
{
  for (unsigned i = 0; l->base.workers && i < RING_THREADS; i++)
    work_cancel(l->base.workers, &l->copy[i].work);
  workers_free(l->base.workers);
  l->base.workers = NULL;
}
