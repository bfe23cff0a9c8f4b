/* SPDX-License-Identifier: MIT */
/* Commands on processors without facts, on units of a discovery page, and on pages that differ from the tables. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/hardware/command.h"

/* Names from an event file for a platform that numbers its units; names without a unit are left out, and reported. */
static void name_the_units(void)
{
  char line[300];
  tree_file(&tree, "events.json",
            "[{\"Unit\":\"CHA\",\"EventName\":\"UNC_CHA_CLOCKTICKS\",\"EventCode\":\"0x01\",\"UMask\":\"0x00\","
            "\"Counter\":\"0,1,2,3\"},"
            "{\"Unit\":\"CHA\",\"EventName\":\"UNC_CHA_TOR_INSERTS.IA\",\"EventCode\":\"0x35\",\"UMask\":\"0x01\","
            "\"UMaskExt\":\"0xC001FF\",\"Counter\":\"0,1,2,3\"},"
            "{\"Unit\":\"UPI LL\",\"EventName\":\"UNC_UPI_CLOCKTICKS\",\"EventCode\":\"0x01\",\"UMask\":\"0x00\","
            "\"Counter\":\"0\"},"
            "{\"Unit\":\"XYZ\",\"EventName\":\"UNC_XYZ_CLOCKTICKS\",\"EventCode\":\"0x01\",\"UMask\":\"0x00\","
            "\"Counter\":\"0\"}]");
  snprintf(line, sizeof line, "import %s/events.json --as %s/mine.platform --name named -o %s", tree.root, tree.root,
           tree.root);
  expect(line, 0, "named.platform: 3 events, 1 omitted, registers of mine");
  assert_non_null(strstr(output, "object 4 (UNC_XYZ_CLOCKTICKS): the platform has no unit \"XYZ\""));
  snprintf(line, sizeof line,
           "stat -p %s/named.platform --backend direct --dry-run -e UNC_CHA_TOR_INSERTS.IA "
           "-- true",
           tree.root);
  expect(line, 0, "write 1 msr 0x2012 64 0xc001ff00000135 ");
  snprintf(line, sizeof line, "stat -p %s/named.platform --backend direct --csv -e cha1/CLOCKTICKS/ -- true",
           tree.root);
  expect(line, NO_VALUE, "CLOCKTICKS/,0,type0,");
  snprintf(line, sizeof line, "import %s/events.json --as %s/other.platform -o %s", tree.root, tree.root, tree.root);
  expect(line, 1, "other.platform");
}

static const char foreign[] = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 250\nstepping\t: 1\n";

/* A processor without facts: a platform is made from its page, and raw events are measured on it. */
static void test_a_processor_without_facts(void **state)
{
  (void)state;
  char line[300];
  begin();
  tree_file(&tree, "proc/cpuinfo", foreign);
  expect("doctor", 3,
         "! this processor (GenuineIntel, family 6, model 250, stepping 1): pmon has no tables for it; "
         "pmon discover -o FILE.platform makes some");
  expect("stat -e cha/CLOCKTICKS/ -- true", 0, "this processor has no tables (pmon discover -o FILE.platform makes");
  expect("stat -p emr --backend direct -e cha/CLOCKTICKS/ -- true", 3,
         "-p emr: no tables for this processor (GenuineIntel, family 6, model 250); pmon discover -o");
  snprintf(line, sizeof line, "discover -o %s/mine.platform", tree.root);
  expect(line, 0, "this processor has no tables: unit types have the names of emr and are compared with it\n");
  /* Units in configuration space, on the system's bus numbers: UPI of both packages, 7eh and feh. */
  snprintf(line, sizeof line, "stat -p %s/mine.platform --backend direct --dry-run -e type8/config=0x1/ -- true",
           tree.root);
  expect(line, 0, "write 0 pci 382:1.1 0x");
  assert_non_null(strstr(output, "write 1 pci 382:1.1 0x"));
  snprintf(line, sizeof line, "stat -p %s/mine.platform --backend direct --dry-run -e type0/config=0x1/ -- true",
           tree.root);
  expect(line, 0, "write 1 msr 0x2012 64 0x1 ");
  /* Without --backend its registers are used, also those in memory. */
  snprintf(line, sizeof line, "stat -p %s/mine.platform --per-unit -e type0/config=0x1/,type6/config=0x1/ -- true",
           tree.root);
  expect(line, 0, "direct, 2 sockets");
  snprintf(line, sizeof line, "doctor -p %s/mine.platform", tree.root);
  expect(line, 3, "pmon has no tables for it");
  assert_ptr_equal(strchr(output, '!'), strrchr(output, '!'));
  snprintf(line, sizeof line, "capture -p %s/mine.platform -o %s/mine.txt", tree.root, tree.root);
  expect(line, 0, "");
  snprintf(line, sizeof line, "capture -p %s/mine.platform --replay %s/mine.txt", tree.root, tree.root);
  expect(line, 0, "platform mine\ncpu GenuineIntel 6 250 1\n");
  assert_non_null(strstr(output, "unit 1 type0 1\n"));
  snprintf(line, sizeof line, "stat -p %s/mine.platform --replay %s/mine.txt -e type8/config=0x1/,type6/config=2/",
           tree.root, tree.root);
  expect(line, 0, "mine on capture, 2 sockets");
  name_the_units();
  tree_end(&tree);
}

/* The tables of another processor are not used to write registers, unless that is requested. */
static void test_another_processors_registers(void **state)
{
  char line[200];
  (void)state;
  begin();
  expect("stat -p snbep --backend direct -e cbo/CLOCKTICKS/ -- true", 3,
         "-p snbep: this processor is of platform emr, whose registers can have other meanings; use -p emr, or add "
         "--force");
  expect("stat -p snbep --backend direct --dry-run -e cbo/CLOCKTICKS/ -- true", 3, "none of the plan's units exists");
  tree_file(&tree, "proc/cpuinfo", foreign);
  snprintf(line, sizeof line, "discover -o %s/mine.platform", tree.root);
  expect(line, 0, "cha");
  tree_file(&tree, "proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nstepping\t: 2\n");
  snprintf(line, sizeof line, "stat -p %s/mine.platform --backend direct -e type0/config=1/ -- true", tree.root);
  expect(line, 3, "mine: this processor is of platform emr");
  snprintf(line, sizeof line, "stat -p %s/mine.platform --backend direct --force -e type0/config=1/ -- true",
           tree.root);
  expect(line, 0, "direct, 2 sockets");
  tree_end(&tree);
}

/* The entry of CHA 1 in the captured page. */
#define CHA_1 "words 16 0x108300204 0x2010 "

/* The entry of the PCU, which has type 4. */
#define PCU "words 48 0x108300204 0x2fc0 0x200000004"

static char *capture(void)
{
  static char text[sizeof output];
  expect("capture", 0, CHA_1);
  return strcpy(text, output);
}

/* A machine whose CHA 1 differs from the other CHAs of its page, as captured: fewer and narrower counters at other
 * places. */
static void test_a_single_unit_is_repaired(void **state)
{
  char line[300], *at, *text;
  (void)state;
  begin();
  text = capture();
  for (at = text; (at = strstr(at, CHA_1));)
    memcpy(at + 9, "0x30a280602", 11); /* 2 counters of 40 bits, at 6 and 0xa, their status at 3 */
  tree_file(&tree, "odd.txt", text);
  snprintf(line, sizeof line, "discover --replay %s/odd.txt --repair %s/odd.platform", tree.root, tree.root);
  expect(line, 0, "  ! cha 1: counters of 40 bits in the page, of 48 in the tables\n");
  assert_null(strstr(output, "leaves"));
  snprintf(line, sizeof line, "discover -p %s/odd.platform --replay %s/odd.txt", tree.root, tree.root);
  expect(line, 0, "package 0");
  assert_null(strstr(output, "! cha 1"));
  snprintf(line, sizeof line, "show -p %s/odd.platform cha", tree.root);
  assert_int_equal(run(line), 0);
  assert_non_null(strstr(output, "cha1: 2 counters of 40 bits"));
  tree_end(&tree);
}

/* One unit of the page has a type without a table: a platform file cannot express it, and the message reports that. */
static void test_what_cannot_be_repaired_is_reported(void **state)
{
  char line[300], *at, *text;
  (void)state;
  begin();
  text = capture();
  at = strstr(text, PCU);
  assert_non_null(at);
  at[sizeof PCU - 2] = 'd';
  at[sizeof PCU - 3] = '3'; /* type 3dh */
  tree_file(&tree, "odd.txt", text);
  snprintf(line, sizeof line, "discover --replay %s/odd.txt --repair %s/odd.platform", tree.root, tree.root);
  expect(line, 0, "odd.platform: 1 difference remains, in units whose type has no tables");
  tree_end(&tree);
}

/* A machine whose page has CHA 1 at another address: captured, found, repaired by a file, and measured with that
 * file. */
static void test_a_page_that_disagrees_is_repaired(void **state)
{
  char line[300], *at, *text;
  (void)state;
  begin();
  text = capture();
  for (at = text; (at = strstr(at, CHA_1));)
    memcpy(at + 21, "0x2020", 6);
  for (at = text; (at = strstr(at, "msr 0x201")); at++)
    at[8] = '2'; /* 201xh in the tables is 202xh in this machine */
  tree_file(&tree, "broken.txt", text);
  snprintf(line, sizeof line, "doctor --replay %s/broken.txt", tree.root);
  expect(line, 3,
         "! discovery page of package 0: cha 1: address 0x2020 in the page, 0x2010 in the tables: pmon "
         "discover lists");
  snprintf(line, sizeof line, "discover --replay %s/broken.txt --repair %s/fixed.platform", tree.root, tree.root);
  expect(line, 0, "  ! cha 1: address 0x2020 in the page, 0x2010 in the tables\n");
  assert_null(strstr(output, "leaves"));
  snprintf(line, sizeof line, "stat -p %s/fixed.platform --replay %s/broken.txt --dry-run -e cha1/CLOCKTICKS/",
           tree.root, tree.root);
  expect(line, 0, "write 0 msr 0x2022 64 0x1 ");
  snprintf(line, sizeof line, "doctor -p %s/fixed.platform --replay %s/broken.txt", tree.root, tree.root);
  expect(line, 0, "all counters are available");
  /* On a host of the platform that the file imports, its registers are used without --backend. */
  snprintf(line, sizeof line, "stat -p %s/fixed.platform -e cha0/CLOCKTICKS/ -- true", tree.root);
  expect(line, NO_VALUE, "fixed on direct, 2 sockets");
  tree_end(&tree);
}

static void test_discover_through_the_access_methods(void **state)
{
  char line[200], *at, *text;
  (void)state;
  begin();
  expect("discover -p emr", 0, "cha: 2 in the page, 64 in the tables");
  assert_non_null(strstr(output, "mmio  4 counters of 48 bits from 0xe8022800"));
  assert_non_null(strstr(output, "\n           global status position 4-5\n"));
  text = capture();
  for (at = text; (at = strstr(at, CHA_1 "0x5"));)
    memcpy(at + strlen(CHA_1), "0x9", 3);
  tree_file(&tree, "apart.txt", text);
  snprintf(line, sizeof line, "discover -p emr --replay %s/apart.txt", tree.root);
  expect(line, 0, "\n           global status position 4, 9\n");
  tree_end(&tree);
}

/* A unit of which only the kernel's names are known (memory on the package) does not prevent measuring the others by
 * registers. */
static void test_sapphire_rapids_by_registers_and_by_perf(void **state)
{
  (void)state;
  begin_as("spr");
  expect("stat --backend direct -e cha/CLOCKTICKS/,upi/CLOCKTICKS/ -- true", NO_VALUE, "spr on direct, 2 sockets");
  expect("stat --backend direct -e hbm/CLOCKTICKS/ -- true", 2, "register addresses of unit hbm are not known");
  expect("stat --backend direct -m MEM_VOLUME,HBM_READ_BANDWIDTH -- true", 0, "\nMEM_VOLUME");
  assert_non_null(strstr(output, "read: the register addresses of unit hbm are not known"));
  expect("doctor", 0, "all counters are available");
  assert_null(strstr(output, "through Linux perf only"));
  tree_end(&tree);
  begin_kernel_as("spr", NULL);
  expect("stat -e cha/CLOCKTICKS/,upi/CLOCKTICKS/ -- true", NO_VALUE, "spr on direct");
  expect("stat --backend perf -e cha/CLOCKTICKS/,upi/CLOCKTICKS/ -- true", 0, "spr on perf, 2 sockets");
  tree_end(&tree);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_sapphire_rapids_by_registers_and_by_perf),
                                     cmocka_unit_test(test_a_processor_without_facts),
                                     cmocka_unit_test(test_another_processors_registers),
                                     cmocka_unit_test(test_a_page_that_disagrees_is_repaired),
                                     cmocka_unit_test(test_what_cannot_be_repaired_is_reported),
                                     cmocka_unit_test(test_a_single_unit_is_repaired),
                                     cmocka_unit_test(test_discover_through_the_access_methods)};
  return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
