/* SPDX-License-Identifier: MIT */
/* Copies a source of records to a trace file. */
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/trace/writer.h"

enum copied { COPIED_RUNNING, COPIED_IDLE, COPIED_ENDED };

struct copy {
  struct trace_source *source;
  struct trace_writer *writer;
  uint8_t *state; /* enum copied, one per thread */
  unsigned n, alive;
  uint32_t names; /* number of written region names */
  bool writer_failed;
};

static int copy_writer_status(struct copy *c, int rc)
{
  c->writer_failed |= rc < 0;
  return rc;
}

static int copy_add_threads(struct copy *c, unsigned threads)
{
  uint8_t *state;

  if (threads <= c->n)
    return 0;
  state = realloc(c->state, threads);
  if (!state) {
    strcpy(c->source->error, "out of memory");
    return PMON_E_MEMORY;
  }
  memset(state + c->n, COPIED_RUNNING, threads - c->n);
  c->state = state;
  c->alive += threads - c->n;
  c->n = threads;
  /* the new thread's first record comes after all earlier records of the other threads */
  return copy_writer_status(c, trace_writer_append(c->writer, threads - 1, NULL, 0));
}

/* Writes the names that the source has received, before records that may refer to them. */
static int copy_names(struct copy *c)
{
  const char *name;
  int rc = 0;

  while (rc == 0 && (name = trace_source_name(c->source, c->names))) {
    rc = copy_writer_status(c, trace_writer_name(c->writer, name));
    c->names++;
  }
  return rc;
}

/* Copies the current window of a thread. Marks a thread that waits as idle, unless it is the only one alive. */
static int copy_thread_window(struct copy *c, unsigned thread, bool *ret_any)
{
  struct trace_window w;
  int rc = c->source->ops->window(c->source, thread, &w);

  if (rc < 0)
    return rc;
  if (w.n) {
    *ret_any = true;
    c->state[thread] = COPIED_RUNNING;
    rc = copy_names(c);
    if (rc == 0)
      rc = copy_writer_status(c, trace_writer_append(c->writer, thread, w.record, w.n));
    c->source->ops->consume(c->source, thread, w.n);
  } else if (w.state == TRACE_ENDED) {
    *ret_any = true;
    c->state[thread] = COPIED_ENDED;
    c->alive--;
    rc = copy_writer_status(c, trace_writer_end(c->writer, thread));
  } else if (w.state == TRACE_BLOCKED && c->state[thread] == COPIED_RUNNING && c->alive > 1) {
    c->state[thread] = COPIED_IDLE;
    rc = copy_writer_status(c, trace_writer_idle(c->writer, thread));
  }
  return rc;
}

int trace_copy(struct trace_source *source, struct trace_writer *w, bool *ret_writer_failed)
{
  struct copy c = {.source = source, .writer = w};
  int rc = 0;

  for (;;) {
    unsigned threads;
    bool ended, any = false;

    rc = source->ops->poll(source, &threads, &ended);
    if (rc == 0)
      rc = copy_add_threads(&c, threads);
    for (unsigned i = 0; i < c.n && rc == 0; i++)
      if (c.state[i] != COPIED_ENDED)
        rc = copy_thread_window(&c, i, &any);
    if (rc != 0 || (ended && !c.alive)) /* TRACE_REST: a stop is requested */
      break;
    if (!any && (rc = source->ops->await(source, TRACE_ANY)) < 0)
      break;
  }
  rc = rc < 0 ? rc : 0;
  if (copy_writer_status(&c, trace_writer_finish(w)) < 0)
    rc = rc < 0 ? rc : PMON_E_IO;
  free(c.state);
  *ret_writer_failed = c.writer_failed;
  return rc;
}
