/* SPDX-License-Identifier: MIT */
/*
 * Granite Rapids and Sierra Forest by their discovery pages: a tree whose page has their unit types, names from event
 * files, and register accesses at the page's addresses. The units behind the page are those of a small Emerald Rapids,
 * with the newer processors' types; what differs otherwise is what the page says.
 * usage: test_pages SAMPLE, a checkout of event files (tests/import/perfmon)
 */
#include <stdlib.h>
#include "tests/hardware/command.h"
#include "machine/capture.h"

enum { WORDS = 4096, PACKAGES = 2 };

static const char *sample;

/* Unit types of these processors that replace those of Emerald Rapids. Source: Linux, uncore_discovery.h and
 * uncore_snbep.c (6.12): B2HOT, B2CMI, B2UPI, MDF SBO. */
static uint64_t newer_type(uint64_t type)
{
  static const uint16_t types[][2] = {{3, 15}, {7, 16}, {9, 18}, {11, 20}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (type == types[i][0])
      return types[i][1];
  return type;
}

/* Changes the machine's pages to these types. */
static void change_pages(void)
{
  struct pmon_context *context;
  struct pmon_capture *capture;
  char *text = NULL;
  size_t size;
  FILE *f = open_memstream(&text, &size);
  assert_non_null(f);
  fputs("pmon-capture 2\nplatform emr\npackage 0 id 0 cpu 0 online 2\npackage 1 id 1 cpu 2 online 2\n", f);
  for (uint32_t p = 0; p < PACKAGES; p++) {
    struct pmon_address a = {.package = p, .space = PMON_SPACE_MMIO, .width_bits = 64, .device = PMON_BAR_DISCOVERY};
    static uint64_t page[WORDS];
    uint32_t n = 0;
    for (; n < WORDS && !machine_read(tree.machine, &a, &page[n]); n++)
      a.offset += 8;
    assert_true(n > 16 && n < WORDS);
    fprintf(f, "page %u %u\n", p, n);
    for (uint32_t w = 0; w < n; w++) {
      const bool names_type = w >= 8 && w % 8 == 2 && page[w - 2];
      const uint64_t word = names_type ? (page[w] & ~UINT64_C(0xffff)) | newer_type(page[w] & 0xffff) : page[w];
      if (word)
        fprintf(f, "words %u 0x%llx\n", w, (unsigned long long)word);
    }
  }
  fputs("end 0\n", f);
  fclose(f);
  assert_int_equal(pmon_context_new(&context), 0);
  if (pmon_capture_parse(context, "pages", text, size, &capture))
    fail_msg("%s", pmon_context_error(context));
  assert_int_equal(machine_capture_load(tree.machine, capture, NULL, NULL), 0);
  tree_add_memory(&tree);
  pmon_capture_free(capture);
  pmon_context_free(context);
  free(text);
}

/* Makes the tree of such a processor, and in it named.platform: units of its page, names of its event file. */
static void begin_server(unsigned model, const char *events, const char *imported)
{
  char text[400];
  begin();
  snprintf(text, sizeof text,
           "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: %u\nmodel name\t: X\nstepping\t: 1\n", model);
  tree_file(&tree, "proc/cpuinfo", text);
  change_pages();
  snprintf(text, sizeof text, "discover -o %s/page.platform", tree.root);
  expect(text, 0, "");
  snprintf(text, sizeof text, "import %s/%s --as %s/page.platform --name named -o %s", sample, events, tree.root,
           tree.root);
  expect(text, 0, imported);
}

/* An event, and the expected write of its control in the second package. */
struct written {
  const char *event, *write;
};

static void check_events(const struct written *rows, size_t n)
{
  char line[400];
  for (size_t i = 0; i < n; i++) {
    snprintf(line, sizeof line, "stat -p %s/named.platform --backend direct --dry-run -e %s -- true", tree.root,
             rows[i].event);
    expect(line, 0, rows[i].write);
    snprintf(line, sizeof line, "stat -p %s/named.platform --backend direct --csv -e %s -- true", tree.root,
             rows[i].event);
    expect(line, 0, ",direct,");
    if (strstr(output, "unavailable") || strstr(output, "PMON_E_"))
      fail_msg("%s: %s", rows[i].event, output);
  }
}

/* The clocks of the CHAs, two in each package, at the page's addresses: the command's work takes 100 us of the
 * machine's time (0x186a0 ns), at 2.2 GHz. */
static void clocks_count(const char *event)
{
  char line[400];
  tree_work(&tree);
  tree_file(&tree, "ns", "\xa0\x86\x01");
  snprintf(line, sizeof line,
           "stat -p %s/named.platform --backend direct --csv -e %s -- dd if=%s/ns of=%s/work "
           "conv=notrunc status=none",
           tree.root, event, tree.root, tree.root);
  expect(line, 0, ",,type0,,");
  const double total = strtod(strstr(output, ",,type0,,") + strlen(",,type0,,"), NULL);
  if (total < 4 * 219000 || total > 4 * 221000)
    fail_msg("%.17g in %s", total, output);
}

static void granite_rapids(void **state)
{
  (void)state;
  static const struct written rows[] = {
      {"UNC_CHA_LLC_LOOKUP.RFO", "write 1 msr 0x2012 64 0x1bc80000ff34 "},
      {"UNC_IIO_DATA_REQ_OF_CPU.PEER_WRITE.PART0", "write 1 msr 0x3002 64 0x7001000000283 "},
      {"UNC_B2CMI_IMC_READS.NORMAL", "write 1 pci 382:12.0 0x468 32 0x124 "},
      {"UNC_M_CAS_COUNT_SCH0.RD", " 0xcf05 "},
      {"UNC_M_CAS_COUNT_SCH1.RD", " 0xcf06 "},
  };
  begin_server(173, "GNR/events/graniterapids_uncore.json", "named.platform: 6 events, 0 omitted");
  check_events(rows, sizeof rows / sizeof *rows);
  clocks_count("UNC_CHA_CLOCKTICKS");
  tree_end(&tree);
}

static void sierra_forest(void **state)
{
  (void)state;
  static const struct written rows[] = {
      {"UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT", "write 1 msr 0x2012 64 0xc827fe00000135 "},
      {"UNC_IIO_DATA_REQ_OF_CPU.MEM_WRITE.PART2", "write 1 msr 0x3002 64 0x7004000000183 "},
      {"UNC_B2CMI_IMC_READS.ALL", "write 1 pci 382:12.0 0x468 32 0x424 "},
      {"UNC_M_CAS_COUNT_SCH0.WR", " 0xf005 "},
  };
  begin_server(175, "SRF/events/sierraforest_uncore.json", "named.platform: 4 events, 0 omitted");
  check_events(rows, sizeof rows / sizeof *rows);
  clocks_count("type0/config=0x1/");
  tree_end(&tree);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(granite_rapids),
      cmocka_unit_test(sierra_forest),
  };
  if (argc != 2)
    return 2;
  sample = argv[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
