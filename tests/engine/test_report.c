/* SPDX-License-Identifier: MIT */
/* Reports: the same content as text, CSV and JSON, compared byte for byte. */
#include "tests/engine/report_rig.h"

static int report_refuse(void *user, const char *bytes, size_t n)
{
  (void)user;
  (void)bytes;
  (void)n;
  return PMON_E_IO;
}

static struct pmon_report *make_report(void)
{
  struct pmon_report_head head = {.size = sizeof head,
                                  .platform = "emr",
                                  .backend = "machine",
                                  .command = "sort \"a\",b",
                                  .seconds = 0.0125,
                                  .end_seconds = 1.0125,
                                  .rounds = 2,
                                  .packages = 2,
                                  .freeze = PMON_FREEZE_BOX,
                                  .freeze_seconds = 1.5e-6,
                                  .skew_seconds = 12.3e-6,
                                  .machine = "emr",
                                  .host = "node,1",
                                  .time = 1.7e9 + 0.25};
  struct pmon_report *r;
  assert_int_equal(pmon_report_new(&head, &r), 0);
  struct pmon_value exact = {
      .number = 12345678912.0, .low = 12345678912.0, .high = 12345678912.0, .fraction = 1, .valid = true};
  struct pmon_value scaled = {.number = 0.1 + 0.2,
                              .sigma = 0.015,
                              .low = 0.2706,
                              .high = 0.3294,
                              .fraction = 0.5,
                              .flags = PMON_VALUE_SCALED,
                              .valid = true};
  struct pmon_value none = {.fraction = 1, .reason = "denominator zero, X counted 0"};
  struct pmon_value once = {.number = 1234567,
                            .sigma = 7,
                            .low = 308641,
                            .high = INFINITY,
                            .fraction = 0.25,
                            .valid = true,
                            .flags = PMON_VALUE_SCALED | PMON_VALUE_UNCERTAIN};
  report_add(r, "BANDWIDTH", "bytes/s", 0, &exact);
  report_add(r, "BANDWIDTH", "bytes/s", PMON_ALL, &exact);
  report_add(r, "RATIO", "ratio", 0, &scaled);
  report_add(r, "RATIO", "ratio", PMON_ALL, &none);
  report_add(r, "imc/CAS,x=1/", "", PMON_ALL, &once);
  return r;
}

/* The first and last columns of each CSV row. */
#define TIMES "1.000000000,1.012500000,0.012500000,"
#define FREEZE ",box,0.000001500,0.000012300,,,,machine,emr,emr,,\"node,1\",1700000000.250000,,,EMULATED\r\n"

/* The output of make_report() in each format. */
static const char *const report_in_formats[] = {
    [PMON_FORMAT_TEXT] = "sort \"a\",b\nEMULATED: emr on pmon's emr machine, 2 sockets: 12.50 ms of simulated time, "
                         "counters shared in 2 rounds\n"
                         "counters frozen unit by unit in 1.500 us, read within 12.30 us\n\n"
                         "                socket 0            total\n"
                         "BANDWIDTH     12.35 GB/s       12.35 GB/s\n"
                         "RATIO             30.0 % ±2.9     no data [1]\n"
                         "imc/CAS,x=1/                    1,234,567 [2]\n\n"
                         "[1] denominator zero, X counted 0\n"
                         "[2] its uncertainty is unknown: measured in too few time slices\n",
    [PMON_FORMAT_CSV] = TIMES "BANDWIDTH,0,imc,,12345678912,bytes/s,0,12345678912,12345678912,1,,,1,0" FREEZE TIMES
                              "BANDWIDTH,,imc,,12345678912,bytes/s,0,12345678912,12345678912,1,,,1,0" FREEZE TIMES
                              "RATIO,0,imc,,0.30000000000000004,ratio,0.015,0.2706,0.3294,0.5,scaled,,1,0" FREEZE TIMES
                              "RATIO,,imc,,,ratio,,,,1,,\"denominator zero, X counted 0\",1," FREEZE TIMES
                              "\"imc/CAS,x=1/\",,imc,,1234567,,7,308641,,0.25,scaled uncertain,,1,0" FREEZE,
    [PMON_FORMAT_CSV_HEADER] =
        "begin_seconds,end_seconds,seconds,name,package,unit_name,instance,value,unit,sigma,low,high,fraction,flags,"
        "reason,runs,deviation,freeze,freeze_seconds,skew_seconds,region,thread,calls,backend,machine,platform,"
        "interval,host,time,device,share,emulated\r\n",
    [PMON_FORMAT_JSON] =
        "{\"platform\":\"emr\",\"backend\":\"machine\",\"emulated\":true,\"machine\":\"emr\",\"command\":\"sort "
        "\\\"a\\\",b\",\"host\":\"node,1\",\"time\":1700000000.25,\"interval\":null,\"packages\":2,\"rounds\":2,"
        "\"runs\":1,\"begin_seconds\":1,\"end_seconds\":1.0125,\"seconds\":0.0125,\"freeze\":\"box\","
        "\"freeze_seconds\":1.5e-06,\"skew_seconds\":1.23e-05,\"values\":["
        "{\"name\":\"BANDWIDTH\",\"package\":0,\"unit_name\":\"imc\",\"instance\":null,\"value\":12345678912,"
        "\"unit\":\"bytes/"
        "s\",\"sigma\":0,\"low\":12345678912,\"high\":12345678912,\"fraction\":1,\"flags\":[],\"reason\":null,"
        "\"deviation\":0,\"of\":null,\"base\":null},"
        "{\"name\":\"BANDWIDTH\",\"package\":null,\"unit_name\":\"imc\",\"instance\":null,\"value\":12345678912,"
        "\"unit\":\"bytes/"
        "s\",\"sigma\":0,\"low\":12345678912,\"high\":12345678912,\"fraction\":1,\"flags\":[],\"reason\":null,"
        "\"deviation\":0,\"of\":null,\"base\":null},"
        "{\"name\":\"RATIO\",\"package\":0,\"unit_name\":\"imc\",\"instance\":null,\"value\":0.30000000000000004,"
        "\"unit\":\"ratio\",\"sigma\":0.015,\"low\":0.2706,\"high\":0.3294,\"fraction\":0.5,\"flags\":[\"scaled\"],"
        "\"reason\":null,\"deviation\":0,\"of\":null,\"base\":null},"
        "{\"name\":\"RATIO\",\"package\":null,\"unit_name\":\"imc\",\"instance\":null,\"value\":null,\"unit\":"
        "\"ratio\","
        "\"sigma\":null,\"low\":null,\"high\":null,\"fraction\":1,\"flags\":[],\"reason\":\"denominator zero, X "
        "counted 0\",\"deviation\":null,\"of\":null,\"base\":null},"
        "{\"name\":\"imc/CAS,x=1/"
        "\",\"package\":null,\"unit_name\":\"imc\",\"instance\":null,\"value\":1234567,\"unit\":\"\","
        "\"sigma\":7,\"low\":308641,\"high\":null,\"fraction\":0.25,\"flags\":[\"scaled\",\"uncertain\"],\"reason\":"
        "null,\"deviation\":0,\"of\":null,\"base\":null}],"
        "\"invariants_checked\":0,\"invariants_violated\":[]}\n",
    [PMON_FORMAT_CSV_WIDE] =
        TIMES "1700000000.250000,\"node,1\",machine,emr,emr,,,,,12345678912,12345678912,"
              "0.30000000000000004,,1234567,\"RATIO (ratio): denominator zero, X counted 0\",EMULATED\r\n",
    [PMON_FORMAT_CSV_WIDE_HEADER] =
        "begin_seconds,end_seconds,seconds,time,host,backend,machine,platform,interval,region,thread,calls,"
        "BANDWIDTH socket 0 (bytes/s),BANDWIDTH (bytes/s),RATIO socket 0 (ratio),RATIO (ratio),\"imc/CAS,x=1/\","
        "reason,emulated\r\n"};

static void formats(void **state)
{
  struct pmon_report *r = make_report();
  (void)state;
  for (size_t i = 0; i < sizeof report_in_formats / sizeof *report_in_formats; i++) {
    char text[4096] = "";
    assert_int_equal(pmon_report_format(r, (enum pmon_format)i, report_take, text), 0);
    assert_string_equal(text, report_in_formats[i]);
  }
  assert_int_equal(pmon_report_format(r, PMON_FORMAT_JSON, report_refuse, NULL), PMON_E_IO);
  assert_int_equal(pmon_report_format(r, (enum pmon_format)(PMON_FORMAT_CSV_WIDE_HEADER + 1), report_refuse, NULL),
                   PMON_E_INVALID);
  pmon_report_free(r);
}

/* Each flag and each freeze scope by itself is printed by its own name, and no other. */
static void each_flag_and_scope_has_its_name(void **state)
{
  static const struct {
    uint32_t flag;
    const char *name;
  } flags[] = {{PMON_VALUE_WRAPPED, "wrapped"},   {PMON_VALUE_SCALED, "scaled"},
               {PMON_VALUE_LOST, "lost"},         {PMON_VALUE_UNAVAILABLE, "unavailable"},
               {PMON_VALUE_STOLEN, "stolen"},     {PMON_VALUE_BACKWARDS, "backwards"},
               {PMON_VALUE_STUCK, "stuck"},       {PMON_VALUE_UNCERTAIN, "uncertain"},
               {PMON_VALUE_VANISHED, "vanished"}, {PMON_VALUE_IMPLAUSIBLE, "implausible"},
               {PMON_VALUE_SILENT, "silent"},     {PMON_VALUE_SAMPLED, "sampled"},
               {PMON_VALUE_WITNESS, "witness"},   {PMON_VALUE_PARTIAL, "partial"}};
  static const char *const scopes[] = {[PMON_FREEZE_BEST] = NULL,
                                       [PMON_FREEZE_GLOBAL] = "global",
                                       [PMON_FREEZE_BOX] = "box",
                                       [PMON_FREEZE_NONE] = "none",
                                       [PMON_FREEZE_BOUNDARIES] = "boundaries"};
  (void)state;
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    for (uint32_t freeze = 0; freeze < sizeof scopes / sizeof *scopes; freeze++) {
      struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .packages = 1, .freeze = freeze};
      const struct pmon_value v = {.fraction = 1, .flags = flags[i].flag, .valid = true};
      char json[4096] = "", csv[1024] = "", want[80];
      struct pmon_report *r;
      assert_int_equal(pmon_report_new(&head, &r), 0);
      report_add(r, "X", "", 0, &v);
      assert_int_equal(pmon_report_format(r, PMON_FORMAT_JSON, report_take, json), 0);
      snprintf(want, sizeof want, "\"flags\":[\"%s\"]", flags[i].name);
      assert_non_null(strstr(json, want));
      snprintf(want, sizeof want, "\"freeze\":%s%s%s,", freeze ? "\"" : "", freeze ? scopes[freeze] : "null",
               freeze ? "\"" : "");
      assert_non_null(strstr(json, want));
      assert_int_equal(pmon_report_format(r, PMON_FORMAT_CSV, report_take, csv), 0);
      snprintf(want, sizeof want, ",%s,", flags[i].name);
      assert_non_null(strstr(csv, want));
      snprintf(want, sizeof want, ",%s,", freeze ? scopes[freeze] : "");
      assert_non_null(strstr(csv, want));
      assert_null(strstr(csv, "EMULATED")); /* the head names no emulated machine */
      pmon_report_free(r);
    }
}

/* A count scaled by a witness has its share, but a mean of runs has none. */
static void shares_are_shown(void **state)
{
  const struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .packages = 1};
  struct pmon_report_row row = {
      .size = sizeof row,
      .name = "X",
      .package = 0,
      .instance = PMON_ALL,
      .value = {.number = 400, .low = 300, .high = 500, .fraction = 0.5, .flags = PMON_VALUE_WITNESS, .valid = true},
      .share = 0.25};
  struct pmon_report *r[2], *mean;
  char text[4][4096] = {""};
  (void)state;
  for (unsigned i = 0; i < 2; i++) {
    assert_int_equal(pmon_report_new(&head, &r[i]), 0);
    assert_int_equal(pmon_report_add(r[i], &row), 0);
    assert_int_equal(pmon_report_get(r[i], 0, &row), 0);
    assert_true(row.share == 0.25);
  }
  assert_int_equal(pmon_report_new_mean((const struct pmon_report *const *)r, 2, &mean), 0);
  assert_int_equal(pmon_report_format(r[0], PMON_FORMAT_JSON, report_take, text[0]), 0);
  assert_int_equal(pmon_report_format(r[0], PMON_FORMAT_CSV, report_take, text[1]), 0);
  assert_int_equal(pmon_report_format(mean, PMON_FORMAT_JSON, report_take, text[2]), 0);
  assert_int_equal(pmon_report_format(mean, PMON_FORMAT_CSV, report_take, text[3]), 0);
  assert_non_null(strstr(text[0], "\"share\":0.25}"));
  assert_non_null(strstr(text[1], ",,0.25,\r\n"));
  assert_null(strstr(text[2], "share"));
  assert_non_null(strstr(text[3], ",,,\r\n"));
  pmon_report_free(r[0]);
  pmon_report_free(r[1]);
  pmon_report_free(mean);
}

/* Returns the width of the widest line, in columns. */
static size_t widest(const char *text)
{
  size_t most = 0, n = 0;
  for (; *text; text++) {
    n = *text == '\n' ? 0 : n + (((unsigned char)*text & 0xc0) != 0x80);
    most = n > most ? n : most;
  }
  return most;
}

/* A report with long names and many scopes stays within its columns: as a table, as a list, or with names on lines of
 * their own. */
static void text_stays_within_its_columns(void **state)
{
  static const uint32_t columns[] = {200, 80, 60};
  static char text[3][8192];
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    struct pmon_report_head head = {.size = sizeof head,
                                    .platform = "emr",
                                    .command = "a command",
                                    .seconds = 0.001,
                                    .end_seconds = 0.001,
                                    .packages = 2,
                                    .columns = columns[i],
                                    .rounds = 12,
                                    .backend = "a machine of a long name"};
    struct pmon_value v = {.number = 123456789012.0,
                           .sigma = 1.8e10,
                           .low = 88e9,
                           .high = 159e9,
                           .fraction = 0.5,
                           .valid = true,
                           .flags = PMON_VALUE_SCALED};
    struct pmon_value none = {.reason = "a reason that is much longer than the lines of most terminals are, which is "
                                        "why it has to be broken into several"};
    struct pmon_report *r;
    assert_int_equal(pmon_report_new(&head, &r), 0);
    for (uint32_t k = 0; k < 3; k++)
      report_add(r, "cha/TOR_INSERTS.IA_MISS_DRD_LOCAL,thresh=4/", "", k < 2 ? k : PMON_ALL, &v);
    report_add(r, "short", "", 0, &none);
    text[i][0] = 0;
    assert_int_equal(pmon_report_format(r, PMON_FORMAT_TEXT, report_take, text[i]), 0);
    pmon_report_free(r);
    if (widest(text[i]) > columns[i])
      fail_msg("%zu columns of %u:\n%s", widest(text[i]), columns[i], text[i]);
  }
  assert_non_null(strstr(text[0], "thresh=4/  123,000,000,000 ±36,000,000,000  123,000,000,000 ±36,000,000,000  "));
  assert_non_null(strstr(text[1], "thresh=4/\n  socket 0  123,000,000,000 ±36,000,000,000\n"));
  assert_non_null(strstr(text[2], "thresh=4/\n  socket 0  123,000,000,000 ±36,000,000,000\n"));
  assert_non_null(strstr(text[0], ": 1 ms measured, counters shared in 12 rounds\n"));
  assert_null(strstr(text[1], "shared in 12 rounds\n")); /* continued on the next line */
}

static void intervals_have_times(void **state)
{
  char text[2][1024] = {"", ""};
  (void)state;
  for (uint32_t i = 0; i < 2; i++) {
    struct pmon_report_head head = {.size = sizeof head,
                                    .platform = "emr",
                                    .command = "a command",
                                    .seconds = 0.0001,
                                    .end_seconds = 0.0001 * (i + 1),
                                    .interval = i + 1};
    struct pmon_value v = {.number = 7, .fraction = 1, .valid = true};
    struct pmon_report *r;
    assert_int_equal(pmon_report_new(&head, &r), 0);
    report_add(r, "reads", "", PMON_ALL, &v);
    assert_int_equal(pmon_report_format(r, PMON_FORMAT_TEXT, report_take, text[i]), 0);
    pmon_report_free(r);
  }
  assert_string_equal(text[0], "a command\nemr\n\n0.000000 - 0.100000 ms\n       total\nreads      7\n");
  assert_string_equal(text[1], "0.100000 - 0.200000 ms\n       total\nreads      7\n");
}

static void add_instance(struct pmon_report *r, const char *name, uint32_t instance, double number)
{
  struct pmon_report_row row = {.size = sizeof row,
                                .name = name,
                                .package = 0,
                                .instance = instance,
                                .instance_unit = "imc",
                                .value = {.number = number, .fraction = 1, .valid = number >= 0, .reason = "none"}};
  assert_int_equal(pmon_report_add(r, &row), 0);
}

/* Five runs: mean 12, deviation 2.236, t of four degrees of freedom 2.776: 12 +- 2.776 * 1 */
static void means_of_runs(void **state)
{
  static const double numbers[] = {9, 11, 12, 13, 15};
  struct pmon_report *runs[5], *mean, *other;
  char text[1024] = "";
  (void)state;
  for (size_t i = 0; i < 5; i++) {
    struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .seconds = 0.004, .end_seconds = 0.004};
    assert_int_equal(pmon_report_new(&head, &runs[i]), 0);
    add_instance(runs[i], "reads", PMON_ALL, numbers[i]);
    add_instance(runs[i], "writes", PMON_ALL, i == 3 ? -1 : 1);
  }
  assert_int_equal(pmon_report_new_mean((const struct pmon_report *const *)runs, 5, &mean), 0);
  assert_int_equal(pmon_report_format(mean, PMON_FORMAT_TEXT, report_take, text), 0);
  assert_string_equal(text, "emr: 4 ms measured, mean of 5 runs\n\n        socket 0\nreads       12.0 ±2.8  sd 2.2\n"
                            "writes   no data [1]\n\n[1] none\n");
  assert_true(mean->rows[0].deviation > 2.236 && mean->rows[0].deviation < 2.237);
  assert_true(fabs(mean->rows[0].value.sigma - 1) < 1e-9);
  assert_true(fabs(mean->rows[0].value.high - 14.776) < 1e-3 && fabs(mean->rows[0].value.low - 9.224) < 1e-3);
  pmon_report_free(mean);
  add_instance(runs[1], "more", PMON_ALL, 1);
  assert_int_equal(pmon_report_new_mean((const struct pmon_report *const *)runs, 2, &other), PMON_E_INVALID);
  for (size_t i = 0; i < 5; i++)
    pmon_report_free(runs[i]);
}

/* A sum of equal numbers, divided by how many they are, can differ from them in the last digit. */
static void equal_runs_have_no_deviation(void **state)
{
  struct pmon_report *runs[3], *mean;
  char text[256] = "";
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    struct pmon_report_head head = {.size = sizeof head, .platform = "emr", .seconds = 0.004, .end_seconds = 0.004};
    assert_int_equal(pmon_report_new(&head, &runs[i]), 0);
    add_instance(runs[i], "share", PMON_ALL, 0.1);
  }
  assert_int_equal(pmon_report_new_mean((const struct pmon_report *const *)runs, 3, &mean), 0);
  assert_int_equal(pmon_report_format(mean, PMON_FORMAT_TEXT, report_take, text), 0);
  assert_string_equal(text, "emr: 4 ms measured, mean of 3 runs\n\n       socket 0\nshare    0.1000 ±0  sd 0\n");
  pmon_report_free(mean);
  for (size_t i = 0; i < 3; i++)
    pmon_report_free(runs[i]);
}

static void rows_in_order(void **state)
{
  static const struct {
    enum pmon_order order;
    uint32_t top;
    const char *want;
  } rows[] = {{PMON_ORDER_GIVEN, 0, "small:-1 small:2 small:1 big:-5 big:6 big:- big:7 "},
              {PMON_ORDER_VALUE, 0, "big:-5 big:7 big:6 big:- small:-1 small:2 small:1 "},
              {PMON_ORDER_NAME, 0, "big:-5 big:6 big:- big:7 small:-1 small:2 small:1 "},
              {PMON_ORDER_VALUE, 1, "big:-5 big:7 small:-1 small:2 "},
              {PMON_ORDER_GIVEN, 2, "small:-1 small:2 small:1 big:-5 big:6 big:- "}};
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    struct pmon_report_head head = {.size = sizeof head};
    struct pmon_report *r;
    char text[256] = "";
    assert_int_equal(pmon_report_new(&head, &r), 0);
    add_instance(r, "small", PMON_ALL, 1);
    add_instance(r, "small", 1, 2);
    add_instance(r, "small", 0, 1);
    add_instance(r, "big", PMON_ALL, 5);
    add_instance(r, "big", 0, 6);
    add_instance(r, "big", 1, -1);
    add_instance(r, "big", 2, 7);
    assert_int_equal(pmon_report_arrange(r, rows[k].order, rows[k].top), 0);
    for (uint32_t i = 0; i < r->n_rows; i++)
      sprintf(text + strlen(text), r->rows[i].value.valid ? "%s:%s%.0f " : "%s:- ", r->rows[i].name,
              r->rows[i].instance == PMON_ALL ? "-" : "", r->rows[i].value.number);
    assert_string_equal(text, rows[k].want);
    pmon_report_free(r);
  }
}

/* Four significant digits, also where rounding gives a digit more before the point. */
static void numbers_have_four_digits(void **state)
{
  static const struct {
    double number;
    const char *unit, *text;
  } cases[] = {{0.99994, "ns", "0.9999 ns"}, {0.99996, "ns", "1.000 ns"},        {9.9994, "ns", "9.999 ns"},
               {9.9996, "ns", "10.00 ns"},   {99.996, "ns", "100.0 ns"},         {999.96, "ns", "1,000.0 ns"},
               {0.001, "ns", "0.0010 ns"},   {5 * 2e8, "bytes/s", "1.000 GB/s"}, {2e8, "bytes/s", "200 MB/s"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct pmon_report_row row = {
        .size = sizeof row, .unit = cases[i].unit, .value = {.number = cases[i].number, .valid = true}};
    char text[PMON_REPORT_TEXT], after[PMON_REPORT_TEXT];
    pmon_report_row_text(&row, text, after);
    assert_string_equal(text, cases[i].text);
  }
}

static int report_collect(void *user, const char *bytes, size_t n)
{
  strncat(user, bytes, n);
  return 0;
}

/* Times come from files: JSON has none that is infinite, and a CSV field is empty. */
static void numbers_are_finite(void **state)
{
  struct pmon_report_head head = {
      .size = sizeof head, .platform = "emr", .backend = "replay", .seconds = 1, .host = "x", .time = INFINITY};
  struct pmon_value value = {.number = INFINITY, .low = -INFINITY, .high = INFINITY, .fraction = 1, .valid = true};
  struct pmon_report *r;
  char text[4096] = "";
  (void)state;
  assert_int_equal(pmon_report_new(&head, &r), 0);
  report_add(r, "LIMITLESS", "", 0, &value);
  assert_int_equal(pmon_report_format(r, PMON_FORMAT_JSON, report_collect, text), 0);
  json_t *json = json_loads(text, 0, NULL);
  assert_non_null(json);
  assert_true(json_is_null(json_object_get(json, "time")));
  json_decref(json);
  *text = 0;
  assert_int_equal(pmon_report_format(r, PMON_FORMAT_CSV, report_collect, text), 0);
  assert_null(strstr(text, "inf,"));
  pmon_report_free(r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(formats),
                                     cmocka_unit_test(numbers_are_finite),
                                     cmocka_unit_test(numbers_have_four_digits),
                                     cmocka_unit_test(text_stays_within_its_columns),
                                     cmocka_unit_test(intervals_have_times),
                                     cmocka_unit_test(shares_are_shown),
                                     cmocka_unit_test(means_of_runs),
                                     cmocka_unit_test(equal_runs_have_no_deviation),
                                     cmocka_unit_test(each_flag_and_scope_has_its_name),
                                     cmocka_unit_test(rows_in_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
