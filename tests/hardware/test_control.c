/* SPDX-License-Identifier: MIT */
/*
 * --control and -D -1 on a host: the measured program enables and disables the counters itself, in a tree of files
 * backed by the machine, whose time advances by the work that the program reports. CHA's clock counts the enabled time.
 */
#include <stdlib.h>
#include <sys/stat.h>
#include "tests/hardware/command.h"

/* `work` sets the time worked so far, in ms: eight bytes, the lowest first. */
static const char functions[] = "send() { echo \"$1\" >$tree/commands; read -r answer <$tree/answers\n"
                                "  [ \"$answer\" = ack ] || exit 9; }\n"
                                "work() { ns=$(($1 * 1000000)) bytes= i=0\n"
                                "  while [ $i -lt 8 ]; do\n"
                                "    bytes=$bytes\\\\$(printf %03o $((ns & 255))) ns=$((ns >> 8)) i=$((i + 1))\n"
                                "  done\n"
                                "  printf \"$bytes\" 1<>$tree/work; }\n";

/* Writes the measured program, and makes the FIFOs. */
static void write_program(const char *commands)
{
  static const char *const fifos[] = {"commands", "answers"};
  char path[100], text[1200];
  for (size_t i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", tree.root, fifos[i]);
    assert_int_equal(mkfifo(path, 0600), 0);
  }
  snprintf(text, sizeof text, "tree=%s\n%s%s", tree.root, functions, commands);
  tree_file(&tree, "program", text);
}

/* Measures the program. Returns the ticks of CHA 0 in package 0, and in *ret_seconds the measured time by the report;
 * `output` is CSV. */
static double count_ticks(const char *backend, const char *options, const char *commands, double *ret_seconds)
{
  static const char row[] = ",cha0/CLOCKTICKS/,0,cha,0,";
  char line[400];
  begin_kernel(NULL);
  tree_work(&tree);
  write_program(commands);
  snprintf(
      line, sizeof line,
      "stat -p emr --backend %s --csv --per-unit %s --control fifo:%s/commands,%s/answers -e cha0/CLOCKTICKS/ -- sh "
      "%s/program",
      backend, options, tree.root, tree.root, tree.root);
  const int code = run(line);
  const char *at = strstr(output, row), *begin = at;
  if ((code && code != 200) || !at) /* a kernel does not restore its counters' values */
    fail_msg("%s: %d: %s", line, code, output);
  while (begin > output && begin[-1] != '\n')
    begin--;
  double begin_s, end_s;
  assert_int_equal(sscanf(begin, "%lf,%lf,%lf", &begin_s, &end_s, ret_seconds), 3);
  tree_end(&tree);
  return strtod(at + strlen(row), NULL);
}

static const char *const backends[] = {"perf", "direct", "direct --freeze none"};

/* 2 ms and 8 ms of 31 ms are enabled. Registers are written while the counters are frozen; values contain what they
 * would have counted meanwhile, by the host's clock, on which this time can be long. */
static void the_enabled_times_are_counted(void **state)
{
  (void)state;
  double seconds;
  for (size_t i = 0; i < sizeof backends / sizeof *backends; i++) {
    const double whole = count_ticks(backends[i], "", "work 31\n", &seconds);
    const double enabled = count_ticks(backends[i], "-D -1",
                                       "work 1; send enable; work 3; send ping; send disable; work 7; send enable\n"
                                       "work 15; send disable; work 31\n",
                                       &seconds);
    if (whole < 1000 || enabled / whole * 31 < 9.99 || enabled / whole * 31 > 10.9)
      fail_msg("%s: %.0f ticks of %.0f", backends[i], enabled, whole);
  }
}

/* An event of a single name stays as it is, and nothing acknowledges the command; evlist names the events. */
static void single_events_are_not_enabled(void **state)
{
  (void)state;
  double seconds;
  const double whole = count_ticks("perf", "", "work 8\n", &seconds);
  const double counted = count_ticks("perf", "",
                                     "send evlist; echo 'disable cha0/CLOCKTICKS/' >$tree/commands; send ping\n"
                                     "work 8\n",
                                     &seconds);
  assert_true(whole > 1000 && counted == whole);
  assert_non_null(strstr(output, "cha0/CLOCKTICKS/\n"));
  assert_non_null(strstr(output,
                         "--control: \"disable cha0/CLOCKTICKS/\": a single event cannot be enabled or disabled, "
                         "because all values of a report are of the same time; send disable alone\n"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_enabled_times_are_counted),
                                     cmocka_unit_test(single_events_are_not_enabled)};
  return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
