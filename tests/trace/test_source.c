/* SPDX-License-Identifier: MIT */
/* A whole guest as a source, while its processors are idle: time stops, or advances when they wait for it. A recording
 * in which a thread waits: reading continues up to the other threads' records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>
#include "machine/trace/guest.h"
#include "machine/trace/ring.h"
#include "machine/trace/writer.h"

static void test_a_guest_without_records_rests(void **state)
{
  struct guest *g;
  struct trace_window window;
  char error[TRACE_ERROR_SIZE];
  unsigned threads;
  bool ended = true;

  (void)state;
  assert_int_equal(guest_open(2, error, sizeof error, &g), 0);
  struct trace_source *s = guest_source(g);
  assert_int_equal(s->ops->poll(s, &threads, &ended), 0);
  assert_int_equal(threads, 2);
  assert_false(ended);
  assert_int_equal(s->ops->await(s, 1), TRACE_REST);
  guest_sleeps(g, true);
  assert_int_equal(s->ops->await(s, TRACE_ANY), TRACE_SLEEP);
  assert_int_equal(s->ops->window(s, 1, &window), 0);
  assert_int_equal(window.n, 0);
  assert_false(guest_followed(g));
  trace_source_free(s);
}

static void recording_write(const char *path)
{
  const struct trace_writer_options options = {.path = path};
  const uint64_t block = record_block(0x401000, 4, 1);
  struct trace_writer *w;
  char error[TRACE_ERROR_SIZE];

  assert_int_equal(trace_writer_new(&options, error, sizeof error, &w), 0);
  for (unsigned thread = 0; thread < 2; thread++)
    assert_int_equal(trace_writer_append(w, thread, &block, 1), 0);
  assert_int_equal(trace_writer_idle(w, 1), 0);
  trace_writer_flush(w);
  assert_int_equal(trace_writer_idle(w, 1), 0);
  assert_int_equal(trace_writer_append(w, 0, &block, 1), 0);
  assert_int_equal(trace_writer_finish(w), 0);
  trace_writer_free(w);
}

static void test_reading_goes_on_where_a_thread_waits(void **state)
{
  char path[] = "/tmp/pmon-source-XXXXXX", error[TRACE_ERROR_SIZE];
  struct trace_source *s;
  struct trace_window window = {.n = 0};
  const int fd = mkstemp(path);

  (void)state;
  assert_true(fd >= 0);
  close(fd);
  recording_write(path);
  assert_int_equal(trace_open(path, error, sizeof error, &s), 0);
  /* Each wait brings records or a new thread, whichever thread is reported as waiting. */
  unsigned threads = 0, records = 0;
  for (bool ended = false; !ended;) {
    const unsigned before = threads + records;
    assert_int_equal(s->ops->await(s, TRACE_ANY), 0);
    assert_int_equal(s->ops->poll(s, &threads, &ended), 0);
    for (unsigned thread = 0; thread < threads; thread++) {
      do {
        assert_int_equal(s->ops->window(s, thread, &window), 0);
        records += (unsigned)window.n;
        s->ops->consume(s, thread, window.n);
      } while (window.n);
    }
    assert_true(ended || threads + records > before);
  }
  assert_int_equal(threads, 2);
  assert_int_equal(records, 3);
  trace_source_free(s);
  unlink(path);
}

int main(void)
{
  static const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_guest_without_records_rests),
                                            cmocka_unit_test(test_reading_goes_on_where_a_thread_waits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
