/* SPDX-License-Identifier: MIT */
#include "machine/trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>
#include <pmon/status.h>
#include "machine/trace/pmt.h"

#define ZSTD_LEVEL 1
#define OUT_BYTES (1u << 18)

struct writer_thread {
  struct pmt_coder coder;
  uint64_t record[PMT_CHUNK_RECORDS];
  uint32_t n;
};

struct trace_writer {
  int fd;
  char *path;
  ZSTD_CStream *zstd;
  uint8_t *out;   /* OUT_BYTES: compressed bytes on their way */
  uint8_t *chunk; /* one chunk with its header */
  struct writer_thread **thread;
  unsigned n;
  uint64_t records;  /* taken */
  uint64_t written;  /* of those, in complete chunks */
  uint32_t told;     /* threads that the file knows of */
  uint64_t complete; /* plain: bytes of the file up to the last complete chunk */
  int failed;        /* status, once something did */
  char error[512];
};

static int fail(struct trace_writer *w, int status, const char *what, const char *why)
{
  if (!w->failed) {
    snprintf(w->error, sizeof w->error, "%.300s: %s: %s", w->path, what, why);
    w->failed = status;
  }
  return w->failed;
}

static int write_all(struct trace_writer *w, const uint8_t *p, size_t n)
{
  while (n) {
    ssize_t k = write(w->fd, p, n);

    if (k < 0 && errno == EINTR)
      continue;
    if (k <= 0)
      return fail(w, PMON_E_IO, "cannot be written", strerror(k < 0 ? errno : ENOSPC));
    p += k;
    n -= (size_t)k;
  }
  return 0;
}

static int put(struct trace_writer *w, const uint8_t *p, size_t n, ZSTD_EndDirective directive)
{
  ZSTD_inBuffer in = {p, n, 0};
  size_t left;

  if (w->failed)
    return w->failed;
  if (!w->zstd) {
    int rc = write_all(w, p, n);

    w->complete += rc == 0 ? n : 0;
    return rc;
  }
  do {
    ZSTD_outBuffer out = {w->out, OUT_BYTES, 0};
    int rc;

    left = ZSTD_compressStream2(w->zstd, &out, &in, directive);
    if (ZSTD_isError(left))
      return fail(w, PMON_E_MEMORY, "cannot be compressed", ZSTD_getErrorName(left));
    rc = write_all(w, w->out, out.pos);
    if (rc < 0)
      return rc;
  } while (in.pos < in.size || (directive == ZSTD_e_end && left));
  return 0;
}

/* Completes the header in front of w->chunk's payload, and writes both. */
static int put_chunk(struct trace_writer *w, uint32_t tag, uint32_t thread, uint32_t bytes, uint32_t records)
{
  uint8_t *h = w->chunk;

  pmt_put32(h, tag);
  pmt_put32(h + 4, thread);
  pmt_put32(h + 8, bytes);
  pmt_put32(h + 12, records);
  pmt_put64(h + 16, pmt_checksum(h, h + PMT_CHUNK_HEADER_BYTES, bytes));
  if (put(w, h, PMT_CHUNK_HEADER_BYTES + bytes, ZSTD_e_continue) == 0) {
    w->written += records;
    if (tag != PMT_DONE && thread >= w->told)
      w->told = thread + 1;
  }
  return w->failed;
}

static int flush_thread(struct trace_writer *w, unsigned thread)
{
  struct writer_thread *t = w->thread[thread];
  uint32_t n = t->n;
  size_t bytes;

  if (!n)
    return w->failed;
  bytes = pmt_encode(&t->coder, t->record, n, w->chunk + PMT_CHUNK_HEADER_BYTES);
  t->n = 0;
  return put_chunk(w, PMT_RECORDS, thread, (uint32_t)bytes, n);
}

/* Threads are told in the order in which they begin; a thread without records yet gets an empty chunk. */
static int add_threads(struct trace_writer *w, unsigned thread)
{
  struct writer_thread **list;

  if (thread < w->n)
    return w->failed;
  if (thread >= PMT_THREADS)
    return fail(w, PMON_E_MEMORY, "cannot hold the trace", "too many threads");
  list = realloc(w->thread, (thread + 1) * sizeof *list);
  if (!list)
    return fail(w, PMON_E_MEMORY, "cannot be written", "out of memory");
  w->thread = list;
  trace_writer_flush(w);
  while (w->n <= thread) {
    w->thread[w->n] = calloc(1, sizeof **list);
    if (!w->thread[w->n])
      return fail(w, PMON_E_MEMORY, "cannot be written", "out of memory");
    put_chunk(w, PMT_RECORDS, w->n++, 0, 0);
  }
  return w->failed;
}

int trace_writer_append(struct trace_writer *w, unsigned thread, const uint64_t *record, size_t n)
{
  int rc = add_threads(w, thread);

  while (rc == 0 && n) {
    struct writer_thread *t = w->thread[thread];
    size_t k = PMT_CHUNK_RECORDS - t->n;

    if (k > n)
      k = n;
    memcpy(t->record + t->n, record, k * sizeof *record);
    t->n += (uint32_t)k;
    record += k;
    n -= k;
    w->records += k;
    if (t->n == PMT_CHUNK_RECORDS)
      rc = flush_thread(w, thread);
  }
  return rc;
}

static int mark(struct trace_writer *w, unsigned thread, uint32_t tag)
{
  int rc = add_threads(w, thread);

  if (rc == 0)
    rc = flush_thread(w, thread);
  return rc == 0 ? put_chunk(w, tag, thread, 0, 0) : rc;
}

int trace_writer_idle(struct trace_writer *w, unsigned thread)
{
  return mark(w, thread, PMT_IDLE);
}

int trace_writer_end(struct trace_writer *w, unsigned thread)
{
  return mark(w, thread, PMT_END);
}

int trace_writer_flush(struct trace_writer *w)
{
  for (unsigned i = 0; i < w->n; i++)
    flush_thread(w, i);
  return w->failed;
}

/* After a failure: cuts a plain file off behind its last complete chunk and, in the room that this gives, ends it as a
 * whole one ends, so that it can be read without complaint. */
static void salvage(struct trace_writer *w)
{
  uint8_t end[PMT_CHUNK_HEADER_BYTES + 8];

  if (w->zstd || !w->complete || ftruncate(w->fd, (off_t)w->complete) < 0)
    return;
  pmt_put32(end, PMT_DONE);
  pmt_put32(end + 4, w->told);
  pmt_put32(end + 8, 8);
  pmt_put32(end + 12, 0);
  pmt_put64(end + PMT_CHUNK_HEADER_BYTES, w->written);
  pmt_put64(end + 16, pmt_checksum(end, end + PMT_CHUNK_HEADER_BYTES, 8));
  if (lseek(w->fd, (off_t)w->complete, SEEK_SET) < 0 || write(w->fd, end, sizeof end) != (ssize_t)sizeof end)
    (void)!ftruncate(w->fd, (off_t)w->complete); /* then the file ends without end record, which readers say */
}

int trace_writer_finish(struct trace_writer *w)
{
  trace_writer_flush(w);
  pmt_put64(w->chunk + PMT_CHUNK_HEADER_BYTES, w->written);
  if (!w->failed)
    put_chunk(w, PMT_DONE, w->n, 8, 0);
  if (!w->failed && w->zstd)
    put(w, NULL, 0, ZSTD_e_end);
  if (w->failed)
    salvage(w);
  if (close(w->fd) < 0)
    fail(w, PMON_E_IO, "cannot be written", strerror(errno));
  w->fd = -1;
  return w->failed;
}

const char *trace_writer_error(const struct trace_writer *w)
{
  return w->error;
}

uint64_t trace_writer_records(const struct trace_writer *w)
{
  return w->records;
}

uint64_t trace_writer_written(const struct trace_writer *w)
{
  return w->written;
}

void trace_writer_free(struct trace_writer *w)
{
  if (!w)
    return;
  if (w->fd >= 0)
    close(w->fd);
  for (unsigned i = 0; i < w->n; i++)
    free(w->thread[i]);
  free(w->thread);
  ZSTD_freeCStream(w->zstd);
  free(w->out);
  free(w->chunk);
  free(w->path);
  free(w);
}

static int put_header(struct trace_writer *w, const char *origin)
{
  uint8_t h[PMT_HEADER_BYTES];
  size_t n = strlen(origin) < PMT_ORIGIN_MAX ? strlen(origin) : PMT_ORIGIN_MAX;
  int rc;

  memcpy(h, PMT_MAGIC, PMT_MAGIC_BYTES);
  pmt_put32(h + 8, PMT_VERSION);
  pmt_put32(h + 12, (uint32_t)n);
  rc = put(w, h, sizeof h, ZSTD_e_continue);
  return rc == 0 ? put(w, (const uint8_t *)origin, n, ZSTD_e_continue) : rc;
}

int trace_writer_new(const struct trace_writer_options *options, char *error, size_t error_size,
                     struct trace_writer **ret_writer)
{
  struct trace_writer *w = calloc(1, sizeof *w);
  int rc = PMON_E_MEMORY;

  snprintf(error, error_size, "out of memory");
  if (!w)
    return rc;
  w->fd = -1;
  w->path = strdup(options->path);
  w->chunk = malloc(PMT_CHUNK_HEADER_BYTES + PMT_CHUNK_BYTES + PMT_PADDING);
  w->out = malloc(OUT_BYTES);
  if (options->zstd)
    w->zstd = ZSTD_createCStream();
  if (!w->path || !w->chunk || !w->out || (options->zstd && !w->zstd))
    goto fail;
  if (w->zstd)
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
  rc = PMON_E_INVALID;
  w->fd = open(w->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (w->fd < 0)
    fail(w, rc, "cannot be created", strerror(errno));
  else
    rc = put_header(w, options->origin ? options->origin : "");
  if (rc < 0) {
    snprintf(error, error_size, "%s", w->error);
    goto fail;
  }
  *ret_writer = w;
  return 0;
fail:
  trace_writer_free(w);
  return rc;
}
