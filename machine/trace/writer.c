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
#define ZSTD_WORKERS 1         /* a separate thread compresses, so that the recording thread does not wait */
#define FRAME_BYTES (1u << 21) /* before compression; the amount that a truncated file or a full disk can lose */
#define OUT_BYTES (1u << 18)

/* Memory is allocated when the thread needs it and freed at the thread's end, because a program may have many
 * short-lived threads. */
struct writer_thread {
  struct visit_encoder *encoder; /* allocated at its first chunk */
  uint64_t *record;              /* PMT_CHUNK_RECORDS, allocated at its first record */
  uint32_t n;
};

struct trace_writer {
  int fd;
  char *path;
  ZSTD_CStream *zstd;
  uint8_t *out;   /* OUT_BYTES: compressed bytes before they are written */
  uint8_t *chunk; /* one chunk with its header */
  struct visit_columns *columns;
  struct writer_thread *thread;
  unsigned n;
  uint64_t records; /* accepted records */
  uint64_t written; /* records in complete chunks */
  uint32_t names;   /* number of region names in the file */
  uint32_t listed;  /* number of threads in the file */
  uint64_t size;    /* bytes in the file */
  uint64_t frame;   /* bytes in the open frame before compression */
  struct {
    uint64_t size, written;
    uint32_t listed;
  } whole;    /* up to the last complete frame of zstd, or chunk of a plain file */
  int failed; /* status of the first failure */
  void (*progress)(void *user, const struct trace_writer *w);
  void *user;
  char error[512];
};

static int writer_error(struct trace_writer *w, int status, const char *what, const char *why)
{
  if (!w->failed) {
    snprintf(w->error, sizeof w->error, "%.300s: %s: %s", w->path, what, why);
    w->failed = status;
  }
  return w->failed;
}

static int writer_write_all(struct trace_writer *w, const uint8_t *p, size_t n)
{
  while (n) {
    ssize_t k = write(w->fd, p, n);

    if (k < 0 && errno == EINTR)
      continue;
    if (k <= 0)
      return writer_error(w, PMON_E_IO, "cannot be written", strerror(k < 0 ? errno : ENOSPC));
    p += k;
    n -= (size_t)k;
    w->size += (uint64_t)k;
  }
  return 0;
}

/* Records that the file is readable up to here. */
static void writer_set_whole(struct trace_writer *w)
{
  w->whole.size = w->size;
  w->whole.written = w->written;
  w->whole.listed = w->listed;
}

static int writer_compress(struct trace_writer *w, const uint8_t *p, size_t n, ZSTD_EndDirective directive)
{
  ZSTD_inBuffer in = {p, n, 0};
  size_t left;

  if (w->failed)
    return w->failed;
  if (!w->zstd)
    return writer_write_all(w, p, n);
  w->frame += n;
  do {
    ZSTD_outBuffer out = {w->out, OUT_BYTES, 0};
    int rc;

    left = ZSTD_compressStream2(w->zstd, &out, &in, directive);
    if (ZSTD_isError(left))
      return writer_error(w, PMON_E_MEMORY, "cannot be compressed", ZSTD_getErrorName(left));
    rc = writer_write_all(w, w->out, out.pos);
    if (rc < 0)
      return rc;
  } while (in.pos < in.size || (directive == ZSTD_e_end && left));
  return 0;
}

/* Ends the zstd frame when it is large enough, or at the end of the file (`last`). */
static int writer_end_frame(struct trace_writer *w, bool last)
{
  int rc = w->failed;
  if (w->zstd && !last && w->frame < FRAME_BYTES)
    return rc;
  if (w->zstd && rc == 0)
    rc = writer_compress(w, NULL, 0, ZSTD_e_end);
  if (rc == 0)
    writer_set_whole(w);
  w->frame = 0;
  return rc;
}

/* Completes the header before w->chunk's payload, and writes both. */
static int writer_put_chunk(struct trace_writer *w, uint32_t tag, uint32_t thread, uint32_t bytes, uint32_t records)
{
  uint8_t *h = w->chunk;

  pmt_put32(h, tag);
  pmt_put32(h + 4, thread);
  pmt_put32(h + 8, bytes);
  pmt_put32(h + 12, records);
  pmt_put64(h + 16, pmt_checksum(h, h + PMT_CHUNK_HEADER_BYTES, bytes));
  if (writer_compress(w, h, PMT_CHUNK_HEADER_BYTES + bytes, ZSTD_e_continue) == 0) {
    w->written += records;
    if (tag != PMT_DONE && tag != PMT_NAME && thread >= w->listed)
      w->listed = thread + 1;
    writer_end_frame(w, tag == PMT_DONE);
  }
  if (w->progress && !w->failed)
    w->progress(w->user, w);
  return w->failed;
}

/* Writes the thread's records: all, or those before the last block, whose accesses may be incomplete. */
static int writer_put_records(struct trace_writer *w, unsigned thread, bool all)
{
  struct writer_thread *t = &w->thread[thread];
  size_t bytes, n;

  if (!t->n)
    return w->failed;
  if (!t->encoder && !(t->encoder = visit_encoder_new()))
    return writer_error(w, PMON_E_MEMORY, "cannot be written", "out of memory");
  n = visits_encode(t->encoder, w->columns, t->record, t->n, all);
  bytes = visit_columns_take(w->columns, w->chunk + PMT_CHUNK_HEADER_BYTES);
  t->n -= (uint32_t)n;
  memmove(t->record, t->record + n, t->n * sizeof *t->record);
  return writer_put_chunk(w, PMT_RECORDS, thread, (uint32_t)bytes, (uint32_t)n);
}

static void writer_thread_fini(struct writer_thread *t)
{
  visit_encoder_free(t->encoder);
  free(t->record);
  *t = (struct writer_thread){0};
}

/* Adds the threads up to `thread`. Threads appear in the file in the order of their start; a thread without records
 * gets an empty chunk. */
static int writer_add_threads(struct trace_writer *w, unsigned thread)
{
  struct writer_thread *list;

  if (thread < w->n)
    return w->failed;
  if (thread >= PMT_THREADS)
    return writer_error(w, PMON_E_MEMORY, "cannot hold the trace", "too many threads");
  list = realloc(w->thread, (thread + 1) * sizeof *list);
  if (!list)
    return writer_error(w, PMON_E_MEMORY, "cannot be written", "out of memory");
  w->thread = list;
  trace_writer_flush(w);
  while (w->n <= thread) {
    w->thread[w->n] = (struct writer_thread){0};
    writer_put_chunk(w, PMT_RECORDS, w->n++, 0, 0);
  }
  return w->failed;
}

int trace_writer_append(struct trace_writer *w, unsigned thread, const uint64_t *record, size_t n)
{
  int rc = writer_add_threads(w, thread);

  while (rc == 0 && n) {
    struct writer_thread *t = &w->thread[thread];
    size_t k = PMT_CHUNK_RECORDS - t->n;

    if (!t->record && !(t->record = malloc(PMT_CHUNK_RECORDS * sizeof *t->record)))
      return writer_error(w, PMON_E_MEMORY, "cannot be written", "out of memory");
    if (k > n)
      k = n;
    memcpy(t->record + t->n, record, k * sizeof *record);
    t->n += (uint32_t)k;
    record += k;
    n -= k;
    w->records += k;
    if (t->n == PMT_CHUNK_RECORDS)
      rc = writer_put_records(w, thread, false);
  }
  return rc;
}

int trace_writer_name(struct trace_writer *w, const char *name)
{
  size_t n = strnlen(name, PMT_NAME_BYTES);

  if (w->names >= PMT_NAMES)
    return writer_error(w, PMON_E_MEMORY, "cannot hold the trace", "too many names of regions");
  memcpy(w->chunk + PMT_CHUNK_HEADER_BYTES, name, n);
  return writer_put_chunk(w, PMT_NAME, w->names++, (uint32_t)n, 0);
}

static int writer_mark(struct trace_writer *w, unsigned thread, uint32_t tag)
{
  int rc = writer_add_threads(w, thread);

  if (rc == 0)
    rc = writer_put_records(w, thread, true);
  return rc == 0 ? writer_put_chunk(w, tag, thread, 0, 0) : rc;
}

int trace_writer_idle(struct trace_writer *w, unsigned thread)
{
  return writer_mark(w, thread, PMT_IDLE);
}

int trace_writer_end(struct trace_writer *w, unsigned thread)
{
  int rc = writer_mark(w, thread, PMT_END);

  if (thread < w->n)
    writer_thread_fini(&w->thread[thread]);
  return rc;
}

int trace_writer_flush(struct trace_writer *w)
{
  for (unsigned i = 0; i < w->n; i++)
    writer_put_records(w, i, true);
  return w->failed;
}

/* After a failure: truncates the file after its last complete chunk or frame, and writes an end record into the freed
 * space, so that the file is readable. */
static void writer_salvage(struct trace_writer *w)
{
  uint8_t end[PMT_CHUNK_HEADER_BYTES + 8], frame[ZSTD_COMPRESSBOUND(sizeof end)];
  const uint8_t *from = end;
  size_t n = sizeof end;

  if (!w->whole.size || ftruncate(w->fd, (off_t)w->whole.size) < 0)
    return;
  pmt_put32(end, PMT_DONE);
  pmt_put32(end + 4, w->whole.listed);
  pmt_put32(end + 8, 8);
  pmt_put32(end + 12, 0);
  pmt_put64(end + PMT_CHUNK_HEADER_BYTES, w->whole.written);
  pmt_put64(end + 16, pmt_checksum(end, end + PMT_CHUNK_HEADER_BYTES, 8));
  if (w->zstd) {
    n = ZSTD_compress(frame, sizeof frame, end, sizeof end, ZSTD_LEVEL);
    from = frame;
  }
  if (ZSTD_isError(n) || lseek(w->fd, (off_t)w->whole.size, SEEK_SET) < 0 || write(w->fd, from, n) != (ssize_t)n)
    (void)!ftruncate(w->fd, (off_t)w->whole.size); /* without an end record; readers report that */
  w->written = w->whole.written;
  w->size = w->whole.size + n;
}

int trace_writer_finish(struct trace_writer *w)
{
  trace_writer_flush(w);
  pmt_put64(w->chunk + PMT_CHUNK_HEADER_BYTES, w->written);
  if (!w->failed)
    writer_put_chunk(w, PMT_DONE, w->n, 8, 0);
  if (w->failed)
    writer_salvage(w);
  if (close(w->fd) < 0)
    writer_error(w, PMON_E_IO, "cannot be written", strerror(errno));
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

uint64_t trace_writer_size(const struct trace_writer *w)
{
  return w->size;
}

void trace_writer_free(struct trace_writer *w)
{
  if (!w)
    return;
  if (w->fd >= 0)
    close(w->fd);
  for (unsigned i = 0; i < w->n; i++)
    writer_thread_fini(&w->thread[i]);
  visit_columns_free(w->columns);
  free(w->thread);
  ZSTD_freeCStream(w->zstd);
  free(w->out);
  free(w->chunk);
  free(w->path);
  free(w);
}

static int writer_put_header(struct trace_writer *w, const char *origin)
{
  uint8_t h[PMT_HEADER_BYTES];
  size_t n = strlen(origin) < PMT_ORIGIN_MAX ? strlen(origin) : PMT_ORIGIN_MAX;
  int rc;

  memcpy(h, PMT_MAGIC, PMT_MAGIC_BYTES);
  pmt_put32(h + 8, PMT_VERSION);
  pmt_put32(h + 12, (uint32_t)n);
  rc = writer_compress(w, h, sizeof h, ZSTD_e_continue);
  if (rc == 0)
    rc = writer_compress(w, (const uint8_t *)origin, n, ZSTD_e_continue);
  return rc == 0 ? writer_end_frame(w, true) : rc;
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
  w->progress = options->progress;
  w->user = options->user;
  w->path = strdup(options->path);
  w->chunk = malloc(PMT_CHUNK_HEADER_BYTES + PMT_CHUNK_BYTES + PMT_PADDING);
  w->columns = visit_columns_new(PMT_CHUNK_RECORDS);
  w->out = malloc(OUT_BYTES);
  if (options->zstd)
    w->zstd = ZSTD_createCStream();
  if (!w->path || !w->chunk || !w->columns || !w->out || (options->zstd && !w->zstd))
    goto writer_error;
  if (w->zstd) {
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
    ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_nbWorkers, ZSTD_WORKERS); /* fails in a library without threads */
  }
  rc = PMON_E_INVALID;
  w->fd = open(w->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (w->fd < 0)
    writer_error(w, rc, "cannot be created", strerror(errno));
  else
    rc = writer_put_header(w, options->origin ? options->origin : "");
  if (rc < 0) {
    snprintf(error, error_size, "%s", w->error);
    goto writer_error;
  }
  *ret_writer = w;
  return 0;
writer_error:
  trace_writer_free(w);
  return rc;
}
