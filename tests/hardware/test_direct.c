/* SPDX-License-Identifier: MIT */
/* The doors to registers, on a tree of files behind which the emulated machine stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>
#include <pmon/pmon.h>
#include "src/access/ecam.h"
#include "tests/hardware/tree.h"

static const char *const small[] = {"cores=1", "chas=2", "imcs=1", "upi.links=1", "iio.stacks=1", NULL};
static struct pmon_context *context;
static const struct pmon_platform *platform;
static struct tree tree;

static void begin(const char *name)
{
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, name, &platform), 0);
  tree_make(&tree, name, strcmp(name, "emr") ? (const char *const[]){"cores=2", NULL} : small);
}

static void end(void)
{
  tree_end(&tree);
  pmon_context_free(context);
}

static struct pmon_backend *open_direct(void)
{
  struct pmon_reason reason = {""};
  struct pmon_backend *b = NULL;
  if (pmon_backend_direct_open(&tree.system, &reason, &b))
    fail_msg("%s", reason.text);
  assert_int_equal(b->packages, 2);
  return b;
}

/* Reads every described register both ways. Returns how many are there. */
static unsigned compare_all(struct pmon_backend *b, uint32_t package)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info reg = {.size = sizeof reg};
  unsigned n = 0;
  for (uint32_t u = 0; !pmon_unit_describe(platform, u, &unit); u++)
    for (uint32_t r = 0; !pmon_register_describe(platform, u, r, &reg); r++)
      for (uint32_t i = 0; i < unit.instances; i++) {
        struct pmon_register_id id = {.unit = u, .reg = r, .instance = i};
        struct pmon_address a;
        uint64_t here = 1, there = 2;
        if (pmon_register_address(platform, &id, &a) || (a.space == PMON_SPACE_MMIO && (a.device || i)))
          continue;
        a.package = package;
        if (a.space == PMON_SPACE_PCI)
          a.width_bits = 32;
        int machine = machine_read(tree.machine, &a, &there), door = b->ops->read(b, &a, &here);
        if (machine != door)
          fail_msg("%s %s instance %u: %s", unit.name, reg.name, i, door ? b->error_text : "is there");
        if (!machine) {
          assert_int_equal(here, there);
          n++;
        }
      }
  return n;
}

static void test_all_registers_through_the_doors(void **state)
{
  (void)state;
  static const struct { const char *name; unsigned least; } cases[] = {{"emr", 40}, {"snbep", 40}};
  for (size_t i = 0; i < 2; i++) {
    begin(cases[i].name);
    struct pmon_backend *b = open_direct();
    assert_true(compare_all(b, 0) >= cases[i].least);
    assert_true(compare_all(b, 1) >= cases[i].least);
    pmon_backend_close(b);
    end();
  }
}

static const char events[] = "cha/CLOCKTICKS/,upi/CLOCKTICKS/,m2m/CLOCKTICKS/,cha/CMS_CLOCKTICKS/";

static struct pmon_plan *make_plan(const char *list)
{
  struct pmon_plan *plan;
  assert_int_equal(pmon_plan_new(context, platform, &plan), 0);
  if (pmon_plan_add_events(plan, list) || pmon_plan_schedule(plan))
    fail_msg("%s", pmon_context_error(context));
  return plan;
}

/* A session over a backend while the machine lets 100 microseconds pass; its counts. The status of what failed. */
static int measure(struct pmon_backend *b, struct pmon_plan *plan, double *counts)
{
  struct pmon_session *s = NULL;
  char error[256];
  bool ended;
  int status = pmon_session_new(plan, b, NULL, &s);
  if (status)
    return status;
  status = pmon_session_start(s);
  if (!status)
    status = machine_run(tree.machine, machine_now_fs(tree.machine) + UINT64_C(100000000000), &ended, error,
                         sizeof error);
  if (!status)
    status = pmon_session_run(s, pmon_session_now_ns(s) + 1, &ended);
  for (uint32_t i = 0; !status && counts && pmon_plan_event(plan, i); i++) {
    struct pmon_value v;
    assert_int_equal(pmon_session_event(s, i, &(struct pmon_scope){PMON_ALL, PMON_ALL}, &v), 0);
    counts[i] = v.valid ? v.number : -1;
  }
  int closed = pmon_session_close(s);
  return status ? status : closed;
}

static void test_a_session_counts_the_same(void **state)
{
  (void)state;
  double direct[4], machine[4];
  struct pmon_backend *b;
  begin("emr");
  struct pmon_plan *plan = make_plan(events);
  b = open_direct();
  assert_int_equal(measure(b, plan, direct), 0);
  pmon_backend_close(b);
  struct machine *first = tree.machine;
  struct tree again;
  tree_make(&again, "emr", small);
  tree.machine = again.machine;
  assert_int_equal(machine_backend_new(again.machine, &b), 0);
  assert_int_equal(measure(b, plan, machine), 0);
  pmon_backend_close(b);
  tree.machine = first;
  for (int i = 0; i < 4; i++) {
    assert_true(machine[i] > 10000);
    assert_int_equal((long)direct[i], (long)machine[i]);
  }
  tree_end(&again);
  pmon_plan_free(plan);
  end();
}

/* All registers that the plan's units can hold something in. */
static uint64_t fingerprint(void)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info reg = {.size = sizeof reg};
  uint64_t sum = 14695981039346656037u;
  for (uint32_t u = 0; !pmon_unit_describe(platform, u, &unit); u++)
    for (uint32_t r = 0; !pmon_register_describe(platform, u, r, &reg); r++)
      for (uint32_t i = 0; reg.role != PMON_ROLE_FREE && i < unit.instances; i++)
        for (uint32_t k = 0; k < reg.count; k++) {
          struct pmon_register_id id = {.unit = u, .reg = r, .instance = i, .index = k};
          struct pmon_address a;
          uint64_t value = 0;
          for (uint32_t p = 0; p < 2 && !pmon_register_address(platform, &id, &a); p++) {
            a.package = p;
            if (!machine_read(tree.machine, &a, &value))
              sum = (sum ^ value) * 1099511628211u;
          }
        }
  return sum;
}

static void test_every_failing_access_is_told_and_undone(void **state)
{
  (void)state;
  static const enum tree_fault faults[] = {TREE_EIO, TREE_SHORT, TREE_EPERM};
  begin("emr");
  struct pmon_plan *plan = make_plan(events);
  struct pmon_backend *b = open_direct();
  const uint64_t before = fingerprint(), opened = tree.accesses;
  assert_int_equal(measure(b, plan, NULL), 0);
  assert_true(fingerprint() == before);
  const uint64_t n = tree.accesses - opened;
  assert_true(n > 60);
  for (size_t f = 0; f < 3; f++)
    for (uint64_t i = 1; i <= n; i++) {
      tree.fault = faults[f];
      tree.fail_access = tree.accesses + i;
      int status = measure(b, plan, NULL);
      /* An MSR that faults when it is looked at first is one that this processor does not have; what fails while it is
       * given back is tried again. */
      if (status && !*pmon_context_error(context))
        fail_msg("access %u failed without a word", (unsigned)i);
      if (fingerprint() != before)
        fail_msg("fault %u at access %u: registers are not as they were: %s", (unsigned)f, (unsigned)i,
                 pmon_context_error(context));
    }
  tree.fail_access = 0;
  pmon_backend_close(b);
  pmon_plan_free(plan);
  end();
}

static void test_a_device_that_disappears(void **state)
{
  (void)state;
  begin("emr");
  struct pmon_plan *plan = make_plan(events);
  struct pmon_backend *b = open_direct();
  tree.gone_from = tree.accesses + 80;
  int status = measure(b, plan, NULL);
  assert_int_not_equal(status, 0);
  assert_non_null(strstr(pmon_context_error(context), "could not be given back"));
  pmon_backend_close(b);
  pmon_plan_free(plan);
  end();
}

/* One unit's device goes, at any access: the others count on, its own counts are no numbers, and what could not be given
 * back is named. */
static void test_a_unit_that_vanishes(void **state)
{
  (void)state;
  double whole[4], counts[4];
  begin("emr");
  struct pmon_plan *plan = make_plan(events);
  struct pmon_backend *b = open_direct();
  const uint64_t opened = tree.accesses;
  assert_int_equal(measure(b, plan, whole), 0);
  const uint64_t n = tree.accesses - opened;
  unsigned vanished = 0;
  tree.gone_device = 30 << 8 | 12 << 3;         /* m2m 0 of both packages */
  for (uint64_t i = 1; i < n; i++) {
    tree.gone_device_from = tree.accesses + i;
    memset(counts, 0, sizeof counts);
    int status = measure(b, plan, counts);
    assert_true(counts[0] > 0.9 * whole[0] && counts[1] > 0.9 * whole[1] && counts[3] > 0.9 * whole[3]);
    vanished += counts[2] < 0;
    if (status && !strstr(pmon_context_error(context), "could not be given back: M2Mn_PCI_PMON"))
      fail_msg("%s", pmon_context_error(context));
    tree.gone_device_from = UINT64_MAX;
    assert_int_equal(measure(b, plan, counts), 0);
    assert_true(counts[2] > 0);
  }
  assert_true(vanished > 10);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  end();
}

static void test_a_cpu_that_goes_offline(void **state)
{
  (void)state;
  begin("emr");
  struct pmon_plan *plan = make_plan("cha/CLOCKTICKS/");
  struct pmon_backend *b = open_direct();
  double count = 0;
  tree_file(&tree, "sys/devices/system/cpu/online", "1-3\n");
  tree.offline_cpu = 0;
  assert_int_equal(measure(b, plan, &count), 0);
  assert_true(count > 10000);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  end();
}

static void test_eperm_at_any_open(void **state)
{
  (void)state;
  begin("emr");
  const uint64_t start = tree.opens;
  pmon_backend_close(open_direct());
  const uint64_t n = tree.opens - start;
  struct pmon_plan *plan = make_plan(events);
  const uint64_t before = fingerprint();
  assert_true(n > 10);
  for (uint64_t i = 1; i <= n; i++) {
    struct pmon_reason reason = {""};
    struct pmon_backend *b = NULL;
    tree.fail_open = tree.opens + i;
    int status = pmon_backend_direct_open(&tree.system, &reason, &b);
    assert_true(status == 0 || *reason.text);
    if (!status)
      measure(b, plan, NULL);
    assert_true(fingerprint() == before);
    pmon_backend_close(b);
  }
  pmon_plan_free(plan);
  end();
}

/* Once everything is open, no more may be opened: the spare CPU is open already. */
static void test_a_cpu_that_goes_when_nothing_may_be_opened(void **state)
{
  (void)state;
  begin("emr");
  struct pmon_plan *plan = make_plan("cha/CLOCKTICKS/");
  struct pmon_backend *b = open_direct();
  double count = 0;
  tree_file(&tree, "sys/devices/system/cpu/online", "1-3\n");
  tree_file(&tree, "dev/cpu/1/msr", NULL);
  tree.offline_cpu = 0;
  assert_int_equal(measure(b, plan, &count), 0);
  assert_true(count > 10000);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  end();
}

/* The last CPU of a package goes: that is told, with its name, and the other package's registers are there still. */
static void test_a_package_that_goes(void **state)
{
  (void)state;
  begin("emr");
  struct pmon_backend *b = open_direct();
  struct pmon_address a = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  uint64_t value = 0;
  tree_file(&tree, "sys/devices/system/cpu/online", "1-3\n");
  tree.offline_cpu = 0;
  assert_int_equal(b->ops->read(b, &a, &value), 0);            /* CPU 1 spoke for it while it was there */
  tree_file(&tree, "sys/devices/system/cpu/online", "2-3\n");
  tree.offline_cpu = 1;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "on CPU 1"));
  a.package = 1;
  assert_int_equal(b->ops->read(b, &a, &value), 0);
  pmon_backend_close(b);
  end();
}

static void sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    reads[i] = (struct pmon_read){{.package = i & 1, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2008 + i / 2 % 4},
                                  .status = 1};
  b->sweep(b, reads, n);
}

/* Many MSRs in one call, whatever the module does with it. */
static void test_a_sweep_in_one_call(void **state)
{
  (void)state;
  enum { N = 700 };
  static struct pmon_read reads[N];
  const struct pmon_address a = {.package = 1, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2009};
  for (int kind = 0; kind < 5; kind++) {
    begin("emr");
    assert_int_equal(machine_write(tree.machine, &a, 4711), 0);
    if (kind)
      tree_file(&tree, "dev/cpu/msr_batch", "");
    struct pmon_backend *b = open_direct(), *allowed;
    assert_int_equal(pmon_backend_allow_new(b, platform, &allowed), 0);
    tree.batch_refuses = kind == 2;
    tree.offline_cpu = kind == 3 ? 0 : -1;
    if (kind == 4) {
      tree.fault = TREE_EIO;
      tree.fail_access = tree.accesses + 5;
    }
    const uint64_t before = tree.accesses;
    sweep(allowed, reads, N);
    for (uint32_t i = 0; i < N; i++) {
      assert_int_equal(reads[i].status, 0);
      assert_int_equal(reads[i].value, (i & 1) && i / 2 % 4 == 1 ? 4711 : 0);
    }
    assert_int_equal(tree.batches, kind == 0 ? 0 : kind == 2 ? 1 : 2);
    if (kind == 1)
      assert_int_equal(tree.accesses - before, N);
    tree.fail_access = 0;
    reads[0].address.offset = 0x7777;            /* the processor has none */
    reads[1].address.space = PMON_SPACE_PCI;
    reads[2].address.package = 7;
    reads[3].address.package = 0;
    reads[3].status = 1;
    b->sweep(b, reads, 4);
    assert_int_equal(reads[0].status, PMON_E_NO_DEVICE);
    assert_int_equal(reads[1].status, PMON_E_NO_DEVICE);
    assert_int_equal(reads[2].status, PMON_E_NO_DEVICE);
    assert_int_equal(reads[3].status, 0);
    pmon_backend_close(allowed);
    end();
  }
}

/* The firmware's table and a file of memory in which UPI 0's configuration space stands, and other words. */
static void make_ecam(uint32_t id)
{
  static const uint64_t base = 0x10000000;
  uint8_t table[60] = "MCFG";
  uint32_t words[1024] = {id, 0, 0x08800000};
  char path[160];
  table[4] = sizeof table;
  memcpy(table + 44, &base, sizeof base);
  table[54] = 0x7e;
  table[55] = 0x7f;
  tree_file(&tree, "sys/firmware/acpi/tables/MCFG", "");
  snprintf(path, sizeof path, "%s/firmware/acpi/tables/MCFG", tree.sys);
  FILE *f = fopen(path, "w");
  assert_true(f && fwrite(table, sizeof table, 1, f) == 1 && !fclose(f));
  words[0x350 / 4] = 0x1234;
  snprintf(path, sizeof path, "%s/mem", tree.dev);
  f = fopen(path, "r+");
  assert_true(f && !fseek(f, (long)base + (1 << 15 | 1 << 12), SEEK_SET) && fwrite(words, sizeof words, 1, f) == 1 &&
              !fclose(f));
}

static void test_configuration_space_as_memory(void **state)
{
  (void)state;
  struct pmon_address a = {.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 1 << 3 | 1, .offset = 0x350};
  for (int lies = 0; lies < 2; lies++) {
    uint64_t value = 0;
    begin("emr");
    make_ecam(lies ? 0x12345678 : 0x32418086);
    struct pmon_backend *b = open_direct();
    assert_int_equal(b->ops->read(b, &a, &value), 0);
    assert_int_equal(value, lies ? 0 : 0x1234);
    const uint64_t before = tree.accesses;
    assert_int_equal(b->ops->write(b, &a, 0x21), 0);
    assert_int_equal(b->ops->read(b, &a, &value), 0);
    assert_int_equal(value, 0x21);
    assert_int_equal(tree.accesses - before, lies ? 2 : 0);    /* no system call */
    pmon_backend_close(b);
    end();
  }
}

static void test_the_page_without_dev_mem(void **state)
{
  (void)state;
  begin("emr");
  tree_file(&tree, "dev/mem", NULL);
  struct pmon_backend *b = open_direct();
  struct pmon_discovery *page = NULL;
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .offset = 0x22800};
  uint64_t value;
  assert_int_equal(pmon_discovery_read(b, 1, NULL, NULL, &page), 0);
  pmon_discovery_free(page);
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "/mem: No such file"));
  pmon_backend_close(b);
  end();
}

/* A processor that has a page and nothing else that is known. */
static void test_the_page_without_a_ubox(void **state)
{
  (void)state;
  begin("emr");
  tree_file(&tree, "sys/bus/pci/devices/0000:7e:00.0/config", NULL);
  tree_file(&tree, "sys/bus/pci/devices/0000:fe:00.0/config", NULL);
  struct pmon_backend *b = open_direct();
  struct pmon_discovery *page = NULL;
  struct pmon_discovery_info info = {.size = sizeof info};
  assert_int_equal(pmon_discovery_read(b, 1, NULL, NULL, &page), 0);
  pmon_discovery_describe(page, &info);
  assert_true(info.units > 20);
  pmon_discovery_free(page);
  pmon_backend_close(b);
  end();
}

static void test_hostile_tables_of_memory(void **state)
{
  (void)state;
  uint8_t table[76] = "MCFG";
  struct ecam_range ranges[ECAM_RANGES];
  uint64_t random = 88172645463325252u;
  table[4] = sizeof table;
  for (size_t n = 0; n <= sizeof table; n++)
    assert_int_equal(ecam_parse(table, n, ranges), 0);          /* no base, no range */
  table[44 + 4] = 1;
  table[55] = 3;
  assert_int_equal(ecam_parse(table, sizeof table, ranges), 1);
  assert_int_equal(ranges[0].base, UINT64_C(1) << 32);
  assert_int_equal(ecam_parse(table, 59, ranges), 0);
  table[4] = 59;                                                /* its own length is shorter */
  assert_int_equal(ecam_parse(table, sizeof table, ranges), 0);
  for (int i = 0; i < 2000; i++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    table[4 + random % 72] = (uint8_t)(random >> 32);
    const uint32_t n = ecam_parse(table, sizeof table, ranges);
    assert_true(n <= 2);
    for (uint32_t k = 0; k < n; k++)
      assert_true(ranges[k].first_bus <= ranges[k].last_bus && ranges[k].base % ECAM_PAGE == 0);
  }
}

static void test_nothing_of_it_is_here(void **state)
{
  (void)state;
  struct pmon_reason reason = {""};
  struct pmon_backend *b = NULL;
  struct pmon_system none = {.size = sizeof none, .dev = "/nonexistent", .sys = "/nonexistent",
                             .proc = "/nonexistent", .end_fd = -1};
  assert_int_equal(pmon_backend_direct_open(&none, &reason, &b), PMON_E_NO_DEVICE);
  assert_null(b);
  assert_non_null(strstr(reason.text, "modprobe msr"));
}

static void test_a_shut_door_says_why(void **state)
{
  (void)state;
  begin("emr");
  char path[128];
  snprintf(path, sizeof path, "%s/mem", tree.dev);
  unlink(path);
  struct pmon_backend *b = open_direct();
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .offset = 0x22800};
  uint64_t value;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "/mem"));
  pmon_backend_close(b);
  end();
}

static void test_an_unprivileged_reader_is_told_what_it_takes(void **state)
{
  (void)state;
  begin("emr");
  struct pmon_backend *b = open_direct();
  struct pmon_address a = {.space = PMON_SPACE_MMIO, .width_bits = 32, .device = 0, .offset = 0x200000};
  uint64_t value;
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "past the BAR's end"));
  a = (struct pmon_address){.space = PMON_SPACE_PCI, .width_bits = 32, .device = 30 << 8 | 9 << 3};
  assert_int_equal(b->ops->read(b, &a, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "hide"));
  pmon_backend_close(b);
  end();
}

static void test_the_end_is_seen(void **state)
{
  (void)state;
  begin("emr");
  tree.system.end_fd = eventfd(1, 0);
  struct pmon_backend *b = open_direct();
  uint64_t now = 0;
  bool ended = false;
  assert_int_equal(b->ops->wait(b, UINT64_MAX, &now, &ended), 0);
  assert_true(ended && now);
  close(tree.system.end_fd);
  pmon_backend_close(b);
  end();
}

/* System calls that one interval takes. */
static uint64_t interval_accesses(struct pmon_backend *b, struct pmon_plan *plan, uint32_t freeze, uint64_t verify_ns)
{
  const struct pmon_session_options options = {.size = sizeof options, .freeze = freeze, .verify_ns = verify_ns};
  struct pmon_session *s;
  uint64_t n = 0;
  bool ended;
  assert_int_equal(pmon_session_new(plan, b, &options, &s), 0);
  assert_int_equal(pmon_session_start(s), 0);
  for (int i = 0; i < 3; i++) {
    const uint64_t before = tree.accesses;
    assert_int_equal(pmon_session_run(s, pmon_session_now_ns(s) + 1000, &ended), 0);
    if (i)
      assert_int_equal(tree.accesses - before, n);
    n = tree.accesses - before;
  }
  assert_int_equal(pmon_session_close(s), 0);
  return n;
}

static void test_an_interval_takes_as_few_accesses_as_can_be(void **state)
{
  (void)state;
  begin("snbep");
  struct pmon_plan *plan = make_plan("cbo0/CLOCKTICKS/,cbo0/TOR_INSERTS.MISS_ALL/,imc0/CAS_COUNT.RD/,imc0/CAS_COUNT.WR/");
  struct pmon_backend *b = open_direct();
  /* On each of two sockets four counters, two of them in halves: nothing else where nothing is asked for. */
  const uint64_t counters = 2 * (2 + 2 * 2), never = UINT64_MAX;
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BEST, never), counters);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_ENDS, never), counters);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_NONE, never), counters);
  /* Two boxes are held and let go; four control registers are looked at. */
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BOX, never), counters + 2 * 2 * 2);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BOX, 0), counters + 2 * 2 * 2 + 2 * 4);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BEST, 0), counters + 2 * 4);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  end();
}

/* A write for each socket holds all of its counters, whatever their number. */
static void test_a_socket_is_held_with_one_access(void **state)
{
  (void)state;
  begin("emr");
  struct pmon_plan *plan = make_plan("cha/CLOCKTICKS/,cha/TOR_INSERTS.IA_MISS_DRD/,upi/CLOCKTICKS/");
  struct pmon_backend *b = open_direct();
  const uint64_t counters = 2 * (2 * 2 + 2);        /* two CHAs; a UPI link's counter in halves */
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BEST, UINT64_MAX), counters + 2 * 2);
  assert_int_equal(interval_accesses(b, plan, PMON_FREEZE_BOX, UINT64_MAX), counters + 2 * 2 * 3);
  pmon_backend_close(b);
  pmon_plan_free(plan);
  end();
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_interval_takes_as_few_accesses_as_can_be),
    cmocka_unit_test(test_a_socket_is_held_with_one_access),
    cmocka_unit_test(test_all_registers_through_the_doors),
    cmocka_unit_test(test_a_session_counts_the_same),
    cmocka_unit_test(test_every_failing_access_is_told_and_undone),
    cmocka_unit_test(test_a_device_that_disappears),
    cmocka_unit_test(test_a_unit_that_vanishes),
    cmocka_unit_test(test_a_cpu_that_goes_offline),
    cmocka_unit_test(test_eperm_at_any_open),
    cmocka_unit_test(test_a_cpu_that_goes_when_nothing_may_be_opened),
    cmocka_unit_test(test_a_package_that_goes),
    cmocka_unit_test(test_a_sweep_in_one_call),
    cmocka_unit_test(test_configuration_space_as_memory),
    cmocka_unit_test(test_the_page_without_dev_mem),
    cmocka_unit_test(test_the_page_without_a_ubox),
    cmocka_unit_test(test_hostile_tables_of_memory),
    cmocka_unit_test(test_nothing_of_it_is_here),
    cmocka_unit_test(test_a_shut_door_says_why),
    cmocka_unit_test(test_an_unprivileged_reader_is_told_what_it_takes),
    cmocka_unit_test(test_the_end_is_seen),
  };
  return cmocka_run_group_tests_name("direct", tests, NULL, NULL);
}
