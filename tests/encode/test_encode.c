/* SPDX-License-Identifier: MIT */
/* Register images compared with published values, and the round trip of every event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "tests/event/toy.h"

static struct pmon_event *encode_resolve(const struct pmon_platform *p, const char *text)
{
  struct pmon_event *e = NULL;
  if (pmon_event_resolve(context, p, text, &e) != PMON_OK)
    fail_msg("%s: %s", text, pmon_context_error(context));
  return e;
}

static uint32_t first_counter(const struct pmon_event *e)
{
  uint32_t i = 0;
  while (!(pmon_event_counters(e) >> i & 1))
    i++;
  return i;
}

static void test_vectors(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    uint64_t value;
  } rows[] = {
      {"UNC_CHA_TOR_INSERTS.IA_MISS_DRD", 0x00C817FE00000135},
      {"UNC_CHA_CLOCKTICKS", 0x0000000000000001},
      {"UNC_M_CAS_COUNT.RD", 0x000000000000CF05},
      {"UNC_M_CAS_COUNT.WR", 0x000000000000F005},
      {"UNC_M_CLOCKTICKS", 0x0000000000000101},
      {"UNC_M_HCLOCKTICKS", 0x0000000000000001},
      {"UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART0", 0x0007001000000483},
      {"UNC_UPI_TxL_FLITS.ALL_DATA", 0x0000000000000F02},
      {"UNC_M2M_CMS_CLOCKTICKS", 0x00800000000000C0},
      {"uncore_cxlcm/event=0x1,umask=0x2/", 0x0000000000000201}, /* the facts follow the guide: umask 0x01 */
      {"UNC_CXLDP_CLOCKTICKS", 0x0000000000000101},
      {"ubox/UCLK/", 0x400000},
      {"imc/DCLK/", 0x400000},
      {"cha/TOR_INSERTS.IA,thresh=3,invert,edge/", 0x00C001FF03840135},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_event *e = encode_resolve(emr, rows[i].text);
    struct pmon_image image;
    assert_int_equal(pmon_event_encode(e, 0, 0, first_counter(e), &image), PMON_OK);
    assert_int_equal(image.n, 1);
    if (image.registers[0].value != rows[i].value)
      fail_msg("%s: 0x%llx", rows[i].text, (unsigned long long)image.registers[0].value);
    assert_int_equal(image.width_bits, 48);
    pmon_event_free(e);
  }
}

static void assert_place(const char *text, uint32_t instance, uint32_t counter, const char *ctl, const char *ctr)
{
  struct pmon_event *e = encode_resolve(emr, text);
  struct pmon_image image;
  char place[64];
  assert_int_equal(pmon_event_encode(e, 1, instance, counter, &image), PMON_OK);
  pmon_address_format(&image.counter, place, sizeof place);
  assert_string_equal(place, ctr);
  assert_int_equal(image.counter.package, 1);
  if (ctl) {
    pmon_address_format(&image.registers[image.n - 1].address, place, sizeof place);
    assert_string_equal(place, ctl);
    assert_int_equal(image.registers[image.n - 1].address.package, 1);
  } else {
    assert_int_equal(image.n, 0);
  }
  pmon_event_free(e);
}

/* Table 1-9, Table 1-12, Table 1-10 of the guide. */
static void test_addresses(void **state)
{
  (void)state;
  assert_place("cha/CLOCKTICKS/", 56, 3, "msr 0x2385", "msr 0x238b");
  assert_place("mdf/CLOCKTICKS/", 4, 1, "msr 0x28a3", "msr 0x28a9");
  assert_place("imc/CLOCKTICKS/", 3, 2, "mmio MEM1+0x2a848", "mmio MEM1+0x2a818");
  assert_place("upi/CLOCKTICKS/", 2, 1, "pci 30:3.1 0x358", "pci 30:3.1 0x328");
  assert_place("m2m/CLOCKTICKS/", 3, 0, "pci 30:15.0 0x468", "pci 30:15.0 0x440");
  assert_place("iio/BW_IN_PORT3/", 2, 0, NULL, "msr 0x3823");
  assert_place("iio/IOCLK/", 1, 0, NULL, "msr 0x341e");
}

static void test_refusals(void **state)
{
  (void)state;
  struct pmon_image image;
  struct pmon_event *e = encode_resolve(emr, "cha/TOR_OCCUPANCY.IA/");
  assert_int_equal(pmon_event_encode(e, 0, 0, 1, &image), PMON_E_UNSCHEDULABLE);
  assert_int_equal(pmon_event_encode(e, 0, 0, 4, &image), PMON_E_RANGE);
  assert_int_equal(pmon_event_encode(e, 0, 64, 0, &image), PMON_E_RANGE);
  pmon_event_free(e);
}

static void test_filter_image(void **state)
{
  (void)state;
  struct pmon_image image;
  struct pmon_event *e = encode_resolve(emr, "cha/TOR_INSERTS.IA,tid=core3.1/");
  assert_int_equal(pmon_event_encode(e, 0, 2, 0, &image), PMON_OK);
  assert_int_equal(image.n, 2);
  assert_true(image.registers[0].address.offset == 0x202e && image.registers[0].value == 0x19 &&
              image.registers[0].mask == 0x3ff);
  assert_true(image.registers[1].address.offset == 0x2022 && image.registers[1].value == 0x00C001FF00010135);
  pmon_event_free(e);
}

/* Reserved bits of a register's layout, from the public description. */
static uint64_t reserved_bits(const struct pmon_platform *p, const struct pmon_register_id *id)
{
  struct pmon_field_info f = {.size = sizeof f};
  uint64_t mask = 0;
  for (uint32_t i = 0; pmon_field_describe(p, id->unit, id->reg, i, &f) == PMON_OK && !*f.overlay; i++)
    for (uint32_t b = f.lo; strcmp(f.access, "rsvd") == 0 && b <= f.hi; b++)
      mask |= UINT64_C(1) << b;
  return mask;
}

/* Each field says whether the register's layout or the overlay defines it. */
static void test_fields_name_their_overlay(void **state)
{
  (void)state;
  struct pmon_field_value fields[32];
  struct pmon_register_id id;
  const struct pmon_address ctl = {.space = PMON_SPACE_MSR, .width_bits = 64, .offset = 0x2002};
  assert_int_equal(pmon_register_find(emr, &ctl, &id), PMON_OK);
  const size_t plain = pmon_value_fields(emr, &id, 0, NULL, fields, 32);
  const size_t n = pmon_value_fields(emr, &id, 0, "TOR_FILTER", fields, 32);
  assert_true(plain && n > plain && n <= 32);
  for (size_t i = 0; i < n; i++)
    assert_string_equal(fields[i].overlay, i < plain ? "" : "TOR_FILTER");
}

/* Writes `unit/EVENT/` with more attributes before its last slash. */
static void with_attributes(const char *text, const char *more, char *out, size_t size)
{
  snprintf(out, size, "%.*s%s/", (int)strlen(text) - 1, text, more);
}

/* needed: filters that the event requires, which a control register does not show. */
static void assert_there_and_back(const struct pmon_platform *p, const char *bare, const char *needed)
{
  char text[400], decoded[400];
  with_attributes(bare, needed, text, sizeof text);
  struct pmon_event *e = encode_resolve(p, text);
  struct pmon_image image, again;
  uint32_t counter = first_counter(e);
  assert_int_equal(pmon_event_encode(e, 0, 0, counter, &image), PMON_OK);
  for (uint32_t i = 0; i < image.n; i++)
    assert_true((image.registers[i].value & reserved_bits(p, &image.registers[i].id)) == 0);
  if (pmon_event_get_kind(e) == PMON_EVENT_PROGRAMMED) {
    const struct pmon_image_register *r = &image.registers[image.n - 1];
    struct pmon_decoded d = {.size = sizeof d, .any_instance = true};
    assert_int_equal(pmon_decode_value(p, &r->id, r->value, &d), PMON_OK);
    /* The attributes' threshold exceeds what rows of at most one count per cycle reach, and some rows only narrow
     * others: the violations report both. */
    const bool known = d.n_violations == 1 && (strstr(d.violations[0].text, "the threshold is 1") ||
                                               strstr(d.violations[0].text, " counts nothing without "));
    if (!d.has_event || d.reserved || (d.n_violations && !known))
      fail_msg("%s: decodes to \"%s\", %u violations: %s", text, d.event_text, d.n_violations, d.violations[0].text);
    with_attributes(d.event_text, needed, decoded, sizeof decoded);
    struct pmon_event *back = encode_resolve(p, decoded);
    assert_int_equal(pmon_event_encode(back, 0, 0, counter, &again), PMON_OK);
    assert_true(again.registers[again.n - 1].value == r->value);
    assert_true(again.registers[again.n - 1].mask == r->mask);
    pmon_event_free(back);
  }
  pmon_event_free(e);
}

/* Writes ",field=1" for each filter that is marked as needed; of several, the first with its register. */
static void needed_filters(const struct pmon_event_info *row, char *out, size_t size)
{
  *out = 0;
  for (const char *f = row->filters; *f;) {
    size_t n = strcspn(f, ","), dot = strcspn(f, "."), bar = strcspn(f, "|");
    if (f[n - 1] == '!' && bar < n)
      snprintf(out + strlen(out), size - strlen(out), ",%.*s=1", (int)bar, f);
    else if (f[n - 1] == '!' && dot < n)
      snprintf(out + strlen(out), size - strlen(out), ",%.*s=1", (int)(n - dot - 2), f + dot + 1);
    f += n + (f[n] == ',');
  }
}

static size_t all_rows_there_and_back(const struct pmon_platform *p, const char *const attrs[3])
{
  struct pmon_event_cursor c = {0};
  struct pmon_event_info row = {.size = sizeof row};
  struct pmon_unit_info info = {.size = sizeof info};
  uint32_t number;
  size_t n = 0;
  while (pmon_event_next(p, UINT32_MAX, &c, &row)) {
    /* Events of public files whose unit's registers are undocumented are facts without an encoding. */
    if (strcmp(row.unit, "cms") && !pmon_unit_find(p, row.unit, &number) && !pmon_unit_describe(p, number, &info) &&
        (!info.registers || info.perf_only))
      continue;
    char text[300], needed[100];
    const char *unit = strcmp(row.unit, "cms") == 0 ? (n % 2 ? "cha" : "m3upi") : row.unit;
    snprintf(text, sizeof text, "%s/%s%s%s%s/", unit, row.event, row.umask ? "." : "", row.umask ? row.umask : "",
             row.kind == PMON_EVENT_PROGRAMMED ? attrs[n % 3] : "");
    needed_filters(&row, needed, sizeof needed);
    assert_there_and_back(p, text, needed);
    n++;
  }
  return n;
}

static void test_every_row_round_trips(void **state)
{
  (void)state;
  static const char *const attrs[] = {"", ",thresh=1,invert", ",thresh=0x7f,edge_det,frz_ovf"};
  static const char *const others[] = {"", ",thresh=1", ""};
  const struct pmon_platform *p;
  assert_true(all_rows_there_and_back(emr, attrs) > 2500);
  for (uint32_t i = 0; (p = pmon_platform_get(context, i)) != NULL; i++)
    if (p != emr && p != toy)
      assert_true(all_rows_there_and_back(p, others) > 100);
}

static void test_combinations_round_trip(void **state)
{
  (void)state;
  static const char *const texts[] = {"box/PARTS.A+B/", "box/PARTS,umask=0x31/", "box/BARE/", "box/PAINTED,colour=red/",
                                      "box/PLAIN,thresh=9,edge/"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_there_and_back(toy, texts[i], "");
  assert_there_and_back(emr, "iio/DATA_REQ_OF_CPU.MEM_READ.PART0+MEM_READ.PART1/", "");
  assert_there_and_back(emr, "cha/TOR_INSERTS.IA,opc=RFO,thresh=2/", "");
}

static void assert_broken(const struct pmon_platform *p, const char *text, const char *says)
{
  struct pmon_decoded d = {.size = sizeof d};
  if (pmon_decode(context, p, text, &d) != PMON_OK)
    fail_msg("%s: %s", text, pmon_context_error(context));
  for (uint32_t i = 0; i < d.n_violations; i++)
    if (strstr(d.violations[i].text, says) && *d.violations[i].cite)
      return;
  fail_msg("%s: no rule about \"%s\" among %u", text, says, d.n_violations);
}

/* A value without an umask that its event needs: the violation lists the possible umasks. */
static void test_parts_are_missed(void **state)
{
  (void)state;
  assert_broken(toy, "box.ctl0=0x2", "PARTS counts nothing without A, B or ALL");
  assert_broken(emr, "upi0.ctl0=0x0803", "RxL_FLITS counts nothing without SLOT0, SLOT1 or SLOT2");
  assert_broken(emr, "upi0.ctl0=0x0703", "RxL_FLITS counts nothing without DATA, LLCRD, NULL, LLCTRL or PROTHDR");
  assert_broken(emr, "upi0.ctl0=0x084b", "RxL_ANY_FLITS probably counts nothing without SLOT0, SLOT1 or SLOT2");
  assert_broken(emr, "cha0.ctl0=0x4000000035", "or WBQ");
  const struct pmon_platform *snbep, *montecito;
  assert_int_equal(pmon_platform_find(context, "snbep", &snbep), PMON_OK);
  assert_int_equal(pmon_platform_find(context, "montecito", &montecito), PMON_OK);
  assert_broken(snbep, "imc0.ctl0=0x400004", "CAS_COUNT counts nothing with umask 0x0, which selects no part of it");
  assert_broken(snbep, "imc0.ctl0=0x401004", "CAS_COUNT counts nothing with umask 0x10");
  assert_broken(snbep, "cbo0.ctl0=0x400036", "TOR_OCCUPANCY has no umask 0x0");
  assert_broken(snbep, "cbo0.ctl0=0x400536", "mutually exclusive parts of TOR_OCCUPANCY");
  assert_broken(montecito, "PMC4=0x200e60f", "L2D_REFERENCES has no umask 0x0");
  struct pmon_decoded d = {.size = sizeof d};
  assert_int_equal(pmon_decode(context, emr, "imc0.ctl0=0x4005", &d), PMON_OK); /* without a kind: all registers */
  assert_int_equal(d.n_violations, 0);
}

static void test_decode(void **state)
{
  (void)state;
  static const char *const names[] = {
      "Cn_MSR_PMON_CTL0=0x00c817fe00000135", "cn_msr_pmon_ctl=0x00c817fe00000135", "cha.ctl=0x00c817fe00000135",
      "cha0.ctl0=0x00c817fe00000135",        "0x2002=0x00c817fe00000135",          "msr:0x2002=0x00c817fe00000135",
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct pmon_decoded d = {.size = sizeof d};
    if (pmon_decode(context, emr, names[i], &d) != PMON_OK)
      fail_msg("%s: %s", names[i], pmon_context_error(context));
    assert_true(d.has_event && d.n_violations == 0);
    assert_string_equal(d.event_text, i < 3 ? "cha/TOR_INSERTS.IA_MISS_DRD/" : "cha0/TOR_INSERTS.IA_MISS_DRD/");
  }
  struct pmon_decoded d = {.size = sizeof d};
  assert_int_equal(pmon_decode(context, emr, "mmio:MEM1+0x22844=0xcf05", &d), PMON_OK);
  assert_string_equal(d.event_text, "imc2/CAS_COUNT.RD/");
  assert_int_equal(pmon_decode(context, emr, "pci:30:3.1:0x358=0xf02", &d), PMON_OK);
  assert_string_equal(d.event_text, "upi2/TxL_FLITS.ALL_DATA/");
  assert_broken(emr, "cha3.ctl1=0x600135", "reserved bits 22:21");
  assert_broken(emr, "cha.ctl=0x840135", "inverting needs a threshold");
  assert_broken(emr, "cha.ctl=0x840135", "detecting edges needs a threshold");
  assert_broken(emr, "cha.ctl2=0xc001ff00000136", "counter 2");
  assert_broken(emr, "pcu.ctl=0xfe", "no event");
  assert_broken(toy, "box.ctl=0x400303", "mutually exclusive");
}

static void test_decode_refusals(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int status;
  } rows[] = {
      {"cha.ctl", PMON_E_SYNTAX},
      {"=1", PMON_E_SYNTAX},
      {"cha.ctl=x", PMON_E_SYNTAX},
      {"cha.ctl=0x10000000000000000", PMON_E_RANGE},
      {"nothing=1", PMON_E_UNKNOWN},
      {"cha.nothing=1", PMON_E_UNKNOWN},
      {"nothing.ctl=1", PMON_E_UNKNOWN},
      {"0x1=1", PMON_E_UNKNOWN},
      {"cha64.ctl=1", PMON_E_RANGE},
      {"imc.ctl=0x100000000", PMON_E_RANGE},
      {"cha.ctl4=1", PMON_E_UNKNOWN},
      {"mmio:MEMX+1=1", PMON_E_UNKNOWN},
      {"pci:30:40.1:0x3=1", PMON_E_UNKNOWN},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_decoded d = {.size = sizeof d};
    int status = pmon_decode(context, emr, rows[i].text, &d);
    if (status != rows[i].status)
      fail_msg("%s: %d", rows[i].text, status);
  }
}

/* pmon_register_find() maps addresses back to their registers. */
static void test_register_find(void **state)
{
  (void)state;
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_unit_info u = {.size = sizeof u};
  for (uint32_t i = 0; pmon_unit_describe(emr, i, &u) == PMON_OK; i++)
    for (uint32_t k = 0; pmon_register_describe(emr, i, k, &r) == PMON_OK; k++) {
      struct pmon_register_id id = {i, k, u.instances - 1, r.count - 1}, found;
      struct pmon_address a, b;
      assert_int_equal(pmon_register_address(emr, &id, &a), PMON_OK);
      assert_int_equal(pmon_register_find(emr, &a, &found), PMON_OK);
      assert_int_equal(pmon_register_address(emr, &found, &b), PMON_OK);
      assert_true(a.package == b.package && a.space == b.space && a.width_bits == b.width_bits &&
                  a.device == b.device && a.offset == b.offset);
      id.index = r.count;
      assert_int_equal(pmon_register_address(emr, &id, &a), PMON_E_RANGE);
    }
}

/* Addresses in the format of pmon_address_format() are register names; a per-thread MSR needs no thread. */
static void test_addresses_are_names(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    uint32_t instance;
    bool any;
  } rows[] = {{"msr 0x2002", 0, false},       {"msr cpu5:0x309", 5, false}, {"msr:cpu5:0x309", 5, false},
              {"msr:0x309", 0, true},         {"0x309", 0, true},           {"mmio MEM0+0x22840", 0, false},
              {"mmio:MEM0+0x22840", 0, false}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct pmon_register_match m = {.size = sizeof m};
    if (pmon_register_resolve(emr, rows[i].name, &m) || m.id.instance != rows[i].instance ||
        m.any_instance != rows[i].any)
      fail_msg("%s: instance %u: %s", rows[i].name, m.id.instance, pmon_context_error(context));
  }
  struct pmon_register_match m = {.size = sizeof m};
  assert_int_equal(pmon_register_resolve(emr, "msr 0x2002 0", &m), PMON_E_UNKNOWN);
  assert_int_equal(pmon_register_resolve(emr, "msr:cpu5:0x2002", &m), PMON_E_UNKNOWN);
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_unit_info u = {.size = sizeof u};
  for (uint32_t i = 0; pmon_unit_describe(emr, i, &u) == PMON_OK; i++)
    for (uint32_t k = 0; pmon_register_describe(emr, i, k, &r) == PMON_OK; k++) {
      const struct pmon_register_id id = {i, k, u.instances - 1, r.count - 1};
      struct pmon_register_id found;
      struct pmon_address a;
      char text[96];
      assert_int_equal(pmon_register_address(emr, &id, &a), PMON_OK);
      assert_int_equal(pmon_register_find(emr, &a, &found), PMON_OK);
      pmon_address_format(&a, text, sizeof text);
      if (pmon_register_resolve(emr, text, &m) || memcmp(&m.id, &found, sizeof found))
        fail_msg("%s is not %s: %s", text, r.name, pmon_context_error(context));
    }
}

/* A layout is found by its name if no unit has a register of that name, and each value of a list has its row. */
static void test_layouts_and_values(void **state)
{
  (void)state;
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_values_info v = {.size = sizeof v};
  struct pmon_value_info one = {.size = sizeof one};
  uint32_t found = 0;
  for (uint32_t k = 0; pmon_register_describe(emr, PMON_UNIT_NONE, k, &r) == PMON_OK; k++) {
    struct pmon_register_match m = {.size = sizeof m};
    assert_int_equal(pmon_register_resolve(emr, r.name, &m), PMON_OK);
    if (m.id.unit != PMON_UNIT_NONE)
      continue;
    assert_int_equal(m.id.reg, k);
    found++;
  }
  assert_true(found > 20);
  for (uint32_t i = 0; pmon_values_describe(emr, i, &v) == PMON_OK; i++)
    for (uint32_t k = 0; k < v.rows; k++) {
      one.name = NULL;
      assert_int_equal(pmon_value_describe(emr, i, k, &one), PMON_OK);
      assert_true(one.name && *one.name && one.meaning);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vectors),
      cmocka_unit_test(test_addresses),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_filter_image),
      cmocka_unit_test(test_fields_name_their_overlay),
      cmocka_unit_test(test_every_row_round_trips),
      cmocka_unit_test(test_combinations_round_trip),
      cmocka_unit_test(test_parts_are_missed),
      cmocka_unit_test(test_decode),
      cmocka_unit_test(test_decode_refusals),
      cmocka_unit_test(test_register_find),
      cmocka_unit_test(test_addresses_are_names),
      cmocka_unit_test(test_layouts_and_values),
  };
  return cmocka_run_group_tests(tests, toy_set_up, toy_tear_down);
}
