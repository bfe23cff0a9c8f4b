/* SPDX-License-Identifier: MIT */
/*
 * Each access method with one failure, in turn: each open fails in three ways, each access in four, and from each
 * access on the device is gone. Every failure is reported, each reachable register holds its original content, and no
 * file stays open.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/hardware/frame.h"

enum { MSR, PCI, MMIO }; /* the access methods, by the library's numbers */
enum { MOST_HELD = 400, MOST_FILES = 200 };

/* An access method, events that use it, the file whose memory stands for registers, and the offset of these in it. */
struct way {
  const char *name, *events, *memory;
  long at;
  uint32_t access_method;
  bool mapped; /* an access can also fail by a missing answer */
  void (*prepare)(void);
};

static void add_batch(void)
{
  tree_file(&tree, "dev/cpu/msr_batch", "");
}

static void add_ecam(void)
{
  frame_ecam(0x32418086);
}

static void add_port(void)
{
  struct pmon_backend *b = frame_open();
  const uint64_t at = frame_block(b, 0, 12, 0);
  pmon_backend_close(b);
  frame_port(at, 0x40200);
}

static const struct way ways[] = {
    {"msr", "cha0/CLOCKTICKS/,cha1/CMS_CLOCKTICKS/", NULL, 0, MSR, false, NULL},
    {"msr-safe's batch", "cha0/CLOCKTICKS/,cha1/CMS_CLOCKTICKS/", NULL, 0, MSR, false, add_batch},
    {"configuration files", "upi0/CLOCKTICKS/,m2m0/CLOCKTICKS/", NULL, 0, PCI, false, NULL},
    {"configuration space in memory", "upi0/RxL_INSERTS.SLOT0/", "dev/mem", FRAME_ECAM, PCI, true, add_ecam},
    {"a device's resource file", "cxlcm0/RxC_AGF_INSERTS.CACHE_DATA/", "sys/bus/pci/devices/0000:98:00.0/resource2",
     0x2000, MMIO, true, add_port},
    {"/dev/mem", "imc0/CAS_COUNT.RD/", "dev/mem", (long)0x1d0 << 23 | 0x22000, MMIO, true, NULL},
};

/* Registers of the measured units, and the memory that stands for some of them. */
static struct pmon_address held[MOST_HELD];
static uint64_t values[MOST_HELD];
static size_t n_held;
static uint8_t memory[4096];

static void read_memory(const struct way *w, uint8_t bytes[4096])
{
  char path[160];
  snprintf(path, sizeof path, "%s/%s", tree.root, w->memory);
  FILE *f = fopen(path, "r");
  assert_true(f && !fseek(f, w->at, SEEK_SET) && fread(bytes, 4096, 1, f) == 1 && !fclose(f));
}

static void hold_unit(uint32_t unit)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  struct pmon_register_id id = {.unit = unit};
  for (id.reg = 0; !pmon_register_describe(platform, unit, id.reg, &reg); id.reg++)
    for (id.instance = 0; id.instance < 2; id.instance++)
      for (id.index = 0; reg.role != PMON_ROLE_FREERUNNING && id.index < reg.count; id.index++)
        for (uint32_t package = 0; package < 2; package++) {
          struct pmon_address a;
          if (pmon_register_address(platform, &id, &a))
            continue;
          a.package = package;
          assert_true(n_held < MOST_HELD);
          if (!machine_read(tree.machine, &a, &values[n_held]))
            held[n_held++] = a;
        }
}

static void hold(const struct way *w, struct pmon_plan *plan)
{
  const struct pmon_event *e;
  uint32_t unit = UINT32_MAX;
  n_held = 0;
  for (uint32_t i = 0; (e = pmon_plan_event(plan, i)); i++) {
    if (pmon_event_unit(e) != unit)
      hold_unit(pmon_event_unit(e));
    unit = pmon_event_unit(e);
  }
  assert_int_equal(pmon_unit_find(platform, "ubox", &unit), 0);
  hold_unit(unit); /* the package's controls */
  assert_true(n_held > 10);
  if (w->memory)
    read_memory(w, memory);
}

/* Returns the name of the first register whose content differs; NULL: none does. */
static const char *changed(const struct way *w)
{
  static char text[80];
  uint8_t now[sizeof memory];
  uint64_t value;
  for (size_t i = 0; i < n_held; i++)
    if (machine_read(tree.machine, &held[i], &value) || value != values[i]) {
      pmon_address_format(&held[i], text, sizeof text);
      return text;
    }
  if (!w->memory)
    return NULL;
  read_memory(w, now);
  for (size_t i = 0; i < sizeof now; i++)
    if (now[i] != memory[i]) {
      snprintf(text, sizeof text, "%s at 0x%lx", w->memory, w->at + (long)i);
      return text;
    }
  return NULL;
}

static unsigned open_files(void)
{
  unsigned n = 0;
  for (int fd = 0; fd < MOST_FILES; fd++)
    n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

/* The first `finding` of `accesses` look for functions and read the discovery page, when the access method is opened;
 * `opening`: the number of these in the last run. */
struct trial {
  const struct way *way;
  struct pmon_plan *plan;
  unsigned files;
  uint64_t opens, accesses, finding, opening;
  double count;
};

/* Returns the next access to fail after `i`: each access of a measurement, and each one that looks for functions,
 * unless a page is read. The page is read by one loop in words of 4 bytes, 16 to an entry: a prime step reaches each
 * place of an entry. */
static uint64_t next_access(const struct trial *t, uint64_t i)
{
  enum { STEP = 29, FUNCTIONS_AT_MOST = 200 };
  return t->finding > FUNCTIONS_AT_MOST && i + STEP < t->finding ? i + STEP : i + 1;
}

/* Opens the access method, measures, and closes it. Returns what was reported; NULL: no failure. t->count: the first
 * event's count. */
static const char *each_measure(struct trial *t, bool *ret_opened)
{
  double counts[2] = {0, 0};
  static char said[sizeof frame_said];
  struct pmon_reason reason = {""};
  struct pmon_backend *b = NULL;
  const uint64_t before = tree.accesses;
  int status = pmon_access_method_open(t->way->access_method, &tree.system, &reason, &b);
  *ret_opened = !status;
  t->opening = tree.accesses - before;
  snprintf(said, sizeof said, "%s", reason.text);
  if (!status) {
    status = frame_measure(b, t->plan, counts);
    snprintf(said, sizeof said, "%s", frame_said);
  }
  pmon_backend_close(b);
  t->count = counts[0];
  return status || *said ? said : NULL;
}

/* Checks the state after a trial. The report must contain one of the words in `wanted`, which ends with NULL. */
static void each_check(const struct trial *t, const char *what, const char *said, const char *const *wanted)
{
  bool reported = !said;
  const char *other = changed(t->way);
  if (other)
    fail_msg("%s, %s: %s is not what it was; said: %s", t->way->name, what, other, said ? said : "nothing");
  if (open_files() != t->files)
    fail_msg("%s, %s: %u files are open, %u were", t->way->name, what, open_files(), t->files);
  for (; said && *wanted; wanted++)
    reported |= strstr(said, *wanted) != NULL;
  if (!reported)
    fail_msg("%s, %s: only \"%s\" is said", t->way->name, what, said);
}

static void fail_each_open(struct trial *t)
{
  static const int errors[] = {EPERM, ENOENT, EACCES};
  unsigned shut = 0;
  for (size_t e = 0; e < sizeof errors / sizeof *errors; e++)
    for (uint64_t i = 1; i <= t->opens; i++) {
      char what[64];
      bool opened;
      tree.open_error = errors[e];
      tree.stays_shut = true;
      tree.fail_open = tree.opens + i;
      const char *said = each_measure(t, &opened);
      tree.fail_open = 0;
      snprintf(what, sizeof what, "open %u with %s", (unsigned)i, strerror(errors[e]));
      each_check(t, what, said, (const char *const[]){opened ? "" : strerror(errors[e]), NULL});
      shut += said != NULL;
    }
  assert_true(shut >= 3);
}

/* Fails each access once with every error of system calls. */
static void fail_each_access(struct trial *t)
{
  static const struct {
    enum tree_fault fault;
    const char *says[3];
  } faults[] = {{TREE_EIO, {"Input/output error", "refused the access", NULL}},
                {TREE_EPERM, {"Operation not permitted", NULL}},
                {TREE_SHORT, {"transfer was incomplete", NULL}}};
  for (size_t f = 0; f < sizeof faults / sizeof *faults; f++)
    for (uint64_t i = 1; i <= t->accesses; i = next_access(t, i)) {
      char what[64];
      bool opened;
      tree.fault = faults[f].fault;
      tree.fail_access = tree.accesses + i;
      const char *said = each_measure(t, &opened);
      tree.fail_access = 0;
      snprintf(what, sizeof what, "fault %u at access %u", (unsigned)f, (unsigned)i);
      each_check(t, what, said, faults[f].says);
    }
}

static void put_back(const struct way *w)
{
  char path[160];
  for (size_t i = 0; i < n_held; i++)
    machine_write(tree.machine, &held[i], values[i]);
  if (!w->memory)
    return;
  snprintf(path, sizeof path, "%s/%s", tree.root, w->memory);
  FILE *f = fopen(path, "r+");
  assert_true(f && !fseek(f, w->at, SEEK_SET) && fwrite(memory, sizeof memory, 1, f) == 1 && !fclose(f));
}

/* From each access on, the device is gone; its registers keep their contents. */
static void lose_at_each_access(struct trial *t)
{
  static const char *const says[] = {"No such device", "was removed", "no such uncore",
                                     "none of the plan's units exists: ", NULL};
  uint64_t reported = 0, tried = 0;
  for (uint64_t i = 1; i <= t->accesses; i = next_access(t, i)) {
    char what[64];
    bool opened;
    tree.fault = TREE_ENODEV;
    tree.gone_from = tree.accesses + i;
    const char *said = each_measure(t, &opened);
    tree.gone_from = 0;
    put_back(t->way);
    hold(t->way, t->plan);
    snprintf(what, sizeof what, "no device from access %u on", (unsigned)i);
    each_check(t, what, said, says);
    reported += said != NULL;
    tried++;
  }
  assert_int_equal(reported, tried);
}

/* From each access to memory on, there is no answer: the values read then are not counts. */
static void silence_at_each_access(struct trial *t)
{
  for (uint64_t i = 1; i <= t->accesses && t->way->mapped; i = next_access(t, i)) {
    bool opened;
    tree.silent_from = tree.accesses + i;
    const char *said = each_measure(t, &opened);
    tree.silent_from = 0;
    put_back(t->way);
    if (!said && t->count > 1e6)
      fail_msg("%s: no answer from access %u on, and %.0f is shown", t->way->name, (unsigned)i, t->count);
    assert_int_equal(open_files(), t->files);
  }
}

static void test_a_way(void **state)
{
  const struct way *w = *state;
  struct trial t = {.way = w};
  bool opened;
  frame_begin("emr");
  if (w->prepare)
    w->prepare();
  t.plan = frame_plan(w->events);
  hold(w, t.plan);
  t.files = open_files();
  const uint64_t opens = tree.opens, accesses = tree.accesses;
  const char *said = each_measure(&t, &opened);
  if (said)
    fail_msg("%s: %s", w->name, said);
  t.opens = tree.opens - opens;
  t.accesses = tree.accesses - accesses;
  t.finding = t.opening;
  each_check(&t, "nothing fails", NULL, NULL);
  assert_true(t.opens > 2 && t.accesses > 20);
  fail_each_open(&t);
  fail_each_access(&t);
  silence_at_each_access(&t);
  lose_at_each_access(&t);
  pmon_plan_free(t.plan);
  frame_end();
}

int main(void)
{
  enum { WAYS = sizeof ways / sizeof *ways };
  struct CMUnitTest tests[WAYS];
  for (size_t i = 0; i < WAYS; i++)
    tests[i] = (struct CMUnitTest){
        .name = ways[i].name, .test_func = test_a_way, .initial_state = (void *)(uintptr_t)&ways[i]};
  return cmocka_run_group_tests_name("each", tests, NULL, NULL);
}
