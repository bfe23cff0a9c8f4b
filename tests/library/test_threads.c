/* SPDX-License-Identifier: MIT */
/* Threads that share nothing measure concurrently: each gets the counts of a single thread. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/machine.h>
#include <pmon/pmon.h>

enum { THREADS = 4, EVENTS = 3, STEPS = 20, STEP_NS = 5000 };

struct measurement {
  uint64_t line;
  struct pmon_value values[EVENTS];
  int status;
};

static uint32_t read_lines(void *user, uint32_t thread, struct pmon_machine_access *accesses, uint32_t n)
{
  uint64_t *line = user;
  for (uint32_t i = 0; i < n; i++, ++*line)
    accesses[i] = (struct pmon_machine_access){.address = (thread + 1ull) << 32 | *line * 64, .size_bytes = 8};
  return n;
}

static int step(struct pmon_set *set, struct pmon_backend *b, struct pmon_value *values)
{
  uint64_t now_ns;
  bool ended;
  int status = b->ops->wait(b, 0, &now_ns, &ended);
  if (!status)
    status = b->ops->wait(b, now_ns + STEP_NS, &now_ns, &ended);
  return status ? status : pmon_set_read(set, values, EVENTS);
}

static void *measure(void *user)
{
  static const char *const events[EVENTS] = {"imc/CAS_COUNT.RD/", "cha/TOR_INSERTS.IA/", "upi/CLOCKTICKS/"};
  struct measurement *m = user;
  const struct pmon_machine_options o = {
      .size = sizeof o, .settings = "sockets=1 cores=2 chas=2 imcs=1", .feed = read_lines, .feed_user = &m->line};
  struct pmon_machine *machine = NULL;
  struct pmon_backend *b = NULL;
  struct pmon_context *context = NULL;
  const struct pmon_platform *emr;
  struct pmon_set *set = NULL;
  int status = pmon_machine_new(&o, NULL, &machine);
  if (!status)
    status = pmon_machine_backend(machine, &b);
  if (!status)
    status = pmon_context_new(&context);
  if (!status)
    status = pmon_platform_find(context, "emr", &emr);
  if (!status)
    status = pmon_set_new(context, emr, b, NULL, &set);
  for (int i = 0; !status && i < EVENTS; i++)
    status = pmon_set_add(set, events[i], NULL);
  if (!status)
    status = pmon_set_start(set);
  for (int i = 0; !status && i < STEPS; i++)
    status = step(set, b, m->values);
  const int closed = pmon_set_close(set);
  pmon_context_free(context);
  pmon_backend_close(b);
  pmon_machine_free(machine);
  m->status = status ? status : closed;
  return NULL;
}

static void threads_count_what_one_counts_alone(void **state)
{
  struct measurement alone = {0}, together[THREADS] = {{0}};
  pthread_t threads[THREADS];
  (void)state;
  measure(&alone);
  assert_int_equal(alone.status, 0);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, measure, &together[i]), 0);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(together[i].status, 0);
    for (int k = 0; k < EVENTS; k++) {
      assert_true(together[i].values[k].valid && alone.values[k].number > 100);
      assert_true(together[i].values[k].number == alone.values[k].number);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_count_what_one_counts_alone)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
