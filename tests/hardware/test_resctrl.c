/* SPDX-License-Identifier: MIT */
/* Values of the kernel's resctrl: cache occupancy and memory bandwidth, of all groups, of one, and of the command. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "tests/hardware/command.h"
#include "tests/hardware/resctrl_tree.h"

enum { OCCUPANCY = 1, TOTAL, LOCAL };
#define VALID (UINT64_C(1) << 63)

static struct pmon_reason reason;

/* Opens the access method alone, for a group. */
static int open_group(const char *group, struct pmon_backend **ret_backend)
{
  struct pmon_access_method_info info = {.size = sizeof info};
  struct pmon_system system = tree.system;
  uint32_t i = 0;
  while (!pmon_access_method_describe(i, &info) && strcmp(info.name, "resctrl"))
    i++;
  system.resctrl_group = group;
  *reason.text = 0;
  return pmon_access_method_open(i, &system, &reason, ret_backend);
}

static uint64_t read_value(struct pmon_backend *b, uint32_t package, uint64_t event)
{
  const struct pmon_address a = {.package = package, .space = PMON_SPACE_RESCTRL, .width_bits = 64, .offset = event};
  uint64_t value = 0;
  if (b->ops->read(b, &a, &value))
    fail_msg("%s", b->error_text);
  return value;
}

static void a_value_is_the_sum_of_the_control_groups(void **state)
{
  (void)state;
  struct pmon_backend *b;
  begin();
  resctrl_mount(&tree);
  resctrl_add_group(&tree, "g1", 20, 40, 60);
  resctrl_add_group(&tree, "g1/mon_groups/m", 1, 2, 3);
  assert_int_equal(open_group(NULL, &b), 0);
  assert_true(read_value(b, 0, OCCUPANCY) == (VALID | 1020));
  assert_true(read_value(b, 1, OCCUPANCY) == (VALID | 1022));
  assert_true(read_value(b, 0, TOTAL) == (VALID | 5040));
  assert_true(read_value(b, 1, LOCAL) == (VALID | 3062));
  pmon_backend_close(b);
  tree_end(&tree);
}

static void a_group_is_read_alone(void **state)
{
  (void)state;
  static const struct {
    const char *group;
    uint64_t occupancy;
  } cases[] = {{".", 1000}, {"g1", 20}, {"g1/mon_groups/m", 1}, {"mon_groups/part", 100}};
  struct pmon_backend *b;
  begin();
  resctrl_mount(&tree);
  resctrl_add_group(&tree, "g1", 20, 40, 60);
  resctrl_add_group(&tree, "g1/mon_groups/m", 1, 2, 3);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_int_equal(open_group(cases[i].group, &b), 0);
    assert_true(read_value(b, 0, OCCUPANCY) == (VALID | cases[i].occupancy));
    pmon_backend_close(b);
  }
  assert_int_equal(open_group("g2", &b), PMON_E_NO_DEVICE);
  assert_non_null(strstr(reason.text, "no group g2"));
  assert_int_equal(open_group("g1/../g1", &b), PMON_E_INVALID);
  assert_int_equal(open_group("/g1", &b), PMON_E_INVALID);
  tree_end(&tree);
}

static void what_is_missing_is_named_with_its_remedy(void **state)
{
  (void)state;
  const struct pmon_address occupancy = {.space = PMON_SPACE_RESCTRL, .width_bits = 64, .offset = OCCUPANCY};
  struct pmon_backend *b;
  uint64_t value;
  begin();
  assert_int_equal(open_group(NULL, &b), PMON_E_NO_DEVICE);
  assert_non_null(strstr(reason.text, "rdt=cmt,mbmtotal,mbmlocal"));
  tree_file(&tree, RESCTRL_PATH "/x", ""); /* the folder is there */
  assert_int_equal(open_group(NULL, &b), PMON_E_NO_DEVICE);
  assert_non_null(strstr(reason.text, "mount -t resctrl resctrl /sys/fs/resctrl"));
  tree_file(&tree, RESCTRL_PATH "/info/L3/num_closids", "4\n"); /* allocation without monitoring */
  assert_int_equal(open_group(NULL, &b), PMON_E_NO_DEVICE);
  assert_non_null(strstr(reason.text, "does not monitor"));
  resctrl_mount(&tree);
  for (unsigned cache = 0; cache < 2; cache++) {
    tree_file(&tree,
              cache ? RESCTRL_PATH "/mon_data/mon_L3_01/llc_occupancy"
                    : RESCTRL_PATH "/mon_data/mon_L3_00/llc_occupancy",
              NULL);
  }
  assert_int_equal(open_group(NULL, &b), 0);
  assert_int_equal(b->ops->read(b, &occupancy, &value), PMON_E_NO_DEVICE);
  assert_non_null(strstr(b->error_text, "no llc_occupancy"));
  assert_int_equal(b->ops->write(b, &occupancy, 0), PMON_E_PERMISSION);
  pmon_backend_close(b);
  tree_end(&tree);
}

/* The kernel's words in place of a number, and a level of 0, which is one. */
static void a_value_that_the_kernel_does_not_have(void **state)
{
  (void)state;
  const struct pmon_address total = {.space = PMON_SPACE_RESCTRL, .width_bits = 64, .offset = TOTAL};
  struct pmon_backend *b;
  uint64_t value;
  begin();
  resctrl_mount(&tree);
  assert_int_equal(open_group(NULL, &b), 0);
  resctrl_set(&tree, ".", 0, "llc_occupancy", "0");
  assert_true(read_value(b, 0, OCCUPANCY) == VALID);
  resctrl_set(&tree, ".", 0, "mbm_total_bytes", "Unavailable");
  assert_true(read_value(b, 0, TOTAL) == UINT64_MAX);
  assert_true(read_value(b, 1, TOTAL) == (VALID | 5001));
  resctrl_set(&tree, ".", 0, "mbm_total_bytes", "Error");
  assert_int_equal(b->ops->read(b, &total, &value), PMON_E_IO);
  assert_non_null(strstr(b->error_text, "the kernel reports Error"));
  pmon_backend_close(b);
  tree_end(&tree);
}

/* The group's second file cannot be opened at first; the first one is then in the sum once, not twice. */
static void a_sum_after_a_failed_attempt_has_each_file_once(void **state)
{
  (void)state;
  const struct pmon_address occupancy = {.space = PMON_SPACE_RESCTRL, .width_bits = 64, .offset = OCCUPANCY};
  char path[256];
  struct pmon_backend *b;
  uint64_t value;
  begin();
  resctrl_mount(&tree);
  snprintf(path, sizeof path, "%s/" RESCTRL_PATH "/mon_data/mon_L3_01/llc_occupancy", tree.root);
  assert_int_equal(open_group(NULL, &b), 0);
  assert_true(!unlink(path) && !symlink("llc_occupancy", path)); /* ELOOP */
  for (int i = 0; i < 2; i++)
    assert_int_equal(b->ops->read(b, &occupancy, &value), PMON_E_IO);
  assert_int_equal(unlink(path), 0);
  resctrl_set(&tree, ".", 1, "llc_occupancy", "1001");
  assert_true(read_value(b, 0, OCCUPANCY) == (VALID | 1000));
  assert_true(read_value(b, 1, OCCUPANCY) == (VALID | 1001));
  pmon_backend_close(b);
  tree_end(&tree);
}

/* Bytes of a removed group leave the sum: the difference is not a count. A level is one at any time. */
static void bytes_are_unknown_over_a_change_of_the_groups(void **state)
{
  (void)state;
  struct pmon_backend *b;
  begin();
  resctrl_mount(&tree);
  assert_int_equal(open_group(NULL, &b), 0);
  assert_true(read_value(b, 0, TOTAL) == (VALID | 5000));
  assert_true(read_value(b, 0, OCCUPANCY) == (VALID | 1000));
  resctrl_add_group(&tree, "g1", 20, 40, 60);
  assert_true(read_value(b, 0, OCCUPANCY) == (VALID | 1020));
  assert_true(read_value(b, 0, TOTAL) == UINT64_MAX);
  assert_true(read_value(b, 0, TOTAL) == (VALID | 5040));
  pmon_backend_close(b);
  tree_end(&tree);
}

/* Writes a script that adds to values of a group while it is measured. */
static void write_command(const char *group, const char *more)
{
  char text[1024];
  snprintf(text, sizeof text,
           "r=%s/" RESCTRL_PATH "\nfor g in $r/%s; do\n  echo 7000 >$g/mon_data/mon_L3_00/mbm_total_bytes\n"
           "  echo 4000 >$g/mon_data/mon_L3_00/mbm_local_bytes\n  echo 9000 >$g/mon_data/mon_L3_01/llc_occupancy\n%s"
           "done\n",
           tree.root, group, more);
  tree_file(&tree, "command", text);
}

/* Checks the value of an event or metric in a package, from the CSV: a level is rounded to a byte in a microsecond. */
static void expect_level(const char *name, unsigned package, double level)
{
  char key[100];
  snprintf(key, sizeof key, ",%s,%u,resctrl,,", name, package);
  const char *at = strstr(output, key);
  if (!at)
    fail_msg("no %s in %s", key, output);
  const double value = strtod(at + strlen(key), NULL);
  if (fabs(value - level) > level * 1e-3)
    fail_msg("%s: %f instead of %f", name, value, level);
}

static void expect_command(const char *options, int code, const char *text)
{
  char line[400];
  snprintf(line, sizeof line, "stat --csv --per-socket %s -- sh %s/command", options, tree.root);
  expect(line, code, text);
}

static void commands_print_the_difference_and_the_level(void **state)
{
  (void)state;
  static const char *const backends[] = {"resctrl", "direct", "perf"};
  for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
    char options[200];
    begin_kernel(NULL);
    resctrl_mount(&tree);
    write_command(".", "");
    snprintf(options, sizeof options,
             "--backend %s -e resctrl/mbm_total_bytes/,resctrl/mbm_local_bytes/,resctrl/llc_occupancy/", backends[i]);
    expect_command(options, 0, ",resctrl/MBM_TOTAL_BYTES/,0,resctrl,,2000,bytes,");
    assert_non_null(strstr(output, ",resctrl/MBM_LOCAL_BYTES/,0,resctrl,,1000,bytes,"));
    assert_non_null(strstr(output, ",resctrl/MBM_LOCAL_BYTES/,1,resctrl,,0,bytes,"));
    expect_level("resctrl/LLC_OCCUPANCY/", 0, 1000);
    expect_level("resctrl/LLC_OCCUPANCY/", 1, 9000);
    tree_end(&tree);
  }
}

static void metrics_of_a_group(void **state)
{
  (void)state;
  begin_kernel(NULL);
  resctrl_mount(&tree);
  resctrl_add_group(&tree, "g1", 2000, 40, 60);
  expect("stat --backend perf --csv --duration 1 --resctrl-group g1 -g RDT", 0,
         ",L3_REMOTE_BANDWIDTH,0,resctrl,,0,bytes/s,");
  expect_level("L3_OCCUPANCY", 0, 2000);
  expect_level("L3_OCCUPANCY", 1, 2001);
  expect("stat --backend perf --csv --duration 1 --resctrl-group g3 -g RDT", 3, "resctrl has no group g3");
  expect("stat --backend direct --csv --per-socket --duration 1 -m L3_OCCUPANCY", 0, ",L3_OCCUPANCY,0,");
  expect_level("L3_OCCUPANCY", 0, 3000);
  tree_end(&tree);
}

/* The values are the kernel's: they mean the same on a processor without facts, and what is missing is not hidden by
 * the processor. */
static void an_unknown_processor_has_values_too(void **state)
{
  (void)state;
  static const char line[] = "stat -p emr --backend resctrl --csv --duration 1 -m L3_OCCUPANCY";
  begin();
  tree_file(&tree, "proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 1\nstepping\t: 1\n");
  expect(line, 3, "pmon stat: --backend resctrl: the kernel has no resctrl");
  assert_null(strstr(output, "no uncore counters are accessible"));
  resctrl_mount(&tree);
  expect(line, 0, ",L3_OCCUPANCY,0,");
  expect_level("L3_OCCUPANCY", 1, 1002);
  tree_end(&tree);
}

static void without_a_mount_other_metrics_are_measured(void **state)
{
  (void)state;
  begin_kernel(NULL);
  expect("stat --backend direct --csv --duration 1 -m L3_OCCUPANCY", 3, "the kernel has no resctrl");
  expect("stat --backend perf --csv -m L3_OCCUPANCY -- true", 3, "the kernel has no resctrl");
  run("stat --backend perf --csv -m MEM_READ_BANDWIDTH,L3_OCCUPANCY -- true"); /* the tree's clocks never advance */
  assert_non_null(strstr(output, ",MEM_READ_BANDWIDTH,0,"));
  assert_non_null(strstr(output, "the kernel has no resctrl"));
  expect("doctor", 0, "the values of unit resctrl are not available: the kernel has no resctrl");
  tree_end(&tree);
}

/* Returns the number of files and folders named pmon-* in a folder of the tree. */
static unsigned left_in(const char *folder)
{
  char path[128];
  unsigned n = 0;
  snprintf(path, sizeof path, "%s/%s", tree.root, folder);
  DIR *dir = opendir(path);
  assert_non_null(dir);
  for (struct dirent *e; (e = readdir(dir));)
    n += !strncmp(e->d_name, "pmon-", 5);
  closedir(dir);
  return n;
}

static unsigned groups_left(void)
{
  return left_in(RESCTRL_PATH "/mon_groups");
}

static unsigned journals_left(void)
{
  return left_in(".");
}

/* The command is in the group before it starts, and the group is gone at the end, also of groups that were left. */
static void the_command_has_a_group_of_its_own(void **state)
{
  (void)state;
  begin_kernel(NULL);
  resctrl_mount(&tree);
  resctrl_add_group(&tree, "mon_groups/pmon-1", 1, 1, 1); /* the tree's /proc has no such process */
  write_command("mon_groups/pmon-*", "  [ \"$(cat $g/tasks)\" = $$ ] || exit 9\n");
  expect_command("--resctrl-new --backend resctrl -e resctrl/mbm_total_bytes/", 0,
                 ",resctrl/MBM_TOTAL_BYTES/,0,resctrl,,7000,bytes,");
  assert_non_null(strstr(output, "removed a group that a killed pmon left"));
  assert_int_equal(groups_left(), 0);
  expect_command("--resctrl-new --backend perf -r 2 -e resctrl/mbm_total_bytes/", 0, ",resctrl/MBM_TOTAL_BYTES/,0,");
  assert_int_equal(groups_left(), 0);
  tree_end(&tree);
}

/* However pmon ends: by a signal that it handles, or one that it does not. The process that removes the group has the
 * command's output open, to whose end the test reads. */
static void the_group_is_removed_after_signals(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int code;
  } signals[] = {{"INT", 130}, {"TERM", 143}, {"KILL", -1}};
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    char more[80];
    begin_kernel(NULL);
    setenv("XDG_RUNTIME_DIR", tree.root, 1);
    resctrl_mount(&tree);
    snprintf(more, sizeof more, "  kill -%s $PPID\n%s", signals[i].name,
             signals[i].code < 0 ? "" : "  exec sleep 30\n");
    write_command("mon_groups/pmon-*", more);
    expect_command("--resctrl-new --backend resctrl -e resctrl/mbm_total_bytes/", signals[i].code, "");
    assert_int_equal(groups_left(), 0);
    assert_int_equal(journals_left(), 0); /* only values are read, so that nothing is to be restored */
    tree_end(&tree);
  }
}

static void a_group_that_cannot_be_made(void **state)
{
  (void)state;
  static const struct {
    int error;
    const char *text;
  } cases[] = {{ENOSPC, "no monitoring id is free"}, {EACCES, "this needs root"}};
  begin_kernel(NULL);
  resctrl_mount(&tree);
  for (size_t i = 0; i < 2; i++) {
    resctrl_mkdir_error = cases[i].error;
    expect("stat --resctrl-new --backend resctrl -m L3_OCCUPANCY -- true", 3, cases[i].text);
    assert_int_equal(groups_left(), 0);
  }
  resctrl_mkdir_error = 0;
  expect("stat --resctrl-new --backend resctrl -m L3_OCCUPANCY --duration 1", 2, "needs a command");
  expect("stat --resctrl-new --resctrl-group g1 --backend resctrl -m L3_OCCUPANCY -- true", 2, "cannot be combined");
  expect("stat --resctrl-group g1 --backend machine -m L3_OCCUPANCY -- true", 2, "the emulated machine has no groups");
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_value_is_the_sum_of_the_control_groups),
      cmocka_unit_test(a_group_is_read_alone),
      cmocka_unit_test(what_is_missing_is_named_with_its_remedy),
      cmocka_unit_test(a_value_that_the_kernel_does_not_have),
      cmocka_unit_test(a_sum_after_a_failed_attempt_has_each_file_once),
      cmocka_unit_test(bytes_are_unknown_over_a_change_of_the_groups),
      cmocka_unit_test(commands_print_the_difference_and_the_level),
      cmocka_unit_test(metrics_of_a_group),
      cmocka_unit_test(an_unknown_processor_has_values_too),
      cmocka_unit_test(without_a_mount_other_metrics_are_measured),
      cmocka_unit_test(the_command_has_a_group_of_its_own),
      cmocka_unit_test(the_group_is_removed_after_signals),
      cmocka_unit_test(a_group_that_cannot_be_made),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
