/* SPDX-License-Identifier: MIT */
/* Writes small traces with large demands. usage: make-trace FILE sleep|sleeps|waits|threads|together N
 * [RECORDS of each chunk] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "machine/trace/pmt.h"
#include "machine/trace/ring.h"
#include "machine/trace/writer.h"

enum { VISITS = PMT_CHUNK_RECORDS / 2 };
_Static_assert(VISITS == VISIT_BLOCKS && VISITS == VISIT_SLOTS, "a chunk's blocks and accesses fill a thread's tables");

struct payload {
  uint8_t byte[PMT_CHUNK_BYTES];
  size_t n;
};

/* A file whose threads all have the same chunks: a writer with that many threads would need more memory than the reader
 * may use. */
struct same {
  FILE *file;
  ZSTD_CCtx *zstd;
  struct payload payload[2];
  uint32_t records; /* of each chunk */
  int failed;
};

static void same_put(struct same *s, const void *from, size_t n, ZSTD_EndDirective directive)
{
  static uint8_t to[1 << 20];
  ZSTD_inBuffer in = {from, n, 0};
  size_t left;

  do {
    ZSTD_outBuffer out = {to, sizeof to, 0};
    left = ZSTD_compressStream2(s->zstd, &out, &in, directive);
    s->failed |= ZSTD_isError(left) || fwrite(to, 1, out.pos, s->file) != out.pos;
  } while (!s->failed && (in.pos < in.size || (directive == ZSTD_e_end && left)));
}

static void same_put_chunk(struct same *s, uint32_t tag, uint32_t thread, const uint8_t *payload, size_t n,
                           uint32_t records)
{
  uint8_t h[PMT_CHUNK_HEADER_BYTES];

  pmt_put32(h, tag);
  pmt_put32(h + 4, thread);
  pmt_put32(h + 8, (uint32_t)n);
  pmt_put32(h + 12, records);
  pmt_put64(h + 16, pmt_checksum(h, payload, n));
  same_put(s, h, sizeof h, ZSTD_e_continue);
  same_put(s, payload, n, ZSTD_e_continue);
}

/* Each block and each access has another address, so that all tables of a thread are in use. As many records follow as
 * may be decoded ahead: the last block, which costs the machine little time. */
static int same_encode(struct same *s)
{
  static uint64_t record[PMT_CHUNK_RECORDS];
  struct visit_encoder *e = visit_encoder_new();
  struct visit_columns *c = visit_columns_new(PMT_CHUNK_RECORDS);

  for (unsigned k = 0; k < 2 && e && c; k++) {
    for (unsigned i = 0; i < s->records / 2; i++) {
      const unsigned place = k ? s->records / 2 - 1 : i;

      record[2 * i] = record_block(0x400000 + 64 * place, 8, 2);
      record[2 * i + 1] = record_access(0x10000000 + 4096 * place, 3, false, 0);
    }
    visits_encode(e, c, record, s->records, true);
    s->payload[k].n = visit_columns_take(c, s->payload[k].byte);
  }
  visit_columns_free(c);
  visit_encoder_free(e);
  return e && c ? 0 : -1;
}

static void same_put_records(struct same *s, uint32_t thread, int i)
{
  same_put_chunk(s, PMT_RECORDS, thread, s->payload[i].byte, s->payload[i].n, s->records);
}

static int write_same(const char *path, bool together, uint32_t n, uint32_t records)
{
  static struct same s;
  uint8_t head[PMT_HEADER_BYTES] = PMT_MAGIC, all[8];

  s.records = records;
  s.file = fopen(path, "wb");
  s.zstd = ZSTD_createCCtx();
  if (!s.file || !s.zstd || same_encode(&s))
    return -1;
  pmt_put32(head + PMT_MAGIC_BYTES, PMT_VERSION);
  same_put(&s, head, sizeof head, ZSTD_e_continue);
  for (uint32_t i = 0; i < n; i++) {
    same_put_records(&s, i, 0);
    if (!together) {
      same_put_records(&s, i, 1);
      same_put_chunk(&s, PMT_END, i, NULL, 0, 0);
    }
  }
  for (uint32_t i = 0; i < n && together; i++)
    same_put_records(&s, i, 1);
  pmt_put64(all, 2 * (uint64_t)n * records);
  same_put_chunk(&s, PMT_DONE, n, all, sizeof all, 0);
  same_put(&s, NULL, 0, ZSTD_e_end);
  ZSTD_freeCCtx(s.zstd);
  return fclose(s.file) || s.failed ? -1 : 0;
}

/* One thread does nothing; another waits again and again. */
static int write_waits(struct trace_writer *w, uint64_t n)
{
  int rc = 0;

  for (uint64_t i = 0; i < n && !rc; i++)
    rc = trace_writer_idle(w, 1);
  return rc;
}

static int write_trace(struct trace_writer *w, const char *what, uint64_t n)
{
  const uint64_t sleep = RECORD_SLEEP | (n & RECORD_ADDRESS);
  int rc = 0;
  if (!strcmp(what, "sleep"))
    rc = trace_writer_append(w, 0, &sleep, 1);
  else if (!strcmp(what, "sleeps"))
    for (int i = 0; i < 1000 && !rc; i++)
      rc = trace_writer_append(w, 0, &sleep, 1);
  else
    rc = write_waits(w, n);
  return rc ? rc : trace_writer_finish(w);
}

int main(int argc, char **argv)
{
  char error[TRACE_ERROR_SIZE] = "usage: make-trace FILE sleep|sleeps|waits|threads|together N [RECORDS]";
  struct trace_writer *w = NULL;
  int rc = -1;
  const unsigned long records = argc == 5 ? strtoul(argv[4], NULL, 0) : PMT_CHUNK_RECORDS;
  if (argc >= 4 && argv[2][0] == 't' && records >= 2 && records <= PMT_CHUNK_RECORDS) {
    strcpy(error, "cannot be written");
    rc = write_same(argv[1], !strcmp(argv[2], "together"), (uint32_t)strtoul(argv[3], NULL, 0), (uint32_t)records);
  } else if (argc == 4) {
    rc = trace_writer_new(&(struct trace_writer_options){.path = argv[1], .origin = "hostile", .zstd = true}, error,
                          sizeof error, &w);
    if (!rc)
      rc = write_trace(w, argv[2], strtoull(argv[3], NULL, 0));
  }
  if (rc)
    fprintf(stderr, "make-trace: %s\n", w ? trace_writer_error(w) : error);
  trace_writer_free(w);
  return rc != 0;
}
