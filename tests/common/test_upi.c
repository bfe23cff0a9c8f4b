/* SPDX-License-Identifier: MIT */
/* The slots of a link: data, headers, credits and null flits together take exactly the link's time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "tests/common/double.h"

static uint64_t pulses(const struct machine *m, int socket, uint64_t attr)
{
  return double_sum(m, socket, "upi", UPI_TXL_FLITS, attr).pulses;
}

/* Returns the slots of a kind: flits of three slots, and single slots. */
static uint64_t slots(const struct machine *m, int socket, uint64_t kind)
{
  const uint64_t whole = pulses(m, socket, kind | FLIT_SLOTS);
  uint64_t n = 3 * whole;
  for (unsigned i = 0; i < 3; i++)
    n += pulses(m, socket, kind | FLIT_SLOT(i)) - whole;
  return n;
}

struct sums {
  uint64_t data, headers, credits, nulls, l1_fs, init_fs, end_fs;
};

/* Two sockets access each other's memory `times` times, and are idle afterwards. */
static void use_link(const char *const *settings, unsigned times, struct sums sums[2])
{
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, settings);
  uint64_t seed = 5;
  fs_t end = 0;
  for (; times; times--) {
    for (unsigned i = 0; i < 4; i++)
      if (end)
        traffic_core_sleep(t, i, end);
      else
        traffic_core_wake(t, i);
    for (unsigned i = 0; i < 20000; i++) {
      const uint64_t r = double_random(&seed);
      traffic_block(t, i & 3, 0x400000 + (r & 0xff0), 20, 6);
      traffic_access(t, i & 3, 0x10000000 + r % (1 << 22), 8, (enum access_kind)(r >> 44 & 1));
    }
    for (unsigned i = 0; i < 4; i++)
      traffic_core_idle(t, i);
    end = traffic_drain(t) + UINT64_C(300000000000);
    traffic_advance(t, end);
  }
  for (int s = 0; s < 2; s++)
    sums[s] = (struct sums){slots(m, s, FLIT_DATA),
                            slots(m, s, FLIT_PROTHDR),
                            slots(m, s, FLIT_LLCRD),
                            slots(m, s, FLIT_NULL),
                            double_sum(m, s, "upi", UPI_L1_POWER_CYCLES, 0).life_fs,
                            double_sum(m, s, "upi", UPI_PHY_INIT_CYCLES, 0).life_fs,
                            end};
  traffic_free(t);
  double_free(m);
}

/* 24 lanes of 20 GT/s carry a flit of 192 bits each 0.4 ns: three slots a cycle of the link's clock. */
static void assert_full(const struct sums *s, double gt, unsigned lanes)
{
  const double capacity = (double)(s->end_fs - s->l1_fs - s->init_fs) * 1e-15 * gt * 1e9 * lanes / 64;
  const uint64_t sum = s->data + s->headers + s->credits + s->nulls;
  assert_true(s->data > 1000 && s->headers > 1000 && s->credits > 100);
  assert_in_range(sum, (uint64_t)capacity - 3, (uint64_t)capacity + 1); /* the last flit is incomplete */
}

static void slots_add_up(void **state)
{
  (void)state;
  static const char *const plain[] = {"cores=2", "chas=4", "upi.links=1", NULL}, *const slow[] = {
                                                                                     "cores=2",      "chas=4",
                                                                                     "upi.links=1",  "upi.gt=16",
                                                                                     "upi.lanes=20", NULL};
  struct sums s[2];
  use_link(plain, 1, s);
  for (unsigned i = 0; i < 2; i++) {
    assert_int_equal(s[i].l1_fs, 0);
    assert_full(&s[i], 20, 24);
  }
  use_link(slow, 1, s);
  for (unsigned i = 0; i < 2; i++)
    assert_full(&s[i], 16, 20);
}

/* A link in L1 sends nothing; neither direction sends anything while the link initializes again. */
static void nothing_is_null_in_l1(void **state)
{
  (void)state;
  static const char *const save[] = {"cores=2", "chas=4", "upi.links=1", "upi.power=save", NULL};
  struct sums s[2];
  for (unsigned times = 1; times <= 3; times++) {
    use_link(save, times, s);
    for (unsigned i = 0; i < 2; i++) {
      assert_true(s[i].l1_fs > times * UINT64_C(200000000000));
      assert_true(times == 1 || s[i].init_fs);
      assert_full(&s[i], 20, 24);
    }
    assert_int_equal(s[0].l1_fs, s[1].l1_fs);
    assert_int_equal(s[0].init_fs, s[1].init_fs);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(slots_add_up), cmocka_unit_test(nothing_is_null_in_l1)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
