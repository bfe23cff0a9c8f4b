/* SPDX-License-Identifier: MIT */
/* Records coded as visits: decoding restores what was encoded, predictable accesses take almost no space, and payloads
 * that no encoder makes are refused. usage: test-trace-visits RECORDING, a file of version 4: the beginning of gzip,
 * and a part of its deflate() */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <unistd.h>
#include "machine/trace/pmt.h"
#include "machine/trace/writer.h"
#include "tests/trace/collect.h"

#define CHUNK 4096u
#define PAYLOAD (CHUNK * VISIT_RECORD_BYTES + COLUMNS_HEADER)

static const char *recording;

struct coding {
  struct visit_encoder *encoder;
  struct visit_columns *columns;
  struct visit_model *model;
  uint8_t *payload;
  uint64_t record[2 * CHUNK], decoded[CHUNK];
  size_t n, bytes; /* records that are not encoded yet; sum over all payloads */
};

static int coding_set_up(void **state)
{
  struct coding *c = calloc(1, sizeof *c);

  c->encoder = visit_encoder_new();
  c->columns = visit_columns_new(CHUNK);
  c->model = calloc(1, sizeof *c->model);
  c->payload = calloc(1, PAYLOAD + PMT_PADDING);
  *state = c;
  return 0;
}

static int coding_tear_down(void **state)
{
  struct coding *c = *state;

  visit_encoder_free(c->encoder);
  visit_columns_free(c->columns);
  free(c->model);
  free(c->payload);
  free(c);
  return 0;
}

/* Encodes the records so far, decodes them, and compares. */
static void coding_pass(struct coding *c, bool all)
{
  uint64_t slept = 0;
  size_t bytes, n;

  n = visits_encode(c->encoder, c->columns, c->record, c->n, all);
  bytes = visit_columns_take(c->columns, c->payload);
  assert_true(all ? n == c->n : n <= c->n);
  assert_true(bytes <= n * VISIT_RECORD_BYTES + COLUMNS_HEADER);
  assert_true(visits_decode(c->model, c->payload, bytes, c->decoded, n, &slept));
  assert_memory_equal(c->decoded, c->record, n * sizeof(uint64_t));
  assert_memory_equal(visit_encoder_model(c->encoder), c->model, sizeof *c->model);
  memmove(c->record, c->record + n, (c->n - n) * sizeof(uint64_t));
  c->n -= n;
  c->bytes += bytes;
}

static void coding_add(struct coding *c, uint64_t record)
{
  c->record[c->n++] = record;
  if (c->n == CHUNK)
    coding_pass(c, false);
}

static void test_predictable_visits_take_nothing(void **state)
{
  struct coding *c = *state;
  uint64_t seed = 1, stack;

  for (uint64_t i = 0; i < 40000; i++) {
    const uint64_t r = random_next(&seed) % 30000;
    coding_add(c, record_block(0x401000, 30, 5));
    coding_add(c, record_access(0x10000000 + 8 * i, 3, false, 0)); /* a constant stride */
    coding_add(c, record_access(0x20000000, 2, true, 1));          /* the same address */
    coding_add(c, record_access(0x30000000 + r, 0, false, 2));     /* unpredictable: two bytes */
    coding_add(c, record_access(0x40000000 + 4 * r, 2, false, 3)); /* the access before it, times four */
    coding_add(c, record_access(0x50000000 + r, 0, true, 4));
    if (i % 3)
      continue;
    stack = 0x7ffc00000000 + random_next(&seed) % 30000 * 8;
    coding_add(c, record_block(0x402000, 20, 3));
    coding_add(c, record_access(stack, 3, true, 0)); /* anywhere nearby: three bytes */
    coding_add(c, record_access(stack - 8, 3, true, 1));
    coding_add(c, record_access(stack - 64, 3, false, 2));
  }
  coding_pass(c, true);
  /* two bytes each; every third iteration three bytes more and two events; 3 KB for columns' lengths and learning */
  if (c->bytes > 40000 * 2 + 40000 / 3 * 5 + 3000)
    fail_msg("%zu bytes", c->bytes);
}

/* A program with more blocks than places and more accesses than slots; some blocks have more accesses than are
 * predicted. */
static void add_visit(struct coding *c, uint64_t *seed)
{
  const uint64_t r = random_next(seed), block = r & 4 ? r >> 8 & 15 : r >> 8 & 32767;
  unsigned n = (unsigned)(block % 7);

  if (block % 1024 == 5)
    n = 200;
  if (!(r >> 32 & 63))
    n -= n != 0; /* one of its instructions faulted */
  coding_add(c, record_block(0x400000 + 64 * block, 1 + (uint32_t)block % 60, 1 + (uint32_t)block % 50));
  for (unsigned i = 0; i < n; i++) {
    const uint64_t x = random_next(seed);
    uint64_t record = record_access(x & 1   ? 0x10000000 + x % 100000
                                    : x & 2 ? x >> 10
                                            : 0x7ffc00000000 + 8 * block,
                                    3, i & 1, i % 64);

    if (!(x >> 40 & 255))
      record |= i & 1 ? RECORD_PAST_CACHES : RECORD_FLUSH;
    coding_add(c, record);
  }
}

static void test_what_is_encoded_comes_back(void **state)
{
  static const uint64_t others[] = {RECORD_SLEEP | 1000, RECORD_BLOCK | RECORD_MARK_END | 3};
  struct coding *c = *state;
  uint64_t seed = 7;

  coding_add(c, record_access(0x1000, 3, false, 5)); /* belongs to no block */
  for (unsigned i = 0; i < 200000; i++) {
    const uint64_t r = random_next(&seed);

    add_visit(c, &seed);
    if (!(r & 0x3ff))
      coding_add(c, others[r >> 10 & 1]);
    if (!(r & 0x7f))
      coding_add(c, record_note(NOTE_ACCESS, r >> 10 & 63, r >> 20));
    if (!(r & 0xfff) && c->n > 2) { /* the buffer is encoded in the middle of a visit */
      coding_pass(c, true);
      coding_add(c, record_access(0x2000, 3, false, 63));
    }
  }
  coding_pass(c, true);
  assert_true(c->n == 0);
}

#define BLOCK 0, 0x10, 0, 0, 0, 0, 4, 0x82 /* of 4 bytes */

struct forged {
  const char *what;
  uint8_t column[COLUMNS][12];
  uint8_t length[COLUMNS], records;
};

static const struct forged forged[] = {
    {"a run of blocks that are not known", {{1}}, {1}, 1},
    {"another block, where none is known", {{EVENT_OTHER << EVENT_SHIFT}}, {1}, 1},
    {"a place without a block", {{EVENT_PLACED << EVENT_SHIFT}, {5, 0}}, {1, 2}, 1},
    {"a place outside the table", {{0xc0}, {0, 0x40}, {0}, {0}, {BLOCK}}, {1, 2, 1, 0, 8}, 1},
    {"a block of no bytes", {{0xc0}, {0, 0}, {0}, {0}, {0, 0x10, 0, 0, 0, 0, 0, 0x82}}, {1, 2, 1, 0, 8}, 1},
    {"an access in a block's place", {{0xc0}, {0, 0}, {0}, {0}, {0, 0x10, 0, 0, 0, 0, 3, 0}}, {1, 2, 1, 0, 8}, 1},
    {"a block of too many accesses", {{0xc0}, {0, 0}, {128}, {0}, {BLOCK}}, {1, 2, 1, 0, 8}, 1},
    {"an access of 128 bytes", {{0xc0}, {0, 0}, {1, 7, 0, 0}, {0}, {BLOCK}}, {1, 2, 4, 0, 8}, 2},
    {"a sleep in a block", {{0xc0}, {0, 0}, {1, 0, 0x18, 0}, {0}, {BLOCK}}, {1, 2, 4, 0, 8}, 2},
    {"a difference to an access before the last eight",
     {{0xc0}, {0, 0}, {1, 3, 0, 0x40}, {0}, {BLOCK}},
     {1, 2, 4, 0, 8},
     2},
    {"a visit of a place outside the table",
     {{0xc0, 0x40}, {0, 0, 0, 0x40}, {1, 3, 0, 0}, {0}, {BLOCK}},
     {2, 4, 4, 0, 8},
     3},
    {"an offset of no length", {{0xc0}, {0, 0}, {1, 3, 0, 6}, {0}, {BLOCK}}, {1, 2, 4, 0, 8}, 2},
    {"the same, before many bytes", {{0xc0}, {0, 0}, {1, 3, 0, 6}, {0}, {BLOCK}}, {1, 2, 4, 255, 8}, 2},
    {"offsets that end", {{0xc0}, {0, 0}, {1, 3, 0, 2}, {1}, {BLOCK}}, {1, 2, 4, 1, 8}, 2},
    {"more records than stated", {{0xc0, 1}, {0, 0}, {0}, {0}, {BLOCK}}, {2, 2, 1, 0, 8}, 1},
    {"fewer records than stated", {{0xc0, 1}, {0, 0}, {0}, {0}, {BLOCK}}, {2, 2, 1, 0, 8}, 3},
    {"a byte that is left", {{0xc0}, {0, 0}, {0, 0}, {0}, {BLOCK}}, {1, 2, 2, 0, 8}, 1},
    {"changes of accesses that do not come", {{0xc0, 0x60}, {0, 0}, {0, 1, 0}, {0}, {BLOCK}}, {2, 2, 3, 0, 8}, 2},
    {"fewer accesses that are more", {{0xc0, 0x60}, {0, 0}, {0, 0x80, 5}, {0}, {BLOCK}}, {2, 2, 3, 0, 8}, 7},
    {"a change of an unknown kind", {{0xc0, 0x60}, {0, 0}, {1, 3, 0, 0, 1, 0, 0x20}, {0}, {BLOCK}}, {2, 2, 7, 0, 8}, 4},
    {"a shift by 4", {{0xc0, 0x60}, {0, 0}, {1, 3, 0, 0, 1, 0, 0x18, 0x38}, {0}, {BLOCK}}, {2, 2, 8, 0, 8}, 4},
    {"a step of six bytes",
     {{0xc0, 0x60}, {0, 0}, {1, 3, 0, 0, 1, 0, 0x0d}, {0, 0, 0, 0, 0, 1}, {BLOCK}},
     {2, 2, 7, 6, 8},
     4},
    {"the same of a related access",
     {{0xc0, 0x60}, {0, 0}, {1, 3, 0, 0, 1, 0, 0x1d, 0x1c}, {0, 0, 0, 0, 0, 1}, {BLOCK}},
     {2, 2, 8, 6, 8},
     4},
    {"two changes of one access",
     {{0xc0, 0x60}, {0, 0}, {2, 3, 0, 0, 3, 0, 0, 2, 0, 0, 0}, {0}, {BLOCK}},
     {2, 2, 11, 0, 8},
     6},
    {"changes in descending order",
     {{0xc0, 0x60}, {0, 0}, {2, 3, 0, 0, 3, 0, 0, 2, 1, 0, 0}, {0}, {BLOCK}},
     {2, 2, 11, 0, 8},
     6},
    {"a sleep of more than 60 s", {{0xe0}, {0}, {0}, {0}, {1, 0x58, 0x47, 0xf8, 0x0d, 0, 0, 0x18}}, {1, 0, 0, 0, 8}, 1},
    {"pages of a kind that does not exist",
     {{0xe0}, {0}, {0}, {0}, {0, 0x28, 8, 0, 0, 0x40, 0, 0x80}},
     {1, 0, 0, 0, 8},
     1},
    {"a skip, as only sampled runs have",
     {{0xe0}, {0}, {0}, {0}, {0xf4, 1, 0, 0, 0, 0x20, 0, 0x80}},
     {1, 0, 0, 0, 8},
     1},
    {"a mark with other bits", {{0xe0}, {0}, {0}, {0}, {5, 0, 0, 0x40, 0, 0, 0, 0x80}}, {1, 0, 0, 0, 8}, 1},
    {"a phase of a sampled run", {{0xe0}, {0}, {0}, {0}, {2, 0xff, 0, 0, 0, 0, 0, 0x80}}, {1, 0, 0, 0, 8}, 1},
    {"a phase that does not exist", {{0xe0}, {0}, {0}, {0}, {0xff, 0xff, 0, 0, 0, 0, 0, 0x80}}, {1, 0, 0, 0, 8}, 1},
    {"an event that says nothing", {{0xc0, 0}, {0, 0}, {0}, {0}, {BLOCK}}, {2, 2, 1, 0, 8}, 1},
    {"a note of an unknown register", {{0xe0}, {0}, {0}, {0}, {0, 0, 0, 0, 0, 0, 0x80, 0x5e}}, {1, 0, 0, 0, 8}, 1},
    {"half a record", {{0xe0}, {0}, {0}, {0}, {BLOCK}}, {1, 0, 0, 0, 4}, 1},
};

/* Writes the payload; returns its size in bytes. */
static size_t forge(const struct forged *f, uint8_t *to)
{
  uint8_t *p = to + COLUMNS_HEADER;

  for (unsigned i = 0; i < COLUMNS; i++) {
    if (i < COLUMNS - 1)
      pmt_put32(to + 4 * i, f->length[i]);
    memset(p, 0, f->length[i]);
    memcpy(p, f->column[i], f->length[i] < sizeof f->column[i] ? f->length[i] : sizeof f->column[i]);
    p += f->length[i];
  }
  return (size_t)(p - to);
}

static void test_forged_payloads_are_refused(void **state)
{
  struct coding *c = *state;
  uint64_t slept = 0;

  for (size_t i = 0; i < sizeof forged / sizeof *forged; i++) {
    const size_t bytes = forge(&forged[i], c->payload);
    uint8_t *exact = calloc(1, bytes + PMT_PADDING); /* exact size, for the sanitizers */

    memcpy(exact, c->payload, bytes);
    memset(c->model, 0, sizeof *c->model);
    if (visits_decode(c->model, exact, bytes, c->decoded, forged[i].records, &slept))
      fail_msg("decoded: %s", forged[i].what);
    free(exact);
  }
  memset(c->payload, 0, COLUMNS_HEADER);
  assert_false(visits_decode(c->model, c->payload, COLUMNS_HEADER - 1, c->decoded, 0, &slept));
  c->payload[0] = 1; /* a column that ends after the payload */
  assert_false(visits_decode(c->model, c->payload, COLUMNS_HEADER, c->decoded, 0, &slept));
}

/* The checksum of machine/trace/pmt.c, over records. */
static uint64_t digest(const uint64_t *record, size_t n)
{
  uint64_t h = 0;

  for (size_t i = 0; i < n; i++) {
    h = (h ^ record[i]) * UINT64_C(0x9fb21c651e98df25);
    h ^= h >> 32;
  }
  return h;
}

static void read_file(const char *path, struct collected *c)
{
  struct trace_source *s;
  char error[TRACE_ERROR_SIZE];

  assert_int_equal(trace_open(path, error, sizeof error, &s), 0);
  collect(s, c);
  assert_int_equal(c->status, 0);
}

/* The expected digest is that of the records that the reader of that version read. */
static void test_file_of_version_4_is_read_as_before(void **state)
{
  struct collected c;

  (void)state;
  read_file(recording, &c);
  assert_int_equal(c.threads, 1);
  assert_int_equal(c.n[0], 72000);
  assert_true(digest(c.record[0], c.n[0]) == UINT64_C(0xa99977a01f99a392));
  collected_free(&c);
}

/* 0.58 bytes for each load or store; version 4 had 1.36. */
static void test_recording_stays_small(void **state)
{
  char path[] = "/tmp/pmon-visits-XXXXXX", error[TRACE_ERROR_SIZE];
  const struct trace_writer_options options = {.path = path, .origin = "", .zstd = true};
  struct collected before, after;
  struct trace_writer *w;
  size_t accesses = 0;

  (void)state;
  close(mkstemp(path));
  read_file(recording, &before);
  for (size_t i = 0; i < before.n[0]; i++)
    accesses += !record_is_block(before.record[0][i]) && !record_is_note(before.record[0][i]);
  assert_int_equal(trace_writer_new(&options, error, sizeof error, &w), 0);
  assert_int_equal(trace_writer_append(w, 0, before.record[0], before.n[0]), 0);
  assert_int_equal(trace_writer_finish(w), 0);
  if ((double)trace_writer_size(w) > 0.62 * (double)accesses)
    fail_msg("%llu bytes for %zu loads and stores", (unsigned long long)trace_writer_size(w), accesses);
  trace_writer_free(w);
  read_file(path, &after);
  unlink(path);
  assert_int_equal(after.n[0], before.n[0]);
  assert_memory_equal(after.record[0], before.record[0], before.n[0] * sizeof(uint64_t));
  collected_free(&before);
  collected_free(&after);
}

int main(int argc, char **argv)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_predictable_visits_take_nothing, coding_set_up, coding_tear_down),
      cmocka_unit_test_setup_teardown(test_what_is_encoded_comes_back, coding_set_up, coding_tear_down),
      cmocka_unit_test_setup_teardown(test_forged_payloads_are_refused, coding_set_up, coding_tear_down),
      cmocka_unit_test(test_file_of_version_4_is_read_as_before),
      cmocka_unit_test(test_recording_stays_small),
  };

  recording = argc > 1 ? argv[1] : "";
  return cmocka_run_group_tests(tests, NULL, NULL);
}
