/* SPDX-License-Identifier: MIT */
/* Records fed to the real machine: counts and times do not depend on how records are cut into windows, and the results
 * of recordings equal the stored ones (feeder.golden).
 * usage: test_feeder GOLDEN [--bless] */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine/common/totals.h"
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/trace/workload.h"
#include "tests/trace/recording.h"

enum { CORES = 4 };

struct result {
  uint64_t time;
  struct core_totals core[CORES];
  struct traffic_totals socket;
};

static const char *golden;
static bool blesses;

/* A machine with caches so small that misses are always outstanding. */
static struct machine *small_machine(const char *preset, const char *more)
{
  static const char *const small[] = {"sockets=1",    "cores=4",     "imcs=1",      "chas=4",
                                      "l1d.size=2K",  "l1d.ways=4",  "l2.size=16K", "l2.ways=4",
                                      "llc.size=16K", "llc.ways=16", NULL};
  struct machine_config config;
  struct machine *m = NULL;
  char error[256] = "";

  machine_config_init(&config);
  if (machine_config_preset(&config, preset))
    fail_msg("no preset %s", preset);
  for (const char *const *word = small; *word; word++)
    if (machine_config_parse(&config, *word, error, sizeof error))
      fail_msg("%s", error);
  if (machine_config_parse(&config, more, error, sizeof error) || machine_new(&config, error, sizeof error, &m))
    fail_msg("%s", error);
  return m;
}

static void machine_feed(struct machine *m, struct trace_source *s, struct result *ret)
{
  struct placement *p = NULL;
  struct machine_workload *w = NULL;
  char error[TRACE_ERROR_SIZE] = "";
  bool ended = false;

  assert_int_equal(placement_new(NULL, 1, CORES, error, sizeof error, &p), 0);
  assert_int_equal(trace_workload_new(s, p, &w), 0);
  machine_attach(m, w);
  if (machine_run(m, UINT64_MAX, &ended, error, sizeof error))
    fail_msg("%s", error);
  assert_true(ended);
  memset(ret, 0, sizeof *ret);
  ret->time = machine_now_fs(m);
  for (unsigned i = 0; i < CORES; i++)
    traffic_core_totals(machine_traffic(m), i, &ret->core[i]);
  traffic_totals(machine_traffic(m), 0, &ret->socket);
  machine_free(m);
}

/* ---- printing ---- */

#define CORE_FIELDS(X)                                                                                                 \
  X(instructions)                                                                                                      \
  X(reads)                                                                                                             \
  X(read_l1_misses)                                                                                                    \
  X(writes)                                                                                                            \
  X(write_l1_misses)                                                                                                   \
  X(l2_misses)                                                                                                         \
  X(branches)                                                                                                          \
  X(branch_misses)                                                                                                     \
  X(cycles)                                                                                                            \
  X(issue_fs)                                                                                                          \
  X(load_stall_fs)                                                                                                     \
  X(store_stall_fs)                                                                                                    \
  X(branch_stall_fs)                                                                                                   \
  X(fence_stall_fs)
#define SOCKET_FIELDS(X)                                                                                               \
  X(llc_lookups)                                                                                                       \
  X(llc_hits)                                                                                                          \
  X(cas_reads)                                                                                                         \
  X(cas_writes)                                                                                                        \
  X(row_hits)                                                                                                          \
  X(activates)                                                                                                         \
  X(ingress_wait_fs)

/* FNV-1a of all totals, including those that are not printed. */
static uint64_t result_hash(const struct result *r)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);

  for (size_t i = 0; i < sizeof *r; i++)
    hash = (hash ^ ((const unsigned char *)r)[i]) * UINT64_C(0x100000001b3);
  return hash;
}

static void result_print(FILE *to, const char *name, const struct result *r)
{
  fprintf(to, "%s time_fs %llu\n", name, (unsigned long long)r->time);
#define FIELD(field) fprintf(to, "%s core %u " #field " %llu\n", name, i, (unsigned long long)r->core[i].field);
  for (unsigned i = 0; i < CORES; i++) {
    CORE_FIELDS(FIELD)
  }
#undef FIELD
#define FIELD(field) fprintf(to, "%s socket " #field " %llu\n", name, (unsigned long long)r->socket.field);
  SOCKET_FIELDS(FIELD)
#undef FIELD
  fprintf(to, "%s all totals, FNV-1a %016llx\n", name, (unsigned long long)result_hash(r));
}

/* ---- independence of windows ---- */

static const struct {
  enum recording_cut cut;
  size_t most;
} cuts[] = {{CUT_BEHIND, 1}, {CUT_BEHIND, 40}, {CUT_BEHIND, 3000}, {CUT_BEFORE, 1}, {CUT_BEFORE, 40}, {CUT_BEFORE, 900},
            {CUT_WORDS, 1},  {CUT_ANY, 5},     {CUT_ANY, 60},      {CUT_ANY, 2000}, {CUT_NOWHERE, 0}};

enum { PRESETS = 2, SEEDS = 3 };
static const char *const presets[PRESETS] = {"emr", "snbep"};

/* Checks that every cut of these kinds gives the same result. */
static void cuts_feed(const struct recording *r, const char *preset, const char *setting, unsigned kinds,
                      const struct result *whole)
{
  struct result cut;

  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    if (!(kinds >> cuts[i].cut & 1))
      continue;
    machine_feed(small_machine(preset, setting), recording_source(r, cuts[i].cut, cuts[i].most), &cut);
    if (memcmp(whole, &cut, sizeof cut) == 0)
      continue;
    result_print(stderr, "whole", whole);
    result_print(stderr, "cut", &cut);
    fail_msg("%s: other totals with cut %d of %zu", preset, cuts[i].cut, cuts[i].most);
  }
}

static void same_however_cut(struct recording_shape shape, const char *setting, unsigned kinds)
{
  for (unsigned k = 0; k < PRESETS * SEEDS; k += TESTS_STEP) {
    struct recording r;
    struct result whole;

    shape.seed = k / PRESETS + 1;
    recording_make(&shape, &r);
    machine_feed(small_machine(presets[k % PRESETS], setting), recording_source(&r, CUT_NOWHERE, 0), &whole);
    assert_true(whole.core[0].l2_misses > shape.executed / 10);
    cuts_feed(&r, presets[k % PRESETS], setting, kinds, &whole);
    recording_fini(&r);
  }
}

static const struct recording_shape one_thread = {.threads = 1, .blocks = 400, .executed = 3000, .lines = 1500};
enum { BLOCKS = 1 << CUT_BEHIND, BEGINS = 1 << CUT_BEFORE, ANYWHERE = 1 << CUT_WORDS | 1 << CUT_ANY };

/* Without dependences, the general path (record by record) gives the same result as the fast ones. */
static void test_without_dependences(void **state)
{
  (void)state;
  same_however_cut(one_thread, "core.dependences=off", BLOCKS | BEGINS | ANYWHERE);
}

/* Windows end after blocks: no access is held back at a window's end. */
static void test_behind_blocks(void **state)
{
  (void)state;
  same_however_cut(one_thread, "core.dependences=l1-misses", BLOCKS);
  same_however_cut(one_thread, "core.dependences=l2-misses", BLOCKS);
}

/* Accesses after a window's last block take the same time as those before it; the access that is held back is a
 * store. */
static void test_behind_the_last_block(void **state)
{
  struct recording_shape shape = one_thread;

  (void)state;
  shape.stores_last = true;
  same_however_cut(shape, "core.dependences=l1-misses", BLOCKS | BEGINS);
}

/* Loads in pieces, of lines in flight, take the same time when the next piece is not available yet. */
static void test_pieces_on_their_way(void **state)
{
  struct recording_shape shape = one_thread;

  (void)state;
  shape.in_pieces = true;
  same_however_cut(shape, "core.dependences=l1-misses", BLOCKS | BEGINS | ANYWHERE);
}

/* Records marked RECORD_ALONE have the same effect as records whose neighbours show that they are alone. */
static void test_alone(void **state)
{
  static const char *const settings[] = {"core.dependences=l1-misses", "core.dependences=off"};
  struct recording_shape shape = one_thread;

  (void)state;
  for (unsigned k = 0; k < 2 * 2; k++) {
    struct recording r;
    struct result shown, said;

    shape.seed = k + 1;
    recording_make(&shape, &r);
    machine_feed(small_machine("emr", settings[k % 2]), recording_source(&r, CUT_BEHIND, 900), &shown);
    assert_true(recording_say_alone(&r) > shape.executed / 2);
    machine_feed(small_machine("emr", settings[k % 2]), recording_source(&r, CUT_BEHIND, 900), &said);
    if (memcmp(&shown, &said, sizeof said) != 0) {
      result_print(stderr, "shown", &shown);
      result_print(stderr, "said", &said);
      fail_msg("seed %u: other totals where accesses say that they are alone", (unsigned)shape.seed);
    }
    recording_fini(&r);
  }
}

/* A vector access in one record takes the same time as in pieces, also for a line in flight. */
static void test_vectors_are_like_their_pieces(void **state)
{
  static const char *const settings[] = {"core.dependences=off", "core.dependences=l1-misses",
                                         "core.dependences=l2-misses"};
  struct recording_shape shape = one_thread;

  (void)state;
  shape.in_pieces = true;
  for (unsigned k = 0; k < PRESETS * SEEDS * 3; k += TESTS_STEP) {
    const char *preset = presets[k % PRESETS], *setting = settings[k / PRESETS % 3];
    struct recording pieces, vectors;
    struct result whole;

    shape.seed = k / PRESETS / 3 + 1;
    shape.vectors = false;
    recording_make(&shape, &pieces);
    shape.vectors = true;
    recording_make(&shape, &vectors);
    assert_true(vectors.n[0] < pieces.n[0] - pieces.n[0] / 8);
    machine_feed(small_machine(preset, setting), recording_source(&pieces, CUT_NOWHERE, 0), &whole);
    cuts_feed(&vectors, preset, setting, 1 << CUT_NOWHERE | BLOCKS | BEGINS | ANYWHERE, &whole);
    assert_true(recording_say_alone(&vectors) > shape.executed / 2);
    cuts_feed(&vectors, preset, setting, 1 << CUT_NOWHERE | BLOCKS | BEGINS | ANYWHERE, &whole);
    recording_fini(&pieces);
    recording_fini(&vectors);
  }
}

/* ---- stored results ---- */

static void golden_write(FILE *to)
{
  static const struct {
    const char *name, *preset, *setting;
    struct recording_shape shape;
    enum recording_cut cut;
    size_t most;
  } golden_runs[] = {{"emr-processes",
                      "emr",
                      "core.dependences=l1-misses",
                      {.seed = 1, .threads = 4, .blocks = 3500, .executed = 12000, .lines = 2000, .processes = true},
                      CUT_ANY,
                      2000},
                     {"snbep-threads",
                      "snbep",
                      "core.dependences=l1-misses",
                      {.seed = 2, .threads = 4, .blocks = 900, .executed = 6000, .lines = 1000},
                      CUT_ANY,
                      700}};

  for (size_t i = 0; i < sizeof golden_runs / sizeof *golden_runs; i++) {
    struct recording r;
    struct result result;

    recording_make(&golden_runs[i].shape, &r);
    machine_feed(small_machine(golden_runs[i].preset, golden_runs[i].setting),
                 recording_source(&r, golden_runs[i].cut, golden_runs[i].most), &result);
    result_print(to, golden_runs[i].name, &result);
    recording_fini(&r);
  }
}

/* Threads of two processes, more blocks than a thread has places for, and notes that come late. */
static void test_golden(void **state)
{
  char *is = NULL, line[200];
  size_t size = 0;
  FILE *to = open_memstream(&is, &size), *was;

  (void)state;
  assert_non_null(to);
  golden_write(to);
  fclose(to);
  was = fopen(golden, blesses ? "w" : "r");
  if (!was)
    fail_msg("%s cannot be opened", golden);
  if (blesses)
    assert_int_equal(fwrite(is, 1, size, was), size);
  const char *at = is;
  while (!blesses && fgets(line, sizeof line, was)) {
    if (strncmp(line, at, strlen(line)) != 0)
      fail_msg("%s has: %s it is now: %.*s", golden, line, (int)strcspn(at, "\n"), at);
    at += strlen(line);
  }
  assert_true(blesses || at == is + size);
  assert_int_equal(fclose(was), 0);
  free(is);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_dependences),
                                     cmocka_unit_test(test_behind_blocks),
                                     cmocka_unit_test(test_behind_the_last_block),
                                     cmocka_unit_test(test_pieces_on_their_way),
                                     cmocka_unit_test(test_vectors_are_like_their_pieces),
                                     cmocka_unit_test(test_alone),
                                     cmocka_unit_test(test_golden)};

  if (argc < 2)
    return 2;
  golden = argv[1];
  blesses = argc > 2 && !strcmp(argv[2], "--bless");
  return cmocka_run_group_tests(tests, NULL, NULL);
}
