/* SPDX-License-Identifier: MIT */
/* PCI Express links of ports: the maximum rate of each generation and width (computed here from the standard's rates),
 * tags, credits, and requested traffic that did not fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pmon/status.h>
#include "tests/common/double.h"

enum { MICROSECONDS = 60 };
#define LENGTH_FS (UINT64_C(1000000000) * MICROSECONDS)

struct run {
  double moved, excess; /* GB/s */
};

/* One stream of 200 GB/s, or of `asked` GB/s, for MICROSECONDS. */
static struct run move_lines(const char *const *settings, struct dma_stream stream, unsigned asked)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  struct traffic_totals totals;
  stream.bytes_per_second = (asked ? asked : 200) * UINT64_C(1000000000);
  stream.span_bytes = 1 << 20;
  stream.until = LENGTH_FS;
  assert_int_equal(traffic_dma_start(t, &stream), PMON_OK);
  traffic_advance(t, LENGTH_FS);
  traffic_totals(t, 0, &totals);
  const double ns = MICROSECONDS * 1000.0;
  const struct run r = {(double)(totals.dma_read_bytes + totals.dma_write_bytes) / ns,
                        (double)(totals.dma_read_excess_bytes + totals.dma_write_excess_bytes) / ns};
  traffic_free(t);
  double_free(m);
  return r;
}

/* Within 3 %: reads that are in flight at the end have moved data only as far as the port. */
static void assert_near(double value, double expected)
{
  if (value < expected * 0.97 || value > expected * 1.03)
    fail_msg("%.2f GB/s, expected %.2f", value, expected);
}

/* GB/s per lane of 2.5, 5, 8, 16, 32 GT/s; the coding leaves 8 of 10 bits, from 8 GT/s on 128 of 130. */
static const double lane[] = {0.25, 0.5, 8.0 / 8 * 128 / 130, 16.0 / 8 * 128 / 130, 32.0 / 8 * 128 / 130};

static void links_end_at_their_ceiling(void **state)
{
  (void)state;
  static const char *const one[] = {"sockets=1", "cores=2", NULL};
  for (unsigned generation = 1; generation <= 5; generation++)
    for (unsigned lanes = 4; lanes <= 16; lanes *= 2)
      for (unsigned payload = 128; payload <= 256; payload *= 2) {
        const struct pcie_shape shape = {.generation = generation, .lanes = lanes, .payload = payload};
        const double raw = lane[generation - 1] * lanes;
        const struct run write = move_lines(one, (struct dma_stream){.write = true, .link = shape}, 0),
                         read = move_lines(one, (struct dma_stream){.link = shape}, 0);
        assert_near(write.moved, raw * payload / (payload + 24));
        assert_near(read.moved, raw * payload / (payload + 20));
        assert_near(write.moved + write.excess, 200);
        assert_near(read.moved + read.excess, 200);
      }
}

static void reference_ports(void **state)
{
  (void)state;
  static const char *const emr[] = {"sockets=1", NULL}, *const snbep[] = {"platform=snbep", "sockets=1", NULL};
  assert_near(move_lines(emr, (struct dma_stream){.write = true}, 0).moved, 57.6);
  assert_near(move_lines(emr, (struct dma_stream){.node = 0}, 0).moved, 58.4);
  assert_near(move_lines(snbep, (struct dma_stream){.write = true}, 0).moved, 14.4);
  assert_near(move_lines(snbep, (struct dma_stream){.node = 0}, 0).moved, 14.6);
}

/* A device of a higher generation than its port runs at the port's generation. */
static void the_lesser_side_decides(void **state)
{
  (void)state;
  static const char *const old[] = {"sockets=1",    "cores=2",          "pcie.generation=3",
                                    "pcie.lanes=4", "pcie.payload=128", NULL};
  const struct pcie_shape shape = {.generation = 5, .lanes = 16, .payload = 512};
  assert_near(move_lines(old, (struct dma_stream){.write = true, .link = shape}, 0).moved, lane[2] * 4 * 128 / 152);
}

/* A rate below the maximum is achieved to the last line, however full the link is. */
static void nothing_is_lost_below_the_ceiling(void **state)
{
  (void)state;
  static const char *const one[] = {"sockets=1", "cores=2", NULL};
  for (unsigned asked = 10; asked <= 50; asked += 20)
    for (unsigned write = 0; write < 2; write++) {
      const struct run r = move_lines(one, (struct dma_stream){.write = write}, asked);
      assert_near(r.moved, asked);
      assert_true(r.excess < 0.001);
    }
}

/* Tags limit the outstanding reads: half as many tags halve the rate, and so do requests of half the size. */
static void tags_limit_reads(void **state)
{
  (void)state;
  static const char *const one[] = {"sockets=1", "cores=2", NULL};
  const double eight = move_lines(one, (struct dma_stream){.link = {.tags = 8}}, 0).moved,
               four = move_lines(one, (struct dma_stream){.link = {.tags = 4}}, 0).moved,
               small = move_lines(one, (struct dma_stream){.link = {.tags = 8, .request = 256}}, 0).moved;
  assert_true(eight < 20);
  assert_true(four > eight * 0.45 && four < eight * 0.55);
  assert_true(small > eight * 0.45 && small < eight * 0.6);
}

static void credits_limit_writes(void **state)
{
  (void)state;
  static const char *const one[] = {"sockets=1", "cores=2", NULL};
  const double eight = move_lines(one, (struct dma_stream){.write = true, .link = {.credits = 8}}, 0).moved,
               four = move_lines(one, (struct dma_stream){.write = true, .link = {.credits = 4}}, 0).moved;
  assert_true(eight < 10);
  assert_true(four > eight * 0.45 && four < eight * 0.55);
}

/* The reported amount is what the link transferred, even in a short time, when much of it is in flight at the end; the
 * maximum of the link depends on the packet sizes of the stream. */
static void no_stream_moves_more_than_its_wires_carry(void **state)
{
  (void)state;
  static const char *const one[] = {"sockets=1", "cores=2", "pcie.credits=1024", "pcie.tags=1024", NULL};
  static const struct {
    struct dma_stream stream;
    double lines_bytes, wire_bytes;
  } cases[] = {{{.write = true, .span_bytes = 1 << 20}, 256, 280},
               {{.span_bytes = 1 << 20}, 256, 276},
               {{.span_bytes = 1 << 20, .link = {.request = 128}}, 128, 148},
               {{.write = true, .partial = true, .span_bytes = 1 << 20}, 64, 88},
               {{.write = true, .span_bytes = 64}, 64, 88},
               {{.write = true, .span_bytes = 640}, 640, 712}};
  for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
    for (unsigned us = 1; us <= 100; us *= 10) {
      struct machine *m = double_new(1);
      struct traffic *t = double_traffic(m, one);
      struct dma_stream stream = cases[i].stream;
      struct stream_totals s;
      stream.bytes_per_second = UINT64_C(200000000000);
      stream.until = us * UINT64_C(1000000000);
      assert_int_equal(traffic_dma_start(t, &stream), PMON_OK);
      traffic_advance(t, stream.until);
      traffic_stream(t, 0, &s);
      const double most = lane[4] * 16 * cases[i].lines_bytes / cases[i].wire_bytes;
      const double moved = (double)s.moved_bytes / s.moving_seconds * 1e-9;
      if (s.most * 1e-9 < most * 0.9999 || s.most * 1e-9 > most * 1.0001 || moved > most * 1.001 || moved < most * 0.8)
        fail_msg("stream %u, %u us: %.2f GB/s of at most %.2f, expected %.2f", i, us, moved, s.most * 1e-9, most);
      traffic_free(t);
      double_free(m);
    }
}

static void a_port_has_one_link(void **state)
{
  (void)state;
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, NULL);
  struct dma_stream s = {.bytes_per_second = 1000000, .span_bytes = 4096, .until = 1, .link = {.lanes = 8}};
  assert_int_equal(traffic_dma_start(t, &s), PMON_OK);
  assert_int_equal(traffic_dma_start(t, &s), PMON_OK);
  s.link.lanes = 4;
  assert_int_equal(traffic_dma_start(t, &s), PMON_E_CONFLICT);
  s.port = 1;
  assert_int_equal(traffic_dma_start(t, &s), PMON_OK);
  traffic_free(t);
  double_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(links_end_at_their_ceiling), cmocka_unit_test(reference_ports),
      cmocka_unit_test(the_lesser_side_decides),    cmocka_unit_test(nothing_is_lost_below_the_ceiling),
      cmocka_unit_test(tags_limit_reads),           cmocka_unit_test(credits_limit_writes),
      cmocka_unit_test(a_port_has_one_link),        cmocka_unit_test(no_stream_moves_more_than_its_wires_carry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
