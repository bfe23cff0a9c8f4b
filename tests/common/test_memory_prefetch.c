/* SPDX-License-Identifier: MIT */
/* Memory prefetches ahead of the home agent's read: the time that they save, and an account of every one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/emr/coherence.h"
#include "machine/common/feed.h"

#define NS 1000000ull

static const char *const off[] = {"sockets=1", "cores=4", "prefetch=off", NULL};
static const char *const on[] = {"sockets=1", "cores=4", "prefetch=off", "memory.ahead=on", NULL};
static const char *const two[] = {"sockets=2",    "cores=4",     "numa=interleave", "upi.links=1", "imcs=1",
                                  "llc.size=40K", "l2.size=64K", "memory.ahead=on", NULL};

static uint64_t sum(const struct machine *m, int socket, const char *unit, uint8_t code, uint64_t attr)
{
  return double_sum(m, socket, unit, code, attr).pulses;
}

/* Times of a core's read of a line that no cache has, and of one that another core has read before. */
static fs_t memory_prefetch_read_line(struct traffic *t, unsigned core, uint64_t line, fs_t at)
{
  struct page *page = address_page(&t->map, line >> PAGE_LINES_SHIFT, 0, 0);
  const struct core *c = &t->core[core];
  assert_non_null(page);
  struct request r = {.line = page->frame << PAGE_LINES_SHIFT | (line & 63),
                      .page = page,
                      .socket = c->socket,
                      .tile = c->tile,
                      .core = c->index,
                      .tid = c->tid,
                      .op = OP_DRD,
                      .at = at};
  struct answer a;
  request_place(t, &r);
  t->uncore->request(t, &r, &a);
  return a.done - at;
}

/* The prefetch is sent while the CHA looks up the line; the home agent's read finds it in flight and takes its data. */
static void saves_time(void **state)
{
  (void)state;
  struct machine *slow = double_new(0), *fast = double_new(0);
  struct traffic *s = double_traffic(slow, off), *f = double_traffic(fast, on);
  const fs_t late = memory_prefetch_read_line(s, 0, 1 << 20, 1000 * NS),
             early = memory_prefetch_read_line(f, 0, 1 << 20, 1000 * NS);
  const fs_t looks = s->time.cha_pipe;
  assert_true(early + looks <= late && early > 20 * NS);
  assert_int_equal(sum(slow, 0, "cha", CHA_XPT_PREF, 0), 0);
  assert_int_equal(sum(slow, 0, "m2m", M2M_PREFCAM_INSERTS, 0), 0);
  assert_int_equal(sum(fast, 0, "cha", CHA_XPT_PREF, 0), 1);
  assert_int_equal(sum(fast, 0, "m2m", M2M_PREFCAM_INSERTS, 0), 1);
  assert_int_equal(sum(fast, 0, "m2m", M2M_PREFCAM_DEMAND_MERGE, 0), 1);
  assert_int_equal(sum(fast, 0, "m2m", M2M_PREFCAM_DEALLOCS, EMR_UMASK(PREFCAM_NOT_ANSWERED)), 1);
  assert_int_equal(sum(fast, 0, "m2m", M2M_IMC_READS, M2M_RD_ALL), 1);
  assert_int_equal(sum(fast, 0, "imc", IMC_RPQ_INSERTS, 0), 1);
  assert_int_equal(sum(fast, 0, "imc", IMC_RPQ_PRIO, 0), 1);
  traffic_free(s);
  traffic_free(f);
  double_free(slow);
  double_free(fast);
}

/* A line that a cache turns out to have was prefetched in vain: it is dropped a microsecond after its data arrived. */
static void forgets(void **state)
{
  (void)state;
  struct machine *m = double_new(0);
  struct traffic *t = double_traffic(m, on);
  memory_prefetch_read_line(t, 0, 1 << 20, 1000 * NS);
  memory_prefetch_read_line(t, 1, 1 << 20, 2000 * NS);
  assert_int_equal(sum(m, 0, "m2m", M2M_PREFCAM_INSERTS, 0), 2);
  memory_prefetch_read_line(t, 2, 1 << 20, 2500 * NS); /* it is still in the table */
  assert_int_equal(sum(m, 0, "m2m", M2M_PREFCAM_INSERTS, 0), 2);
  assert_int_equal(sum(m, 0, "m2m", M2M_PREFCAM_RXC_DEALLOCS, PREFCAM_RXC_SQUASHED), 1);
  assert_int_equal(sum(m, 0, "m2m", M2M_PREFCAM_DROP_REASONS_CH0, PREFCAM_HIT) +
                       sum(m, 0, "m2m", M2M_PREFCAM_DROP_REASONS_CH1, PREFCAM_HIT),
                   1);
  traffic_advance(t, 2900 * NS);
  assert_int_equal(sum(m, 0, "m2m", M2M_PREFCAM_DEALLOCS, EMR_UMASK(PREFCAM_MISS)), 0);
  traffic_advance(t, 3200 * NS);
  assert_int_equal(sum(m, 0, "m2m", M2M_PREFCAM_DEALLOCS, EMR_UMASK(PREFCAM_MISS)), 1);
  const fs_t held = double_sum(m, 0, "m2m", M2M_PREFCAM_OCCUPANCY, 0).life_fs;
  assert_true(held > 1000 * NS && held < 1200 * NS);
  traffic_free(t);
  double_free(m);
}

static uint64_t entries(const struct machine *m, int s)
{
  static const unsigned causes[] = {PREFCAM_PORT, PREFCAM_PORT << 1, PREFCAM_MISS, PREFCAM_NOT_ANSWERED,
                                    PREFCAM_NOT_SENT};
  uint64_t n = 0;
  for (unsigned i = 0; i < sizeof causes / sizeof *causes; i++)
    n += sum(m, s, "m2m", M2M_PREFCAM_DEALLOCS, EMR_UMASK(causes[i]));
  return n;
}

static void socket_invariants(const struct machine *m, int s)
{
  const uint64_t sent = sum(m, s, "cha", CHA_XPT_PREF, EMR_UMASK(XPT_PREF_SENT)) +
                        sum(m, s, "cha", CHA_XPT_PREF, EMR_UMASK(XPT_PREF_SENT << 4));
  const uint64_t far = sum(m, s, "m3upi", M3UPI_XPT_PFTCH, XPT_PFTCH_ARRIVED);
  const uint64_t crossed =
      sum(m, s, "m3upi", M3UPI_XPT_PFTCH, XPT_PFTCH_BYPASS) + sum(m, s, "m3upi", M3UPI_XPT_PFTCH, XPT_PFTCH_FLITTED);
  const uint64_t lost = sum(m, s, "m3upi", M3UPI_XPT_PFTCH, XPT_PFTCH_LOST_FULL) +
                        sum(m, s, "m3upi", M3UPI_XPT_PFTCH, XPT_PFTCH_LOST_OLD);
  const uint64_t inserts = sum(m, s, "m2m", M2M_PREFCAM_INSERTS, 0);
  const uint64_t dropped = sum(m, s, "m2m", M2M_PREFCAM_DROP_REASONS_CH0, 0) +
                           sum(m, s, "m2m", M2M_PREFCAM_DROP_REASONS_CH1, 0) +
                           sum(m, s, "m2m", M2M_PREFCAM_DEMAND_DROPS, 0);
  const uint64_t merged =
      sum(m, s, "m2m", M2M_PREFCAM_DEMAND_MERGE, 0) + sum(m, s, "m2m", M2M_PREFCAM_DEMAND_NO_MERGE, PREFCAM_RD_MERGED);
  assert_true(inserts > 100 && far > 100 && merged > 100 && dropped > 0);
  assert_int_equal(far, crossed + lost);
  assert_int_equal(sum(m, 1 - s, "m3upi", M3UPI_UPI_PREFETCH_SPAWN, 0), crossed);
  /* prefetches of this socket's cores, and those received over the link */
  assert_int_equal(sent - far + sum(m, s, "m3upi", M3UPI_UPI_PREFETCH_SPAWN, 0), inserts + dropped);
  assert_int_equal(sum(m, s, "m2m", M2M_PREFCAM_RXC_DEALLOCS, PREFCAM_RXC_POSTED), inserts);
  assert_int_equal(sum(m, s, "m2m", M2M_PREFCAM_RXC_DEALLOCS, PREFCAM_RXC_SQUASHED), dropped);
  assert_int_equal(entries(m, s), inserts);
  const uint64_t written = sum(m, s, "m2m", M2M_PREFCAM_DEMAND_NO_MERGE, PREFCAM_WR_SQUASHED) +
                           sum(m, s, "m2m", M2M_PREFCAM_DEMAND_NO_MERGE, PREFCAM_WR_MERGED);
  assert_true(written > 0); /* such requests, and reads of data that have arrived, end an entry by their port */
  assert_int_equal(sum(m, s, "m2m", M2M_PREFCAM_DEALLOCS, EMR_UMASK(PREFCAM_PORT)) +
                       sum(m, s, "m2m", M2M_PREFCAM_DEALLOCS, EMR_UMASK(PREFCAM_PORT << 1)),
                   written + sum(m, s, "m2m", M2M_PREFCAM_DEMAND_NO_MERGE, PREFCAM_RD_MERGED));
  /* memory reads the prefetched lines, and the lines that are not among them */
  const uint64_t asked = sum(m, s, "cha", CHA_IMC_READS_COUNT, 0);
  assert_int_equal(sum(m, s, "m2m", M2M_IMC_READS, M2M_RD_ALL), inserts + asked - merged);
  assert_int_equal(sum(m, s, "imc", IMC_RPQ_INSERTS, 0), inserts + asked - merged);
  assert_int_equal(sum(m, s, "m2m", M2M_PREFCAM_RESP_MISS, 0),
                   sum(m, s, "m2m", M2M_PREFCAM_DEMAND_NO_MERGE, PREFCAM_WR_SQUASHED));
}

/* Random accesses of four cores, twice: every prefetch is used, cancelled or dropped. */
static void nothing_is_lost(void **state)
{
  uint64_t seed = 88172645463325252u, digest[2];
  (void)state;
  for (unsigned k = 0; k < 2; k++, seed = 88172645463325252u) {
    struct machine *m = double_new(0);
    struct traffic *t = double_traffic(m, two);
    static const unsigned core[] = {0, 1, 4, 5};
    for (unsigned i = 0; i < 4; i++)
      traffic_core_wake(t, core[i]);
    for (unsigned i = 0; i < 20000; i++) {
      const uint64_t r = double_random(&seed);
      traffic_block(t, core[i & 3], 0x400000, 16, 5);
      traffic_access(t, core[i & 3], 0x10000000 + (r % (1 << 22) & ~7ull), 8, r >> 40 & 3 ? ACCESS_LOAD : ACCESS_STORE);
    }
    for (unsigned i = 0; i < 4; i++)
      traffic_core_idle(t, core[i]);
    traffic_advance(t, traffic_drain(t) + 2000 * NS);
    socket_invariants(m, 0);
    socket_invariants(m, 1);
    digest[k] = double_digest(m);
    traffic_free(t);
    double_free(m);
  }
  assert_int_equal(digest[0], digest[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(saves_time), cmocka_unit_test(forgets),
                                     cmocka_unit_test(nothing_is_lost)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
