/* SPDX-License-Identifier: MIT */
/* The caches' contents are consistent after any traffic: a line has one owner or several readers, the snoop filter
 * contains the lines of each core, and the directory those of the other socket. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tests/common/double.h"
#include "machine/emr/llc.h"
#include "machine/common/state.h"

static enum line_state l2_state(const struct traffic *t, unsigned core, uint64_t line)
{
  struct tags set = cache_set(&t->core[core].l2, 0, line);
  uint32_t way = cache_find(set, line);
  return way < set.cache->ways ? cache_state(set, way) : LINE_I;
}

static enum line_state llc_state(const struct traffic *t, unsigned socket, uint64_t line)
{
  struct tags set = llc_set(t->socket[socket], line, address_cha(&t->map, line));
  uint32_t way = cache_find(set, line);
  return way < set.cache->ways ? cache_state(set, way) : LINE_I;
}

static void line_check(const struct traffic *t, uint64_t line, unsigned *ret_shared, unsigned *ret_owned)
{
  unsigned owners = 0, holders = 0, sockets_with = 0, owning_sockets = 0;
  for (unsigned s = 0; s < t->sockets; s++) {
    enum line_state llc = llc_state(t, s, line);
    struct filter_place p = filter_find(t->socket[s], address_cha(&t->map, line), line);
    unsigned here = 0;
    for (unsigned c = 0; c < t->cores; c++) {
      enum line_state state = l2_state(t, s * t->cores + c, line);
      here += state != LINE_I;
      owners += state >= LINE_E;
      if (state != LINE_I) {
        assert_true(p.found && filter_who(&p) >> c & 1);
        assert_true(state < LINE_E || filter_state(&p) == LINE_E);
      }
    }
    holders += here;
    sockets_with += here || llc;
    owning_sockets += llc >= LINE_E || (p.found && filter_state(&p) != LINE_S);
    const struct page *page = address_frame(&t->map, line);
    if (page->node != s && (here || llc))
      assert_int_not_equal(page_directory(page, line), DIRECTORY_I);
  }
  assert_true(owners == 0 || holders == 1);
  assert_true(owning_sockets == 0 || sockets_with == 1);
  *ret_shared += holders > 1;
  *ret_owned += owners;
}

/* A load of a line that a core's L2 marks as settled changes nothing in its set. Returns the number of such sets. */
static unsigned settled_check(const struct traffic *t)
{
  unsigned n = 0;
  for (unsigned i = 0; i < t->n_cores; i++) {
    const struct core *c = &t->core[i];
    for (uint64_t k = 0; k <= c->settled_mask; k++) {
      const struct tags set = cache_set(&c->l2, 0, k);
      if (!c->settled[k])
        continue;
      assert_true(cache_recent(set, c->settled[k]));
      assert_int_equal(tags_rest(set, 0) & (ENTRY_IN_L1 | ENTRY_PREFETCHED), ENTRY_IN_L1);
      n++;
    }
  }
  return n;
}

static void hammer(const char *const *settings, uint64_t lines, bool devices)
{
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, settings);
  uint64_t seed = 31337;
  unsigned shared = 0, owned = 0, settled = 0;
  if (devices)
    assert_int_equal(traffic_dma_start(t, &(struct dma_stream){.node = 1,
                                                               .write = true,
                                                               .bytes_per_second = 9000000000u,
                                                               .span_bytes = 1 << 16,
                                                               .until = UINT64_MAX}),
                     0);
  for (unsigned i = 0; i < t->n_cores; i++)
    traffic_core_wake(t, i);
  for (unsigned i = 0; i < 60000; i++) {
    uint64_t r = double_random(&seed);
    unsigned core = (unsigned)(r >> 50) % t->n_cores;
    enum access_kind kind = (r >> 33) % 5 == 0 ? ACCESS_STORE : ACCESS_LOAD;
    if (i % 211 == 0)
      kind = i & 1 ? ACCESS_FLUSH : ACCESS_NT_STORE;
    traffic_block(t, core, 0x400000 + (r >> 20 & 0x3fc0), 16, 4);
    traffic_access(t, core, 0x10000000 + r % lines * 64, 8, kind);
    if (i % 512 == 0)
      settled += settled_check(t);
  }
  assert_true(settled > 1000);
  for (uint64_t i = 1; i < t->map.n_pages; i++)
    for (unsigned k = 0; k < 64; k++)
      line_check(t, t->map.pages[i].frame << PAGE_LINES_SHIFT | k, &shared, &owned);
  assert_true(shared > 10 && owned > 10);
  traffic_free(t);
  double_free(m);
}

/* Cases: few lines that all cores contend for; more lines than the snoop filter or the caches hold; local and remote
 * memory. */
static void one_socket(void **state)
{
  (void)state;
  hammer((const char *const[]){"sockets=1", "cores=6", NULL}, 300, false);
}

static void two_sockets(void **state)
{
  (void)state;
  hammer((const char *const[]){"cores=4", "numa=interleave", NULL}, 500, false);
}

static void small_caches(void **state)
{
  (void)state;
  static const char *const small[] = {"cores=4",   "chas=4",    "l2.size=16K",     "llc.size=20K",
                                      "sf.sets=8", "sf.ways=4", "numa=interleave", NULL};
  hammer(small, 3000, true);
}

static void far_memory(void **state)
{
  (void)state;
  hammer((const char *const[]){"cores=3", "chas=3", "numa=bind:1", "l2.size=32K", "prefetch=off", NULL}, 2000, false);
}

/* A device writes lines that a core stores to. The core's L1 has the next line even if the device takes the stored line
 * while the core's time advances to the access. */
static void lines_of_a_device(void **state)
{
  enum { PAGE = 0x10000, LINES = 1024 };
  struct machine *m = double_new(1);
  struct traffic *t = double_traffic(m, (const char *const[]){"sockets=1", "cores=1", "prefetch=off", NULL});
  const struct dma_stream writes = {.write = true,
                                    .bytes_per_second = 10000000000u,
                                    .span_bytes = LINES * 64,
                                    .first_page = PAGE,
                                    .until = UINT64_MAX};
  struct first_level *l1 = &t->core[0].front.l1d;
  uint64_t seed = 4711;
  unsigned taken = 0;
  (void)state;
  traffic_core_wake(t, 0);
  assert_int_equal(traffic_dma_start(t, &writes), 0);
  for (unsigned i = 0; i < 200000; i++) {
    const uint64_t r = double_random(&seed), line = (uint64_t)PAGE * 64 + r % LINES;
    struct first_set *set = &l1->set[line & l1->mask];
    const bool had = *first_recent(l1, line) >> 2 == line || first_find(l1, set, line) < FIRST_WAYS;
    traffic_block(t, 0, 0x400000, 16, 4);
    const bool store = (r >> 33) % 2;
    traffic_access(t, 0, line * 64, 8, store ? ACCESS_STORE : ACCESS_LOAD);
    if (store && had)
      assert_int_equal(*first_recent(l1, line) >> 2, line);
    taken += !had;
  }
  assert_true(taken > LINES);
  traffic_free(t);
  double_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_socket), cmocka_unit_test(two_sockets),       cmocka_unit_test(small_caches),
      cmocka_unit_test(far_memory), cmocka_unit_test(lines_of_a_device),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
