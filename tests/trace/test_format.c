/* SPDX-License-Identifier: MIT */
/* The binary format: written records are read back unchanged, and damage is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>
#include <pmon/status.h>
#include "machine/trace/pmt.h"
#include "machine/trace/writer.h"
#include "tests/trace/collect.h"

#define MANY 200000u

struct fixture {
  char path[64];
  uint64_t *record[3];
};

static int format_set_up(void **state)
{
  struct fixture *f = calloc(1, sizeof *f);
  int fd;

  strcpy(f->path, "/tmp/pmon-format-XXXXXX");
  fd = mkstemp(f->path);
  close(fd);
  for (unsigned i = 0; i < 3; i++) {
    f->record[i] = malloc(MANY * sizeof(uint64_t));
    random_records(i + 1, f->record[i], MANY);
  }
  *state = f;
  return fd < 0;
}

static int format_tear_down(void **state)
{
  struct fixture *f = *state;

  unlink(f->path);
  for (unsigned i = 0; i < 3; i++)
    free(f->record[i]);
  free(f);
  return 0;
}

/* Writes three threads that begin one after the other, with n records each. */
static void format_write_file(const struct fixture *f, bool zstd, size_t n)
{
  struct trace_writer_options options = {.path = f->path, .origin = "test", .zstd = zstd};
  struct trace_writer *w;
  char error[TRACE_ERROR_SIZE];

  assert_int_equal(trace_writer_new(&options, error, sizeof error, &w), 0);
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(trace_writer_append(w, i, f->record[i], n / 2), 0);
    if (i == 1)
      assert_int_equal(trace_writer_idle(w, 1), 0);
  }
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(trace_writer_append(w, i, f->record[i] + n / 2, n - n / 2), 0);
    assert_int_equal(trace_writer_end(w, i), 0);
  }
  assert_int_equal(trace_writer_records(w), 3 * n);
  assert_int_equal(trace_writer_finish(w), 0);
  trace_writer_free(w);
}

static uint8_t *format_load(const char *path, size_t *ret_n)
{
  FILE *file = fopen(path, "rb");
  struct stat st;
  uint8_t *p;

  assert_non_null(file);
  assert_int_equal(fstat(fileno(file), &st), 0);
  p = malloc((size_t)st.st_size + 1);
  *ret_n = fread(p, 1, (size_t)st.st_size, file);
  fclose(file);
  return p;
}

/* Reads bytes as a file; refusal at opening is as good as an error later. */
static void read_bytes(const uint8_t *p, size_t n, struct collected *c)
{
  struct trace_input *in;
  struct trace_source *s;
  char error[TRACE_ERROR_SIZE];

  *c = (struct collected){0};
  assert_int_equal(trace_input_memory("bytes", p, n, &in), 0);
  c->status = trace_source_of_input(in, error, sizeof error, &s);
  if (c->status == 0)
    collect(s, c);
  else
    memcpy(c->error, error, sizeof error);
}

static void format_round_trip(const struct fixture *f, bool zstd)
{
  struct trace_source *s;
  struct collected c;
  char error[TRACE_ERROR_SIZE];

  format_write_file(f, zstd, MANY);
  assert_int_equal(trace_open(f->path, error, sizeof error, &s), 0);
  collect(s, &c);
  assert_int_equal(c.status, 0);
  assert_int_equal(c.threads, 3);
  for (unsigned i = 0; i < 3; i++) {
    assert_int_equal(c.n[i], MANY);
    assert_memory_equal(c.record[i], f->record[i], MANY * sizeof(uint64_t));
  }
  collected_free(&c);
}

static void test_plain_round_trip(void **state)
{
  struct stat st;

  format_round_trip(*state, false);
  assert_int_equal(stat(((struct fixture *)*state)->path, &st), 0);
  /* less than the 8 bytes of a record in memory, though a block's accesses differ each time, unlike in any program */
  assert_true(st.st_size < (off_t)(3 * MANY * 7));
}

static void test_zstd_round_trip(void **state)
{
  format_round_trip(*state, true);
}

/* A file cut after any byte: an error, and the records of each thread are a prefix of the written ones. */
static void cut_everywhere(const struct fixture *f, bool zstd)
{
  size_t n, delivered = 0;
  uint8_t *whole;

  format_write_file(f, zstd, 40);
  whole = format_load(f->path, &n);
  for (size_t cut = 0; cut < n; cut++) {
    uint8_t *p = malloc(cut ? cut : 1); /* of exact size, for the sanitizers */
    struct collected c;

    memcpy(p, whole, cut);
    read_bytes(p, cut, &c);
    assert_int_equal(c.status, PMON_E_SYNTAX);
    assert_true(c.error[0] != 0);
    if (!zstd && cut >= 8)
      assert_non_null(strstr(c.error, "byte "));
    if (zstd && cut == n - 1)
      assert_non_null(strstr(c.error, "record it again"));
    for (unsigned i = 0; i < c.threads; i++)
      assert_memory_equal(c.record[i], f->record[i], c.n[i] * sizeof(uint64_t));
    assert_true(zstd || c.total >= delivered);
    delivered = c.total;
    collected_free(&c);
    free(p);
  }
  assert_true(zstd || delivered == 120); /* only the end record was missing */
  free(whole);
}

static void test_truncated_plain_is_reported(void **state)
{
  cut_everywhere(*state, false);
}

static void test_truncated_zstd_is_reported(void **state)
{
  cut_everywhere(*state, true);
}

/* Compresses bytes by steps, so that the frame states the window and not the size. */
static size_t compress_with_window(int window_log, const uint8_t *from, size_t n, uint8_t *to, size_t size)
{
  ZSTD_CCtx *zstd = ZSTD_createCCtx();
  ZSTD_inBuffer none = {from, 0, 0}, in = {from, n, 0};
  ZSTD_outBuffer out = {to, size, 0};

  assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, window_log)));
  assert_false(ZSTD_isError(ZSTD_compressStream2(zstd, &out, &none, ZSTD_e_continue)));
  assert_false(ZSTD_isError(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_flush)));
  assert_int_equal(ZSTD_compressStream2(zstd, &out, &in, ZSTD_e_end), 0);
  ZSTD_freeCCtx(zstd);
  return out.pos;
}

static void test_zstd_windows_have_a_limit(void **state)
{
  size_t n, size;
  uint8_t *p, *packed;

  format_write_file(*state, false, 40);
  p = format_load(((struct fixture *)*state)->path, &n);
  size = ZSTD_compressBound(n) + 64;
  packed = malloc(size);
  for (int window_log = 23; window_log <= 24; window_log++) {
    struct collected c;

    read_bytes(packed, compress_with_window(window_log, p, n, packed, size), &c);
    assert_int_equal(c.status, window_log > 23 ? PMON_E_SYNTAX : 0);
    assert_int_equal(c.total, window_log > 23 ? 0 : 120);
    assert_true(window_log == 23 || strstr(c.error, "need a window of more than 8 MB: decompress the file, or"));
    collected_free(&c);
  }
  free(packed);
  free(p);
}

static void test_any_changed_byte_is_reported(void **state)
{
  size_t n;
  uint8_t *p;

  format_write_file(*state, false, 40);
  p = format_load(((struct fixture *)*state)->path, &n);
  const size_t step = TESTS_STEP > 1 ? 7 : 1; /* all places of a record, which has ten bytes */
  for (size_t i = 0; i < n; i += step) {
    struct collected c;

    if (i >= PMT_HEADER_BYTES && i < PMT_HEADER_BYTES + 4)
      continue; /* the origin is free text */
    p[i] ^= 0x20;
    read_bytes(p, n, &c);
    p[i] ^= 0x20;
    if (c.status != PMON_E_SYNTAX)
      fail_msg("byte %zu changed: status %d", i, c.status);
    collected_free(&c);
  }
  free(p);
}

/* Chunks of version 4 with a valid checksum and a payload that no writer makes; test_visits.c has those of version
 * 5. */
static void test_forged_payloads_are_refused(void **state)
{
  static const uint8_t forged[][12] = {
      {0x01, 0x00},                                     /* a block that was never defined */
      {0x1c, 0x00},                                     /* an access of 128 bytes */
      {0x03, 0x00, 1, 2, 3, 4, 5, 6, 7, 0x08},          /* a definition that is not a block */
      {0x03, 0x00, 1, 2, 3, 4, 5, 6, 0, 0x82},          /* a block of 0 bytes */
      {0x00, 0x03},                                     /* longer than the chunk */
      {0x00, 0x00, 0x03},                               /* a definition truncated in its first word */
      {0x03, 0x00, 0, 0x28, 0x08, 0, 0, 0x40, 0, 0x80}, /* pages of a kind that does not exist */
      {0x03, 0x00, 0, 0x50, 0x08, 0, 0, 0x40, 0, 0x80}, /* pages whose address is no multiple of their size */
      {0x03, 0x00, 0xf4, 1, 0, 0, 0, 0x20, 0, 0x80},    /* a skip, which only sampled runs have */
      {0x03, 0x00, 2, 0xff, 0, 0, 0, 0, 0, 0x80},       /* a phase of one */
  };
  static const uint8_t bytes[] = {2, 2, 10, 10, 2, 3, 10, 10, 10, 10}, records[] = {1, 1, 1, 1, 1, 2, 1, 1, 1, 1};

  (void)state;
  for (size_t i = 0; i < sizeof bytes; i++) {
    uint8_t file[PMT_HEADER_BYTES + PMT_CHUNK_HEADER_BYTES + 12] = PMT_MAGIC;
    uint8_t *h = file + PMT_HEADER_BYTES;
    struct collected c;

    pmt_put32(file + 8, 4);
    pmt_put32(h, PMT_RECORDS);
    pmt_put32(h + 8, bytes[i]);
    pmt_put32(h + 12, records[i]);
    memcpy(h + PMT_CHUNK_HEADER_BYTES, forged[i], bytes[i]);
    pmt_put64(h + 16, pmt_checksum(h, forged[i], bytes[i]));
    read_bytes(file, PMT_HEADER_BYTES + PMT_CHUNK_HEADER_BYTES + bytes[i], &c);
    assert_int_equal(c.status, PMON_E_SYNTAX);
    assert_non_null(strstr(c.error, "undecodable records in the chunk at byte 16"));
    assert_int_equal(c.total, 0);
    collected_free(&c);
  }
}

/* Records before version 5 have at most 10 bytes: a payload longer than that for a chunk's maximum of records is
 * refused. */
static void test_payload_of_version_4_has_a_limit(void **state)
{
  enum { MOST = 10 * PMT_CHUNK_RECORDS, SIZE = PMT_HEADER_BYTES + PMT_CHUNK_HEADER_BYTES + MOST + 10 };
  uint8_t *file = calloc(1, SIZE), *h = file + PMT_HEADER_BYTES, *payload = h + PMT_CHUNK_HEADER_BYTES;

  (void)state;
  memcpy(file, PMT_MAGIC, PMT_MAGIC_BYTES);
  pmt_put32(file + 8, 4);
  for (uint32_t i = 0; i <= PMT_CHUNK_RECORDS; i++) {
    payload[10 * i] = 3; /* defines a block */
    pmt_put64(payload + 10 * i + 2, record_block(0x1000, 4, 1));
  }
  for (uint32_t more = 0; more <= 10; more += 10) {
    struct collected c;

    pmt_put32(h, PMT_RECORDS);
    pmt_put32(h + 8, MOST + more);
    pmt_put32(h + 12, PMT_CHUNK_RECORDS);
    pmt_put64(h + 16, pmt_checksum(h, payload, MOST + more));
    read_bytes(file, SIZE - 10 + more, &c);
    assert_int_equal(c.total, more ? 0 : PMT_CHUNK_RECORDS);
    assert_non_null(strstr(c.error, more ? "undecodable records" : "the file ends before its end record"));
    collected_free(&c);
  }
  free(file);
}

static void test_other_version_names_those_that_are_read(void **state)
{
  uint8_t file[PMT_HEADER_BYTES] = PMT_MAGIC;
  struct collected c;

  (void)state;
  pmt_put32(file + 8, PMT_VERSION + 1);
  read_bytes(file, sizeof file, &c);
  assert_int_equal(c.status, PMON_E_SYNTAX);
  assert_non_null(
      strstr(c.error, "format version 6; this pmon reads versions 1 to 5; use the pmon that recorded it, or"));
}

static void test_full_disk_is_reported_at_once(void **state)
{
  struct trace_writer_options options = {.path = "/dev/full", .origin = "x"};
  struct trace_writer *w;
  char error[TRACE_ERROR_SIZE] = "";

  (void)state;
  assert_int_equal(trace_writer_new(&options, error, sizeof error, &w), PMON_E_IO);
  assert_non_null(strstr(error, "/dev/full: cannot be written: No space left"));
  options.path = "/nowhere/file";
  assert_int_equal(trace_writer_new(&options, error, sizeof error, &w), PMON_E_INVALID);
  assert_non_null(strstr(error, "/nowhere/file: cannot be created"));
}

/* Runs in a child: writes with a limit on the file's size; its exit code states what failed. */
static int write_into_limit(const struct fixture *f)
{
  struct trace_writer_options options = {.path = f->path};
  struct rlimit limit = {300000, 300000};
  struct trace_writer *w;
  char error[TRACE_ERROR_SIZE];
  int rc;

  signal(SIGXFSZ, SIG_IGN);
  if (setrlimit(RLIMIT_FSIZE, &limit) < 0 || trace_writer_new(&options, error, sizeof error, &w) < 0)
    return 1;
  rc = trace_writer_append(w, 0, f->record[0], MANY);
  if (rc != PMON_E_IO || trace_writer_finish(w) != PMON_E_IO)
    return 2;
  rc = strstr(trace_writer_error(w), "cannot be written: File too large") ? 0 : 3;
  trace_writer_free(w);
  return rc;
}

static void test_data_written_before_a_full_disk_survives(void **state)
{
  const struct fixture *f = *state;
  struct trace_source *s;
  struct collected c;
  char error[TRACE_ERROR_SIZE];
  int status;
  pid_t pid = fork();

  if (pid == 0)
    _exit(write_into_limit(f));
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(status, 0);
  assert_int_equal(trace_open(f->path, error, sizeof error, &s), 0);
  collect(s, &c);
  assert_int_equal(c.status, 0);
  assert_true(c.n[0] > PMT_CHUNK_RECORDS - 100 && c.n[0] < MANY); /* a chunk ends with a block's last access */
  assert_memory_equal(c.record[0], f->record[0], c.n[0] * sizeof(uint64_t));
  collected_free(&c);
}

/* In the file, thread 1 waits for a later action of thread 0: its next records are not delivered before that. */
static void test_waiting_thread_follows_its_dependency(void **state)
{
  const struct fixture *f = *state;
  struct trace_writer_options options = {.path = f->path};
  struct trace_writer *w;
  struct trace_source *s;
  struct trace_window window;
  char error[TRACE_ERROR_SIZE];
  unsigned threads;
  bool ended;

  assert_int_equal(trace_writer_new(&options, error, sizeof error, &w), 0);
  trace_writer_append(w, 1, f->record[1], 10);
  trace_writer_idle(w, 1);
  trace_writer_append(w, 0, f->record[0], 10);
  trace_writer_flush(w);
  trace_writer_append(w, 1, f->record[1] + 10, 10);
  assert_int_equal(trace_writer_finish(w), 0);
  trace_writer_free(w);

  assert_int_equal(trace_open(f->path, error, sizeof error, &s), 0);
  for (threads = 0, ended = false; !ended;)
    assert_int_equal(s->ops->poll(s, &threads, &ended) | s->ops->await(s, TRACE_ANY), 0);
  assert_int_equal(threads, 2);
  assert_int_equal(s->ops->window(s, 1, &window), 0);
  assert_int_equal(window.n, 10);
  assert_int_equal(window.state, TRACE_RUNNING);
  s->ops->consume(s, 1, 10);
  assert_int_equal(s->ops->window(s, 1, &window), 0);
  assert_int_equal(window.n, 0);
  assert_int_equal(window.state, TRACE_BLOCKED);
  assert_int_equal(s->ops->window(s, 0, &window), 0);
  assert_int_equal(window.n, 10);
  assert_int_equal(window.state, TRACE_RUNNING);
  s->ops->consume(s, 0, 10);
  assert_int_equal(s->ops->window(s, 1, &window), 0);
  assert_int_equal(window.n, 10);
  trace_source_free(s);
}

/* A program may start thousands of processes, one after the other. */
static void test_ended_threads_keep_no_memory(void **state)
{
  const struct fixture *f = *state;
  const struct trace_writer_options options = {.path = f->path, .origin = ""};
  struct trace_writer *w;
  struct mallinfo2 before, after;
  char error[TRACE_ERROR_SIZE];

  assert_int_equal(trace_writer_new(&options, error, sizeof error, &w), 0);
  before = mallinfo2();
  for (unsigned i = 0; i < 1000; i++) {
    assert_int_equal(trace_writer_append(w, i, f->record[0], 10), 0);
    assert_int_equal(trace_writer_end(w, i), 0);
  }
  after = mallinfo2();
  /* The list of threads remains; with sanitizers, both values are 0. */
  if (after.uordblks + after.hblkhd > before.uordblks + before.hblkhd + 100000)
    fail_msg("%zu bytes", after.uordblks + after.hblkhd - before.uordblks - before.hblkhd);
  assert_int_equal(trace_writer_finish(w), 0);
  trace_writer_free(w);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_plain_round_trip, format_set_up, format_tear_down),
      cmocka_unit_test_setup_teardown(test_zstd_round_trip, format_set_up, format_tear_down),
      cmocka_unit_test_setup_teardown(test_truncated_plain_is_reported, format_set_up, format_tear_down),
      cmocka_unit_test_setup_teardown(test_truncated_zstd_is_reported, format_set_up, format_tear_down),
      cmocka_unit_test_setup_teardown(test_zstd_windows_have_a_limit, format_set_up, format_tear_down),
      cmocka_unit_test_setup_teardown(test_any_changed_byte_is_reported, format_set_up, format_tear_down),
      cmocka_unit_test(test_forged_payloads_are_refused),
      cmocka_unit_test(test_payload_of_version_4_has_a_limit),
      cmocka_unit_test(test_other_version_names_those_that_are_read),
      cmocka_unit_test(test_full_disk_is_reported_at_once),
      cmocka_unit_test_setup_teardown(test_data_written_before_a_full_disk_survives, format_set_up, format_tear_down),
      cmocka_unit_test_setup_teardown(test_waiting_thread_follows_its_dependency, format_set_up, format_tear_down),
      cmocka_unit_test_setup_teardown(test_ended_threads_keep_no_memory, format_set_up, format_tear_down),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
