/* SPDX-License-Identifier: MIT */
/* The link of a CXL device: events in their order in time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "tests/common/double.h"

/* Tables 2-432 and 2-433: event codes, and umask bits of the kinds of flits. */
enum { RX_MISC = 0x40, RX_FLITS = 0x4b, RETRIED = 0x02, WRONG = 0x08, CONTROL = 0x04, WITH_LINE = 0x40 };

static struct observed cxl_observed(const struct machine *m, uint8_t code, unsigned umask)
{
  return double_sum(m, 0, "cxlcm", code, EMR_UMASK(umask));
}

/* A read of one line of the device's memory, whose flit arrives with an error: a flit of the retry protocol precedes
 * the repeated flit. */
static void test_a_wrong_flit_comes_again(void **state)
{
  static const char *const settings[] = {"sockets=1", "cores=2", "chas=4", NULL};
  fs_t arrived[2] = {0};
  (void)state;
  for (unsigned wrong = 0; wrong < 2; wrong++) {
    struct machine *m = double_new(0);
    struct traffic *t = double_traffic(m, settings);
    const struct traffic_condition damage = {.kind = CONDITION_CXL_DAMAGE, .count = 1, .until = UINT64_MAX};
    const struct dma_stream read = {.action = DEVICE_CXL_MEMORY,
                                    .bytes_per_second = 64000000,
                                    .span_bytes = 1 << 20,
                                    .from = UINT64_C(1000000000),
                                    .until = UINT64_C(1500000000)};
    if (wrong)
      assert_int_equal(traffic_condition_add(t, &damage), 0);
    assert_int_equal(traffic_dma_start(t, &read), 0);
    traffic_advance(t, UINT64_C(500000000)); /* the condition is active */
    traffic_advance(t, UINT64_C(10000000000));
    const struct observed line = cxl_observed(m, RX_FLITS, WITH_LINE), control = cxl_observed(m, RX_FLITS, CONTROL),
                          retried = cxl_observed(m, RX_MISC, RETRIED);
    assert_int_equal(line.pulses, 1);
    assert_int_equal(control.pulses, wrong);
    assert_int_equal(retried.pulses, wrong);
    assert_int_equal(cxl_observed(m, RX_MISC, WRONG).pulses, wrong);
    arrived[wrong] = line.last;
    if (wrong) {
      assert_true(cxl_observed(m, RX_MISC, WRONG).last == arrived[0]);
      assert_true(control.last > arrived[0] && control.last < line.last && retried.last == control.last);
    }
    traffic_free(t);
    double_free(m);
  }
  assert_true(arrived[1] > arrived[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_wrong_flit_comes_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
