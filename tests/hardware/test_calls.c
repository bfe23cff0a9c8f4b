/* SPDX-License-Identifier: MIT */
/* The command while one of its calls fails, each in turn: what it says then is whole, or says why not. */
#include <glob.h>
#include <stdlib.h>
#include "tests/hardware/command.h"

static char whole[sizeof output];

static unsigned count(const char *text, const char *part)
{
  unsigned n = 0;
  for (const char *at = text; (at = strstr(at, part)); at++)
    n++;
  return n;
}

static bool says_why(void)
{
  static const char *const words[] = {"Operation not permitted", "refused the access", "Input/output error",
                                      "the transfer was cut short", "neither CPUID nor /proc/cpuinfo"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(output, words[i]))
      return true;
  return false;
}

static bool has_journal(void)
{
  char pattern[100];
  glob_t found = {0};
  snprintf(pattern, sizeof pattern, "%s/*.journal", tree.root);
  glob(pattern, 0, NULL, &found);
  const bool any = found.gl_pathc;
  globfree(&found);
  return any;
}

/* Runs it once whole, and once with each `step`-th open or access failing. `same`: whether what it said is no less. */
struct trial { const char *line; bool opens; unsigned step; bool (*same)(void); };

static void fail_each(const struct trial *t, enum tree_fault fault)
{
  tree.fail_open = tree.fail_access = 0;
  setenv("XDG_RUNTIME_DIR", tree.root, 1);
  assert_int_equal(run(t->line), 0);
  strcpy(whole, output);
  const uint64_t n = t->opens ? made->opens : made->accesses;
  assert_true(n > 20);
  tree.fault = fault;
  for (uint64_t i = 1; i <= n; i += t->step) {
    tree.fail_open = t->opens ? tree.opens + i : 0;
    tree.fail_access = t->opens ? 0 : tree.accesses + i;
    const int code = run(t->line);
    if (code >= 100 || code < 0 || has_journal())
      fail_msg("%s, call %u: %d, registers or a journal are left: %s", t->line, (unsigned)i, code, output);
    if (code ? !says_why() : !t->same() && !says_why())
      fail_msg("%s, call %u: %d, says less and not why: %s", t->line, (unsigned)i, code, output);
  }
  tree.fail_open = tree.fail_access = 0;
}

/* The counters of Linux perf had no time: that of others, or where they have none for long, an offline CPU's. Which of
 * the two is said hangs on how long the command took. */
static unsigned without_time(const char *text)
{
  return count(text, "its turn on the counters did not come") + count(text, "the counter cannot be read");
}

/* A row for each value; the machine's clocks stand still here, so that none has a number for a reason that is told. */
static bool same_rows(void)
{
  static const char *const parts[] = {"\n", ",stuck,"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (count(output, parts[i]) != count(whole, parts[i]))
      return false;
  return without_time(output) == without_time(whole);
}

static bool same_text(void)
{
  return !strcmp(output, whole);
}

static void test_registers(void **state)
{
  static const char line[] = "stat -p emr --backend direct --csv -e "
                             "cha0/CLOCKTICKS/,upi0/CLOCKTICKS/,imc0/CAS_COUNT.RD/ -- true";
  (void)state;
  begin();
  fail_each(&(struct trial){line, true, 1, same_rows}, TREE_EPERM);
  fail_each(&(struct trial){line, false, 1, same_rows}, TREE_EPERM);
  fail_each(&(struct trial){line, false, 1, same_rows}, TREE_EIO);
  fail_each(&(struct trial){line, false, 1, same_rows}, TREE_SHORT);
  tree_end(&tree);
}

static void test_linux_perf(void **state)
{
  (void)state;
  begin_kernel(NULL);
  fail_each(&(struct trial){"stat -p emr --backend perf --csv -e upi/CLOCKTICKS/,m2m/CLOCKTICKS/ -- true", true, 1,
                            same_rows},
            TREE_EPERM);
  tree_end(&tree);
}

static void test_doctor(void **state)
{
  (void)state;
  begin_kernel(NULL);
  fail_each(&(struct trial){"doctor", true, 3, same_text}, TREE_EPERM);
  fail_each(&(struct trial){"doctor", false, 13, same_text}, TREE_EPERM);
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_registers), cmocka_unit_test(test_linux_perf), cmocka_unit_test(test_doctor),
  };
  return cmocka_run_group_tests_name("calls", tests, NULL, NULL);
}
