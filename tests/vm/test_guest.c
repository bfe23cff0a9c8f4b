/* SPDX-License-Identifier: MIT */
/*
 * An unmodified Debian kernel, Debian's perf and msr-tools, and pmon through each of its backends measure known counts:
 * a workload reports a fixed number of occurrences to each box in each step, and the output of the guest's tools must
 * equal it exactly. Time advances only when the guest rings the doorbell, so that nothing depends on the host's speed.
 * Skipped if the packages are missing. Usage: test_vm_guest PMON
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/config.h"
#include "machine/machine.h"
#include "machine/pmon/block.h"
#include "machine/snbep/attr.h"
#include "machine/snbep/units.h"
#include "machine/pmon/violation.h"
#include "vm/kernel.h"
#include "vm/vm.h"

#define NS UINT64_C(1000000)
enum { SKIPPED = 77, TEXT_MAX = 1 << 16, GUEST_EXIT = 5, CORES = 8, RUN_NS = 2000, TIMEOUT_S = 900 };

/* What is reported, how often (in two reports if one cannot contain it), and perf's event for it. */
static const struct row {
  const char *unit;
  unsigned instance;
  uint8_t code;
  uint64_t attr, n;
  const char *event;
} rows[] = {
    {"cbo", 0, 0x37, SNB_UMASK(0x01), 1234567, "uncore_cbox_0/event=0x37,umask=0x1/"},
    {"cbo", 3, 0x11, SNB_UMASK(0x04), 77, "uncore_cbox_3/event=0x11,umask=0x4/"},
    {"cbo", 7, 0x37, SNB_UMASK(0x04), 6000000001, "uncore_cbox_7/event=0x37,umask=0x4/"},
    {"ubox", 0, 0x42, SNB_UMASK(0x08), 4711, "uncore_ubox/event=0x42,umask=0x8/"},
    {"pcu", 0, 0x03, 0, 303, "uncore_pcu/event=0x3/"},
    {"ha", 0, 0x01, SNB_UMASK(0x01), 8000000009, "uncore_ha/event=0x1,umask=0x3/"},
    {"imc", 0, 0x04, SNB_UMASK(0x02), 5000000021, "uncore_imc_0/event=0x4,umask=0x3/"},
    {"imc", 1, 0x04, SNB_UMASK(0x0c), 4000000000, "uncore_imc_1/event=0x4,umask=0xc/"},
    {"imc", 2, 0x04, SNB_UMASK(0x01), 22, "uncore_imc_2/event=0x4,umask=0x1/"},
    {"imc", 3, 0x01, 0, 33, "uncore_imc_3/event=0x1/"},
    {"qpi", 0, 0x01, SNB_UMASK(0x02), 4294967296, "uncore_qpi_0/event=0x1,umask=0x2/"},
    {"qpi", 1, 0x02, SNB_EXT | SNB_UMASK(0x08), 919, "uncore_qpi_1/event=0x102,umask=0x8/"},
    {"r2pcie", 0, 0x07, SNB_UMASK(0x01), 2002, "uncore_r2pcie/event=0x7,umask=0x1/"},
    {"r3qpi", 0, 0x09, SNB_UMASK(0x02), 3003, "uncore_r3qpi_0/event=0x9,umask=0x2/"},
    {"r3qpi", 1, 0x25, SNB_UMASK(0x01), 3113, "uncore_r3qpi_1/event=0x25,umask=0x1/"},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Clock events over RUN_NS, and events that are not reported: perf's event, the rate, the expected counts. */
static const struct extra {
  const char *event;
  unsigned mhz;
} extras[] = {
    {"uncore_cbox_1/event=0x0/", 2700},
    {"uncore_ubox/event=0xff/", 2700},
    {"uncore_imc_0/clockticks/", 800},
    {"uncore_ha/event=0x0/", 2700},
    {"uncore_pcu/event=0x0/", 800},
    {"uncore_qpi_0/event=0x14/", 1000},
    {"uncore_cbox_0/event=0x37,umask=0x2/", 0},
    {"uncore_imc_0/event=0x4,umask=0xc/", 0},
    {"uncore_r2pcie/event=0x7,umask=0x2/", 0},
};
enum { EXTRAS = sizeof extras / sizeof *extras };

static const char *const backends[] = {"perf", "direct"};

static const char *const pmus[] = {"cbox_0", "cbox_1", "cbox_2", "cbox_3", "cbox_4",  "cbox_5", "cbox_6",
                                   "cbox_7", "ubox",   "pcu",    "ha",     "imc_0",   "imc_1",  "imc_2",
                                   "imc_3",  "qpi_0",  "qpi_1",  "r2pcie", "r3qpi_0", "r3qpi_1"};

/* The guest's commands; $E are the events. A step of RUN_NS is one report. */
static const char script[] =
    "for p in /sys/bus/event_source/devices/uncore_*; do echo \"pmu ${p##*/}\"; done\n"
    "perf stat -x ' ' -o /tmp/counts -a -e \"$E\" pmon-step 2000 || exit 1\n"
    "cat /tmp/counts\n"
    "echo filter=$(rdmsr -x 0xc34)\n"
    "wrmsr 0xd14 0x1f && echo written=$(rdmsr -x 0xd14)\n"
    "rdmsr -x 0x10a1 >/dev/null 2>&1 || echo no such register\n"
    "wrmsr 0xd14 0xffffffffffffffff 2>/dev/null || echo reserved, still $(rdmsr -x 0xd14)\n"
    "dd if=/sys/bus/pci/devices/0000:7f:10.1/config bs=4 skip=61 count=1 2>/dev/null | hexdump -e '\"box=%x\\n\"'\n"
    "which setpci >/dev/null && echo setpci=$(setpci -s 7f:10.1 f4.l)\n"
    "for b in perf direct; do\n"
    "  rdmsr -x 0xd74 >/tmp/before\n"
    "  pmon stat --backend $b --csv --per-socket -o /tmp/$b -e \"$E\" -- sh -c 'pmon-step 2000; "
    "for r in 0xd76 0xd77 0xd78 0xd79; do echo raw=$(rdmsr -u $r); done; "
    "which setpci >/dev/null && echo pci=$(setpci -s 7f:0e.1 a0.l a8.l b0.l b8.l)' || exit 2\n"
    "  test $b = perf || test $(cat /tmp/before) = $(rdmsr -x 0xd74) && echo $b restored\n"
    "  sed \"s/^/$b: /\" /tmp/$b\n"
    "done\n"
    "pmon stat --json -e uncore_ha/event=1,umask=3/ -- true || exit 3\n"
    "pmon stat --json -e pcu/CORE0_TRANSITION_CYCLES/ -- true || exit 4\n"
    "pmon stat --csv -e uncore_imc_0/cas_count_read/ -- pmon-step 2000 || exit 6\n"
    "pmon doctor && echo healthy\n"
    "echo to errors >&2\n"
    "exit 5\n";

struct guest {
  char text[VM_STREAMS][TEXT_MAX];
  size_t n[VM_STREAMS];
};

static int report(struct machine_workload *w, struct machine *m, uint64_t until_fs, bool *ret_ended, char *error,
                  size_t error_size)
{
  const uint64_t now = machine_now_fs(m);
  (void)w, (void)error, (void)error_size;
  for (unsigned i = 0; i < ROWS; i++) {
    struct block *b = machine_block(m, 0, rows[i].unit, rows[i].instance);
    uint32_t half = (uint32_t)(rows[i].n / 2);
    block_pulse(b, rows[i].code, rows[i].attr, 0, now + 500 * NS, half);
    block_pulse(b, rows[i].code, rows[i].attr, 0, now + 1500 * NS, (uint32_t)(rows[i].n - half));
  }
  machine_reached(m, until_fs);
  *ret_ended = false;
  return PMON_OK;
}

static void on_output(void *user, enum vm_stream stream, const char *bytes, size_t n)
{
  struct guest *g = user;
  if (n >= TEXT_MAX - g->n[stream])
    n = TEXT_MAX - 1 - g->n[stream];
  memcpy(g->text[stream] + g->n[stream], bytes, n);
  g->n[stream] += n;
}

static bool in_path(const char *name)
{
  static const char *const folders[] = {"/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin"};
  char path[256];
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    snprintf(path, sizeof path, "%s/%s", folders[i], name);
    if (!access(path, X_OK))
      return true;
  }
  return false;
}

static bool can_run(char *cache, size_t size)
{
  static const char *const programs[][2] = {{"qemu-system-x86_64", "qemu-system-x86"},
                                            {"busybox", "busybox-static"},
                                            {"perf", "linux-perf"},
                                            {"rdmsr", "msr-tools"},
                                            {"xz", "xz-utils"}};
  struct kernel kernel;
  char error[512];
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (!in_path(programs[i][0])) {
      printf("SKIPPED: no Linux on the machine was tried: %s is not here (Debian: %s)\n", programs[i][0],
             programs[i][1]);
      return false;
    }
  if (!kernel_cache_folder(cache, size) || kernel_open(&kernel, NULL, cache, error, sizeof error) == PMON_E_NO_DEVICE) {
    printf("SKIPPED: no Linux on the machine was tried: Debian's kernel cannot be had\n");
    return false;
  }
  kernel_close(&kernel);
  return true;
}

static struct machine *machine_ready(void)
{
  static struct machine_workload workload = {.run = report};
  struct machine_config config;
  struct machine *m = NULL;
  char error[256];
  const struct pmon_address filter = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0xc34};
  assert_int_equal(machine_config_preset(&config, "snbep"), PMON_OK);
  config.value[CONFIG_UNCORE_GHZ] = 2700;
  config.value[CONFIG_DRAM_GHZ] = 800;
  config.value[CONFIG_UPI_GT] = 8000;
  assert_int_equal(machine_new(&config, error, sizeof error, &m), PMON_OK);
  machine_attach(m, &workload);
  assert_int_equal(machine_write(m, &filter, 0x12345678), PMON_OK); /* the guest finds this value */
  return m;
}

/* Checks the count that perf wrote for an event: `COUNT UNIT EVENT ...`. */
static void expect_count(const char *text, const char *event, uint64_t n)
{
  const char *at = strstr(text, event), *line = at;
  char *end;
  if (!at) {
    print_error("%s is not in what perf printed:\n%s\n", event, text);
    fail();
    return;
  }
  while (line > text && line[-1] != '\n')
    line--;
  uint64_t count = strtoull(line, &end, 10);
  if (end == line || count != n) {
    print_error("%s: perf printed %.*s and not %" PRIu64 "\n", event, (int)strcspn(line, "\n"), line, n);
    fail();
  }
}

/* Returns the value in a line of pmon's CSV: begin, end, seconds, name, package, unit, instance, value. */
static uint64_t csv_value(const char *line, size_t n)
{
  unsigned column = 0;
  bool quoted = false;
  size_t i = 0;
  for (; i < n && column < 7; i++) {
    quoted ^= line[i] == '"';
    column += line[i] == ',' && !quoted;
  }
  char *end;
  uint64_t value = strtoull(line + i, &end, 10);
  return column == 7 && *end == ',' ? value : UINT64_MAX;
}

/* Checks that all events follow the header line in order. */
static void expect_csv(const char *text, const char *backend)
{
  char mark[32];
  snprintf(mark, sizeof mark, "\n%s: ", backend);
  const char *line = strstr(text, mark);
  for (unsigned i = 0; line && i < ROWS + EXTRAS; i++) {
    const uint64_t want = i < ROWS ? rows[i].n : (uint64_t)RUN_NS * extras[i - ROWS].mhz / 1000;
    if (!(line = strstr(line + 1, mark)))
      break;
    const size_t n = strcspn(line + 1, "\n");
    if (csv_value(line + 1, n) == want)
      continue;
    print_error("%s, pmon on %s: %" PRIu64 " expected in: %.*s\n", i < ROWS ? rows[i].event : extras[i - ROWS].event,
                backend, want, (int)n, line + 1);
    fail();
  }
  if (!line) {
    print_error("pmon on %s printed fewer lines than events:\n%s\n", backend, text);
    fail();
  }
}

static void expect_text(const char *text, const char *part)
{
  if (!strstr(text, part)) {
    print_error("\"%s\" is not in what the guest printed:\n%s\n", part, text);
    fail();
  }
}

static void print_violations(const struct machine *m)
{
  const struct machine_violation *list;
  size_t n = machine_violations(m, &list);
  print_message("accesses of the guest against the guide's rules: %" PRIu64 "\n", machine_violations_total(m));
  for (size_t i = 0; i < n; i++)
    print_message("  %s.%s: 0x%" PRIx64 " written: %s (%s)\n", list[i].name, list[i].field, list[i].value, list[i].rule,
                  list[i].section);
}

static void compose(char *text, size_t size)
{
  size_t n = (size_t)snprintf(text, size, "E=");
  for (unsigned i = 0; i < ROWS + EXTRAS; i++)
    n += (size_t)snprintf(text + n, size - n, "%s%s", i ? "," : "", i < ROWS ? rows[i].event : extras[i - ROWS].event);
  n += (size_t)snprintf(text + n, size - n, "\n%s", script);
  assert_true(n < size);
}

static void check_output(const struct guest *g)
{
  char part[64];
  for (size_t i = 0; i < sizeof pmus / sizeof *pmus; i++) {
    snprintf(part, sizeof part, "pmu uncore_%s\n", pmus[i]);
    expect_text(g->text[VM_OUTPUT], part);
  }
  for (unsigned i = 0; i < ROWS; i++)
    expect_count(g->text[VM_OUTPUT], rows[i].event, rows[i].n);
  for (unsigned i = 0; i < EXTRAS; i++)
    expect_count(g->text[VM_OUTPUT], extras[i].event, (uint64_t)RUN_NS * extras[i].mhz / 1000);
  expect_text(g->text[VM_OUTPUT], "filter=12345678\n");
  expect_text(g->text[VM_OUTPUT], "written=1f\n");
  expect_text(g->text[VM_OUTPUT], "no such register\n");
  expect_text(g->text[VM_OUTPUT], "reserved, still 1f\n");
  expect_text(g->text[VM_OUTPUT], "box=10000\n");
  if (in_path("setpci"))
    expect_text(g->text[VM_OUTPUT], "setpci=00010000\n");
  for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
    expect_csv(g->text[VM_OUTPUT], backends[i]);
  /* The registers of a cbo and of the home agent, as rdmsr and setpci read them while pmon had programmed them. */
  expect_text(g->text[VM_OUTPUT], "raw=77\n");
  if (in_path("setpci"))
    expect_text(g->text[VM_OUTPUT], "dcd65009");
  expect_text(g->text[VM_OUTPUT], "direct restored\n");
  expect_text(g->text[VM_OUTPUT], "\"backend\":\"perf\"");
  expect_text(g->text[VM_OUTPUT], "\"backend\":\"direct\"");
  expect_text(g->text[VM_ERRORS], "using registers instead of Linux perf: pcu/CORE0_TRANSITION_CYCLES/");
  /* 5000000021 lines of 64 bytes, in the kernel's scale and unit */
  expect_text(g->text[VM_OUTPUT], ",305175.78");
  expect_text(g->text[VM_OUTPUT], ",MiB,");
  expect_text(g->text[VM_OUTPUT], "healthy\n");
  expect_text(g->text[VM_ERRORS], "to errors\n");
}

static char cache[512];
static const char *programs[2]; /* pmon */

static void test_tools_count_what_was_reported(void **state)
{
  static struct guest g;
  static char text[4096];
  const char *argv[] = {"sh", "-c", text, NULL};
  const struct pmon_address written = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0xd14};
  struct machine *m = machine_ready();
  struct pmon_backend *backend = NULL;
  machine_set_faults(m, true);
  assert_int_equal(machine_backend_new(m, &backend), PMON_OK);
  const struct vm_options o = {.machine = m,
                               .kind = guest_kind_named("snbep"),
                               .backend = backend,
                               .shape = {1, CORES, 1},
                               .cache = cache,
                               .argv = argv,
                               .programs = programs,
                               .timeout_s = TIMEOUT_S,
                               .output = on_output,
                               .user = &g};
  struct vm_result result;
  char error[512] = "";
  uint64_t value = 0;
  (void)state;
  compose(text, sizeof text);
  if (vm_run(&o, error, sizeof error, &result) != PMON_OK) {
    print_error("%s\n%s\n", error, g.text[VM_CONSOLE]);
    fail();
  }
  if (result.exit_code != GUEST_EXIT)
    print_error("%s\n%s\n%s\n", g.text[VM_OUTPUT], g.text[VM_ERRORS], g.text[VM_CONSOLE]);
  assert_int_equal(result.exit_code, GUEST_EXIT);
  check_output(&g);
  assert_int_equal(machine_read(m, &written, &value), PMON_OK);
  assert_int_equal(value, 0x1f);
  assert_true(result.answered > 0 && result.answered < result.stops); /* some MSRs are the processor's own */
  print_message("Linux %s: %" PRIu64 " reads and %" PRIu64 " writes of registers, %" PRIu64 " stops\n", result.release,
                result.reads, result.writes, result.stops);
  print_violations(m);
  pmon_backend_close(backend);
  machine_free(m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tools_count_what_was_reported)};
  if (argc != 2)
    return 2;
  programs[0] = argv[1];
  if (!can_run(cache, sizeof cache))
    return SKIPPED;
  return cmocka_run_group_tests_name("vm-guest", tests, NULL, NULL);
}
