/* SPDX-License-Identifier: MIT */
#include "machine/trace/pmt_chunks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

int pmt_error_text(const struct trace_input *in, uint64_t at, const char *what, const char *remedy,
                   char error[TRACE_ERROR_SIZE])
{
  snprintf(error, TRACE_ERROR_SIZE, "%.300s: %s at byte %llu%s; %s", trace_input_name(in), what, (unsigned long long)at,
           trace_input_is_compressed(in) ? " of the decompressed data" : "", remedy);
  return PMON_E_SYNTAX;
}

static int reader_report_damage(struct pmt_reader *r, uint64_t at, const char *what)
{
  r->ended = true;
  return r->failed = pmt_error_text(r->in, at, what, PMT_DAMAGED, r->error);
}

static int reader_fail(struct pmt_reader *r, int status, const char *why)
{
  r->ended = true;
  snprintf(r->error, sizeof r->error, "%s", why);
  return r->failed = status;
}

static int reader_report_version(struct pmt_reader *r)
{
  char why[TRACE_ERROR_SIZE];

  snprintf(
      why, sizeof why,
      "%.300s: format version %u; this pmon reads versions 1 to %u; use the pmon that recorded it, or record again",
      trace_input_name(r->in), r->version, PMT_VERSION);
  return reader_fail(r, PMON_E_SYNTAX, why);
}

/* Reads exactly `n` bytes; otherwise records a failure. */
static bool reader_read(struct pmt_reader *r, uint8_t *to, size_t n, uint64_t at, const char *what)
{
  size_t k;
  int rc = trace_input_read(r->in, to, n, &k);

  if (rc < 0)
    reader_fail(r, rc, trace_input_error(r->in));
  else if (k != n)
    reader_report_damage(r, at + k, what);
  return rc >= 0 && k == n;
}

/* After the end record: detects whether bytes follow. */
static void reader_end(struct pmt_reader *r, struct chunk *c)
{
  uint8_t more;
  size_t k;
  int rc = trace_input_read(r->in, &more, 1, &k);

  r->ended = true;
  c->followed = k != 0;
  if (rc < 0)
    reader_fail(r, rc, trace_input_error(r->in));
}

static void reader_read_chunk(struct pmt_reader *r)
{
  uint64_t at = trace_input_offset(r->in);
  uint8_t h[PMT_CHUNK_HEADER_BYTES];
  uint32_t bytes;
  struct chunk *c;

  if (!reader_read(r, h, sizeof h, at, "the file ends before its end record,"))
    return;
  bytes = pmt_get32(h + 8);
  if (bytes > PMT_CHUNK_BYTES) {
    reader_report_damage(r, at, "invalid chunk header");
    return;
  }
  c = calloc(1, sizeof *c + bytes + PMT_PADDING); /* chunk_memory() */
  if (!c) {
    reader_fail(r, PMON_E_MEMORY, "out of memory");
    return;
  }
  c->tag = pmt_get32(h);
  c->thread = pmt_get32(h + 4);
  c->bytes = bytes;
  c->records = pmt_get32(h + 12);
  c->at = at;
  if (!reader_read(r, c->payload, bytes, at + sizeof h, "the file ends in a chunk,")) {
    free(c);
  } else if (pmt_checksum(h, c->payload, bytes) != pmt_get64(h + 16)) {
    free(c);
    reader_report_damage(r, at, "wrong checksum of the chunk");
  } else {
    *r->last = c;
    r->last = &c->next;
    if (c->tag == PMT_DONE)
      reader_end(r, c);
  }
}

static void reader_run(struct work *w)
{
  struct pmt_reader *r = (struct pmt_reader *)w;

  for (unsigned i = 0; i < r->most && !r->ended; i++)
    reader_read_chunk(r);
}

int pmt_read_header(struct pmt_reader *r, const uint8_t *head, size_t n)
{
  uint8_t h[PMT_HEADER_BYTES];
  uint32_t origin;

  memcpy(h, head, n);
  if (!reader_read(r, h + n, sizeof h - n, n, "the file ends in its header,"))
    return r->failed;
  r->version = pmt_get32(h + 8);
  if (!r->version || r->version > PMT_VERSION)
    return reader_report_version(r);
  origin = pmt_get32(h + 12);
  if (origin > PMT_ORIGIN_MAX)
    return reader_report_damage(r, 12, "invalid length of the origin text");
  for (uint32_t i = 0; i < origin; i++) {
    uint8_t letter;

    if (!reader_read(r, &letter, 1, sizeof h + i, "the file ends in its header,"))
      return r->failed;
  }
  return 0;
}

void pmt_reader_init(struct pmt_reader *r, struct trace_input *in)
{
  *r = (struct pmt_reader){.work.run = reader_run, .in = in, .most = 1};
  r->last = &r->first;
}

void chunks_free(struct chunk *c)
{
  for (struct chunk *next; c; c = next) {
    next = c->next;
    free(c);
  }
}

void pmt_reader_fini(struct pmt_reader *r)
{
  chunks_free(r->first);
  trace_input_close(r->in);
}

void pmt_take_batch(struct pmt_source *p, bool wait)
{
  struct pmt_reader *r = &p->reader;
  const bool ahead = work_has_begun(&r->work);

  if (p->batch || (!wait && !(ahead && work_is_done(&r->work))))
    return;
  if (ahead)
    work_finish(p->base.workers, &r->work);
  else
    r->work.run(&r->work);
  p->batch = r->first;
  r->first = NULL;
  r->last = &r->first;
  if (p->base.workers && !r->ended)
    work_begin(p->base.workers, &r->work);
}
