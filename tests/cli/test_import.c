/* SPDX-License-Identifier: MIT */
/*
 * Round trip of event files: `pmon import` reads the output of `pmon list --format perf-json` back to the same register
 * values, row by row; and errors in event files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>
#include <pmon/pmon.h>

static const char *pmon;
static char folder[] = "/tmp/pmon-import-XXXXXX";

/* Runs a shell command in which %P is the command under test and %D the folder. Returns its exit status; output: both
 * of its output streams. */
static int import_run(const char *command, char *output, size_t size)
{
  char line[2048];
  size_t n = 0;
  for (const char *c = command; *c; c++) {
    const char *put = c[0] == '%' && c[1] == 'P' ? pmon : c[0] == '%' && c[1] == 'D' ? folder : NULL;
    n += (size_t)(put ? snprintf(line + n, sizeof line - n, "%s", put) : snprintf(line + n, sizeof line - n, "%c", *c));
    c += put != NULL;
    assert_true(n < sizeof line);
  }
  FILE *f = popen(line, "r");
  assert_non_null(f);
  size_t got = fread(output, 1, size - 1, f);
  output[got] = 0;
  int status = pclose(f);
  return status < 0 ? status : status >> 8;
}

static void import_write_file(const char *name, const char *text)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "we");
  assert_non_null(f);
  assert_true(fputs(text, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

/* Fails the test unless both platforms encode the event alike: the same refusal, or the same registers on each
 * counter. */
static void import_compare(struct pmon_context *c, const struct pmon_platform *const p[2], const char *text)
{
  struct pmon_event *e[2] = {NULL, NULL};
  struct pmon_image image[2];
  int status[2];
  for (int i = 0; i < 2; i++)
    status[i] = pmon_event_resolve(c, p[i], text, &e[i]);
  if (status[0] != status[1])
    fail_msg("%s: %s and %s (%s)", text, pmon_status_name(status[0]), pmon_status_name(status[1]),
             pmon_context_error(c));
  for (uint32_t counter = 0; !status[0] && counter < 32; counter++) {
    memset(image, 0, sizeof image);
    for (int i = 0; i < 2; i++)
      status[i] = pmon_event_encode(e[i], 1, 0, counter, &image[i]);
    assert_int_equal(status[0], status[1]);
    if (status[0])
      continue;
    assert_int_equal(image[0].n, image[1].n);
    assert_int_equal(image[0].counter.offset, image[1].counter.offset);
    assert_int_equal(image[0].width_bits, image[1].width_bits);
    for (uint32_t r = 0; r < image[0].n; r++) {
      const struct pmon_image_register *a = &image[0].registers[r], *b = &image[1].registers[r];
      if (a->address.offset != b->address.offset || a->address.device != b->address.device || a->value != b->value ||
          a->mask != b->mask)
        fail_msg("%s on counter %u: 0x%llx at 0x%llx and 0x%llx at 0x%llx", text, counter, (unsigned long long)a->value,
                 (unsigned long long)a->address.offset, (unsigned long long)b->value,
                 (unsigned long long)b->address.offset);
    }
  }
  pmon_event_free(e[0]);
  pmon_event_free(e[1]);
}

/* Compares each row under each unit that counts it; returns the number of comparisons. */
static size_t compare_all(struct pmon_context *c, const struct pmon_platform *const p[2], const char *without)
{
  struct pmon_unit_info u = {.size = sizeof u};
  size_t n = 0;
  for (uint32_t unit = 0; pmon_unit_describe(p[0], unit, &u) == PMON_OK; unit++) {
    struct pmon_event_cursor at = {0};
    struct pmon_event_info e = {.size = sizeof e};
    while (u.registers && u.counters && pmon_event_next(p[0], UINT32_MAX, &at, &e)) {
      char text[512];
      struct pmon_event *event;
      snprintf(text, sizeof text, "%s/%s%s%s/", u.name, e.event, e.umask ? "." : "", e.umask ? e.umask : "");
      bool own = strcmp(e.unit, u.name) == 0;
      if (!own && strcmp(e.unit, "cms") != 0)
        continue;
      if (!own && pmon_event_resolve(c, p[0], text, &event) != PMON_OK)
        continue;
      if (!own)
        pmon_event_free(event);
      if (*without && strstr(text, without))
        continue;
      import_compare(c, p, text);
      n++;
    }
  }
  return n;
}

static void import_round_trip(const char *name, const char *without, size_t least)
{
  char command[512], output[4096];
  struct pmon_context *c;
  const struct pmon_platform *p[2];
  snprintf(command, sizeof command,
           "'%%P' -p %s list --format perf-json > %%D/%s.json && "
           "'%%P' import %%D/%s.json -o %%D/my-%s.platform 2>&1",
           name, name, name, name);
  if (import_run(command, output, sizeof output) != 0 || !strstr(output, " 0 omitted") || strstr(output, "object"))
    fail_msg("%s", output);
  assert_int_equal(pmon_context_new(&c), PMON_OK);
  snprintf(command, sizeof command, "%s/my-%s.platform", folder, name);
  if (pmon_context_load(c, command) != PMON_OK)
    fail_msg("%s", pmon_context_error(c));
  p[1] = pmon_platform_get(c, 0);
  assert_int_equal(pmon_platform_find(c, name, &p[0]), PMON_OK);
  assert_ptr_not_equal(p[0], p[1]);
  size_t n = compare_all(c, p, without);
  if (n < least)
    fail_msg("only %zu rows compared", n);
  pmon_context_free(c);
}

static void emr_rows_round_trip(void **state)
{
  (void)state;
  import_round_trip("emr", "", 4200);
}

/* Linux has no PMU that reads the residency counters, so event files cannot name them. */
static void snbep_rows_round_trip(void **state)
{
  (void)state;
  import_round_trip("snbep", "_RESIDENCY/", 420);
}

/* Checks that the object has only what perf's table compiler and the kernel's PMUs understand. */
static void check_object(const json_t *object)
{
  static const char *const keys[] = {
      "BriefDescription", "Counter", "CounterType", "EventCode",  "EventName", "PerPkg", "UMask",
      "PortMask",         "FCMask",  "ExtSel",      "EdgeDetect", "Invert",    "Filter", "Unit",
  };
  static const char *const terms[] = {
      "occ_sel",  "occ_invert", "occ_edge",   "thresh",     "match_rds",    "match_rnid30", "match_rnid4", "match_dnid",
      "match_mc", "match_opc",  "match_vnw",  "mask_rds",   "mask_rnid30",  "mask_rnid4",   "mask_dnid",   "mask_mc",
      "mask_opc", "mask_vnw",   "filter_tid", "filter_nid", "filter_state", "filter_opc",
  };
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)object, key, value)
  {
    size_t i = 0, n = sizeof keys / sizeof *keys;
    while (i < n && strcmp(key, keys[i]) != 0)
      i++;
    if (i == n || !json_is_string(value))
      fail_msg("key %s", key);
  }
  const char *text = json_string_value(json_object_get(object, "Filter"));
  for (; text && *text; text += strcspn(text, ","), text += *text == ',') {
    size_t i = 0, n = sizeof terms / sizeof *terms, k = strcspn(text, "=");
    while (i < n && (strlen(terms[i]) != k || strncmp(text, terms[i], k) != 0))
      i++;
    if (i == n)
      fail_msg("term %s", text);
  }
  const char *code = json_string_value(json_object_get(object, "EventCode"));
  char *end;
  assert_non_null(code);
  assert_true(strtoul(code, &end, 16) < 256 && !*end);
  assert_int_equal(strncmp(json_string_value(json_object_get(object, "EventName")), "UNC_", 4), 0);
  assert_true(*json_string_value(json_object_get(object, "BriefDescription")));
  assert_true(*json_string_value(json_object_get(object, "Unit")));
}

static const json_t *find_object(const json_t *all, const char *name)
{
  for (size_t i = 0; i < json_array_size(all); i++)
    if (strcmp(json_string_value(json_object_get(json_array_get(all, i), "EventName")), name) == 0)
      return json_array_get(all, i);
  fail_msg("no object %s", name);
  return NULL;
}

static void perf_files_have_the_keys_that_perf_expects(void **state)
{
  (void)state;
  static const struct {
    const char *platform, *name, *key, *value;
  } known[] = {
      {"emr", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "UMask", "0xc817fe01"},
      {"emr", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "Unit", "CHA"},
      {"emr", "UNC_M2M_CMS_CLOCKTICKS", "UMask", "0x80000000"},
      {"emr", "UNC_M3UPI_CMS_CLOCKTICKS", "EventCode", "0xc0"},
      {"emr", "UNC_IIO_BW_OUT_PORT3", "UMask", "0x33"},
      {"emr", "UNC_IIO_BW_OUT_PORT3", "Unit", "iio_free_running"},
      {"emr", "UNC_M_DCLK", "EventCode", "0xff"},
      {"snbep", "UNC_P_POWER_STATE_OCCUPANCY.CORES_C6", "Filter", "occ_sel=0x3"},
      {"snbep", "UNC_P_FREQ_TRANS_CYCLES", "ExtSel", "1"},
      {"snbep", "UNC_Q_CTO_COUNT", "Unit", "QPI LL"},
  };
  for (int i = 0; i < 2; i++) {
    char command[256], output[64], path[256];
    const char *platform = i ? "snbep" : "emr";
    json_error_t error;
    snprintf(command, sizeof command, "'%%P' -p %s list --format perf-json > %%D/%s.json", platform, platform);
    assert_int_equal(import_run(command, output, sizeof output), 0);
    snprintf(path, sizeof path, "%s/%s.json", folder, platform);
    json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!all)
      fail_msg("%s", error.text);
    for (size_t k = 0; k < json_array_size(all); k++)
      check_object(json_array_get(all, k));
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
      if (strcmp(known[k].platform, platform) == 0)
        assert_string_equal(json_string_value(json_object_get(find_object(all, known[k].name), known[k].key)),
                            known[k].value);
    json_decref(all);
  }
}

static const char odd[] =
    "{\"Header\": {\"Info\": \"x\"}, \"Events\": [\n"
    "{\"Unit\":\"XBOX\",\"EventCode\":\"0x12\",\"UMask\":\"0x01\",\"EventName\":\"UNC_XB_THINGS.RED\","
    "\"BriefDescription\":\"red\",\"Counter\":\"0,1\"},\n"
    "{\"Unit\":\"XBOX\",\"EventCode\":\"0x12\",\"UMask\":\"0x02\",\"UMaskExt\":\"0x11\","
    "\"EventName\":\"UNC_XB_THINGS.BLUE\",\"Counter\":\"0,1\"},\n"
    "{\"Unit\":\"XBOX\",\"EventCode\":\"0x13\",\"EventName\":\"UNC_XB_THINGS.OTHER\",\"Counter\":\"0\"},\n"
    "{\"Unit\":\"XBOX\",\"EventCode\":\"0x712\",\"EventName\":\"UNC_XB_WIDER\"},\n"
    "{\"Unit\":\"PORTS\",\"EventCode\":20,\"UMask\":\"0x1\",\"PortMask\":\"0x00FF\",\"FCMask\":\"0x07\","
    "\"EventName\":\"UNC_PO_IN\",\"Counter\":\"0\"},\n"
    "{\"Unit\":\"CHA\",\"EventCode\":\"0x35\",\"UMask\":\"0x01\",\"UMaskExt\":\"0xC817FE\","
    "\"EventName\":\"UNC_CHA_TOR_INSERTS.IA_MISS_DRD\",\"BriefDescription\":\"two\\nlines\",\"Counter\":\"0,1,2,3\"},\n"
    "{\"Unit\":\"CHA\",\"EventCode\":\"0x35\",\"EventName\":\"UNC_CHA_tor_inserts.ia_miss_drd\"},\n"
    "{\"Unit\":\"CHA\",\"EventCode\":\"0x35\"},\n"
    "{\"Unit\":\"CHA\",\"EventCode\":\"zz\",\"EventName\":\"UNC_CHA_A\"},\n"
    "{\"Unit\":\"CHA\",\"EventCode\":\"0x1\",\"EventName\":\"UNC_CHA_B\",\"Counter\":\"0,9\"},\n"
    "{\"Unit\":\"CHA\",\"EventCode\":\"0x1\",\"EventName\":\"UNC_CHA_C D\"},\n"
    "{\"EventCode\":\"0x1\",\"EventName\":\"INST_RETIRED.ANY\"},\n"
    "{\"Unit\":\"iMC\",\"EventCode\":\"0xff\",\"EventName\":\"UNC_M_DCLK\",\"Counter\":\"FIXED\"},\n"
    "{\"Unit\":\"IIO\",\"EventCode\":\"0x00\",\"EventName\":\"UNC_IIO_IN.PART1\",\"Counter\":\"2\","
    "\"CounterType\":\"FREERUN\"},\n"
    "{\"Unit\":\"IIO\",\"EventCode\":\"0x00\",\"EventName\":\"UNC_IIO_IN.PART9\",\"Counter\":\"22\","
    "\"CounterType\":\"FREERUN\"},\n"
    "{\"Unit\":\"CHA\",\"EventCode\":\"0x34\",\"EventName\":\"UNC_CHA_LOOK.X\",\"UMask\":\"0x1\","
    "\"Filter\":\"CHAfilter1\"},\n"
    "{\"Unit\":\"CHA\",\"EventCode\":\"0x34\",\"EventName\":\"UNC_CHA_LOOK.Y\",\"UMask\":\"0x2\","
    "\"Filter\":\"filter_tid=0x3\"},\n"
    "{\"Unit\":\"CHA\",\"EventCode\":\"0x34\",\"EventName\":\"UNC_CHA_LOOK.Z\",\"UMask\":\"0x2\","
    "\"Filter\":\"moon=0x3\"},\n"
    "{\"Unit\":\"IIO\",\"EventCode\":\"0xd5\",\"EventName\":\"UNC_IIO_COMP_BUF_OCCUPANCY.CMPD.ALL_PARTS\","
    "\"UMask\":\"0xff\"},\n"
    "7]}\n";

static void unusable_rows_are_reported_and_skipped(void **state)
{
  (void)state;
  static const char *const lines[] = {
      "object 4 (UNC_XB_WIDER): \"ExtSel\" is 0x7, too large for field ev_sel_ext of unit xbox, which has 1 bits; "
      "omitted",
      "object 7 (UNC_CHA_tor_inserts.ia_miss_drd): object 6 has the same name and a different code; omitted",
      "object 8 (unnamed): \"EventName\" is missing; omitted",
      "object 9 (UNC_CHA_A): \"EventCode\" is \"zz\"; expected one number; omitted",
      "object 10 (UNC_CHA_B): \"Counter\" names a counter that unit cha does not have: it has 4; omitted",
      "object 11 (UNC_CHA_C D): \"EventName\" contains characters other",
      "object 15 (UNC_IIO_IN.PART9): unit iio has no such free-running counter; omitted",
      "object 18 (UNC_CHA_LOOK.Z): \"Filter\" names moon, which is not a field of the unit; omitted",
      "object 20 (unnamed): expected an object; omitted",
      "object 3 (UNC_XB_THINGS.OTHER): its code differs from that of object 1 (UNC_XB_THINGS.RED); it is named "
      "THINGS_OTHER",
      "odd.platform: 11 events, 9 omitted, registers of emr\n",
      "counted through Linux perf only: xbox, ports, cores\n",
  };
  char output[8192];
  import_write_file("odd.json", odd);
  assert_int_equal(import_run("'%P' import %D/odd.json --as emr -o %D/odd 2>&1", output, sizeof output), 0);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (!strstr(output, lines[i]))
      fail_msg("\"%s\" is not in:\n%s", lines[i], output);
}

static void all_commands_accept_a_user_platform(void **state)
{
  (void)state;
  static const struct {
    const char *command, *says;
    int status;
  } cases[] = {
      {"'%P' -p %D/odd/odd.platform list -u xbox 2>&1", "xbox/THINGS.BLUE/  0x12 0x02+0x11       0-1  ", 0},
      {"cd %D/odd && '%P' list -p odd.platform THINGS_OTHER 2>&1", "xbox/THINGS_OTHER/ 0x13 0x00            0  ", 0},
      {"'%P' -p %D/odd/odd.platform list COMP_BUF 2>&1",
       "iio/COMP_BUF_OCCUPANCY.CMPD.ALL_PARTS/ 0xd5 0xff            2-3", 0},
      {"'%P' -p %D/odd/odd.platform show ports/IN/ 2>&1", "ch_mask 0xff", 0},
      {"'%P' -p %D/odd/odd.platform show cha/LOOK.X/ 2>&1", "the file's filter: CHAfilter1", 0},
      {"'%P' -p %D/odd/odd.platform encode UNC_CHA_TOR_INSERTS.IA_MISS_DRD 2>&1", "= 0x00c817fe00000135", 0},
      {"'%P' -p %D/odd/odd.platform encode cha/TOR_INSERTS.IA_MISS_DRD,opc=RFO/ 2>&1", "opc=0x100 (RFO)", 0},
      {"'%P' -p %D/odd/odd.platform encode cha/LOOK.Y/ 2>&1",
       "Cn_MSR_PMON_BOX_FILTER       msr 0x200e           = 0x0000000000000003", 0},
      {"'%P' -p %D/odd/odd.platform encode iio/IN_PART1/ 2>&1", "msr 0x3801", 0},
      {"'%P' -p %D/odd/odd.platform encode imc/DCLK/ 2>&1", "MC_CHy_PCI_PMON_FIXED_CTL", 0},
      {"'%P' -p %D/odd/odd.platform encode xbox/THINGS.RED/ 2>&1", "register addresses of unit xbox are not known", 2},
      {"'%P' -p %D/odd/odd.platform list --format perf-json -u cha 2>&1", "\"UMask\":\"0xc817fe01\"", 0},
      {"'%P' -p %D/odd/odd.platform list --format perf-json cha/LOOK.Y/ 2>&1", "\"Filter\":\"filter_tid=0x3\"", 0},
      {"'%P' -p %D/odd/none.platform list 2>&1", "cannot be read", 2},
      {"'%P' -p odd list 2>&1", "no platform \"odd\"", 2},
  };
  char output[8192];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int status = import_run(cases[i].command, output, sizeof output);
    if (status != cases[i].status || !strstr(output, cases[i].says))
      fail_msg("%s: status %d\n%s", cases[i].command, status, output);
  }
}

static void input_that_is_no_event_file_is_refused_whole(void **state)
{
  (void)state;
  static const struct {
    const char *text, *arguments, *says;
    int status;
  } cases[] = {
      {"[{\"a\":1},\n {\"b\":}]", "", "bad.json:2:7: ", 2},
      {"{\"x\":1}", "", "expected an array of events", 2},
      {"[]", "", "bad.json: the array of events is empty", 2},
      {"{\"Header\":{},\"Events\":[]}", "", "bad.json: the array of events is empty", 2},
      {"[{\"EventName\":\"UNC_A_B\"}]", "", "\"Unit\" and \"EventCode\" are missing", 2},
      {"[{\"EventName\":\"UNC_CHA_B\",\"Unit\":\"CHA\"}]", "--name emr",
       "emr: a platform of this name exists; add --name NAME", 2},
      {"[{\"EventName\":\"UNC_CHA_B\",\"Unit\":\"CHA\"}]", "--name a/b", "letters, digits", 2},
      {"[{\"EventName\":\"UNC_CHA_B\",\"Unit\":\"CHA\"}]", "--as moon", "no platform \"moon\"", 2},
      {"[{\"EventName\":\"UNC_CHA_B\",\"Unit\":\"CHA\"}]", "--output", "--output: missing value", 2},
  };
  char output[4096], command[256];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    import_write_file("bad.json", cases[i].text);
    snprintf(command, sizeof command, "cd %%D && '%%P' import bad.json %s 2>&1", cases[i].arguments);
    int status = import_run(command, output, sizeof output);
    if (status != cases[i].status || !strstr(output, cases[i].says))
      fail_msg("%s: status %d\n%s", cases[i].text, status, output);
    assert_int_equal(import_run("ls %D/bad.platform %D/bad.evt 2>/dev/null", output, sizeof output), 2);
  }
}

static void without_a_known_platform_units_are_generic(void **state)
{
  (void)state;
  char output[8192];
  import_write_file("odd.json", odd);
  assert_int_equal(import_run("'%P' import %D/odd.json --as none -o %D/alone.platform 2>&1", output, sizeof output), 0);
  assert_non_null(strstr(output, "counted through Linux perf only: xbox, ports, cha"));
  assert_null(strstr(output, "UNC_M_DCLK")); /* the fixed counter is an event of Linux itself */
  assert_int_equal(import_run("'%P' -p %D/alone.platform units 2>&1", output, sizeof output), 0);
  assert_null(strstr(output, "m2pcie"));
}

static int make_folder(void **state)
{
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
  char output[256];
  (void)state;
  return import_run("rm -r '%D'", output, sizeof output);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(emr_rows_round_trip),
      cmocka_unit_test(snbep_rows_round_trip),
      cmocka_unit_test(perf_files_have_the_keys_that_perf_expects),
      cmocka_unit_test(unusable_rows_are_reported_and_skipped),
      cmocka_unit_test(all_commands_accept_a_user_platform),
      cmocka_unit_test(input_that_is_no_event_file_is_refused_whole),
      cmocka_unit_test(without_a_known_platform_units_are_generic),
  };
  char *path = argc == 2 ? realpath(argv[1], NULL) : NULL; /* commands change the working directory */
  if (!path)
    return 2;
  pmon = path;
  int failed = cmocka_run_group_tests(tests, make_folder, remove_folder);
  free(path);
  return failed;
}
