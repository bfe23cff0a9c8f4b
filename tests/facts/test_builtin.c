/* SPDX-License-Identifier: MIT */
/* The compiled-in tables: every name is found, every register has an address of its own. */
#include <ctype.h>
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "src/facts/index.h"
#include "tests/facts/toy.h"

static const struct db *const db = &db_builtin;

static void other_case(char *out, size_t size, const char *s)
{
  size_t i = 0;
  for (; s[i] && i + 1 < size; i++)
    out[i] = (char)(islower((unsigned char)s[i]) ? toupper((unsigned char)s[i]) : tolower((unsigned char)s[i]));
  out[i] = 0;
}

/* The event that a unit names as its witness, with its umask; settings may follow it (test own-witness resolves
 * these). */
static void every_witness_is_an_event_of_its_unit(void **state)
{
  uint32_t n = 0;
  (void)state;
  for (uint32_t i = 0; i < db->n_units; i++) {
    const char *name = db_text(db, db->units[i].witness), *dot = strchr(name, '.');
    bool found = !*name;
    for (uint32_t k = 0; !found && k < db->units[i].imports.n; k++) {
      const uint32_t set = db->imports[db->units[i].imports.first + k].set;
      const uint32_t event = dot ? db_find_event(db, set, name, (size_t)(dot - name)) : DB_NONE;
      found = event != DB_NONE && db_find_umask(db, event, dot + 1, strcspn(dot + 1, ",")) != DB_NONE;
    }
    if (!found)
      fail_msg("%s: no event %s", db_text(db, db->units[i].name), name);
    n += *name != 0;
  }
  assert_true(n >= 4);
}

static void every_event_and_umask_is_found_in_any_case(void **state)
{
  (void)state;
  char name[128];
  assert_true(db->n_events > 500 && db->n_umasks > 2500);
  for (uint32_t i = 0; i < db->n_events; i++) {
    const struct db_event *e = &db->events[i];
    other_case(name, sizeof name, db_text(db, e->name));
    assert_int_equal(db_find_event(db, e->set, name, strlen(name)), i);
    assert_int_equal(db_find_event(db, e->set, name, strlen(name) - 1) == i, false);
    for (uint32_t u = e->umasks.first; u < e->umasks.first + e->umasks.n; u++) {
      other_case(name, sizeof name, db_text(db, db->umasks[u].name));
      assert_int_equal(db_find_umask(db, i, name, strlen(name)), u);
    }
  }
}

static void every_row_has_a_description_and_a_citation(void **state)
{
  (void)state;
  for (uint32_t i = 0; i < db->n_events; i++) {
    assert_true(*db_text(db, db->events[i].brief));
    assert_true(*db_text(db, db->events[i].origin.cite));
  }
  for (uint32_t i = 0; i < db->n_umasks; i++)
    assert_true(*db_text(db, db->umasks[i].brief));
  for (uint32_t i = 0; i < db->n_layouts; i++)
    assert_true(*db_text(db, db->layouts[i].origin.cite));
  for (uint32_t i = 0; i < db->n_metrics; i++)
    assert_true(*db_text(db, db->metrics[i].brief) && *db_text(db, db->metrics[i].origin.cite));
}

struct address {
  uint32_t space, device;
  uint64_t at;
  uint32_t shared;
};

static int address_order(const void *a, const void *b)
{
  const struct address *x = a, *y = b;
  if (x->space != y->space)
    return x->space < y->space ? -1 : 1;
  if (x->device != y->device)
    return x->device < y->device ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

/* Every register of every instance of a platform, as bytes (or numbers, for MSRs and Itanium's register files); no two
 * overlap. */
static void registers_overlap(const struct db_platform *p)
{
  struct address *all = calloc(100000, sizeof *all);
  assert_non_null(all);
  size_t n = 0;
  for (uint32_t u = p->units.first; u < p->units.first + p->units.n; u++) {
    const struct db_unit *unit = &db->units[u];
    for (uint32_t i = 0; unit->places.n && i < unit->instances;
         i++) /* units without addresses are known to Linux perf */
      for (uint32_t k = unit->registers.first; k < unit->registers.first + unit->registers.n; k++) {
        const struct db_register *r = &db->registers[k];
        if (r->n_own && i % (unit->instances / r->n_own))
          continue; /* at the address of the instance before it */
        const struct db_place *place = db_register_place(db, unit, r, i);
        uint64_t base = place->base + (r->n_own ? 0 : r->offset);
        bool numbers = place->space != PMON_SPACE_PCI && place->space != PMON_SPACE_MMIO;
        unsigned units = numbers ? 1 : db->layouts[r->layout].width / 8;
        for (uint32_t c = 0; c < r->count; c++)
          for (unsigned b = 0; b < units; b++)
            all[n++] = (struct address){place->space, place->device, base + (uint64_t)c * r->step + b, k};
        assert_true(n < 99000);
      }
  }
  qsort(all, n, sizeof *all, address_order);
  for (size_t i = 1; i < n; i++)
    if (!address_order(&all[i - 1], &all[i]))
      fail_msg("%s and %s both stand at %u %x 0x%llx", db_text(db, db->registers[all[i - 1].shared].name),
               db_text(db, db->registers[all[i].shared].name), all[i].space, all[i].device,
               (unsigned long long)all[i].at);
  free(all);
}

static void no_two_registers_overlap(void **state)
{
  (void)state;
  for (uint32_t p = 0; p < db->n_platforms; p++)
    registers_overlap(&db->platforms[p]);
}

/* A few addresses of Tables 1-8 to 1-12, typed here independently of the .unit file. */
static void addresses_equal_the_guides(void **state)
{
  (void)state;
  static const struct {
    const char *unit, *reg;
    uint32_t instance, index, space, device;
    uint64_t at;
  } rows[] = {
      {"ubox", "U_MSR_PMON_GLOBAL_CTL", 0, 0, PMON_SPACE_MSR, 0, 0x2ff0},
      {"ubox", "U_MSR_PMON_GLOBAL_STATUS1", 0, 0, PMON_SPACE_MSR, 0, 0x2ff3},
      {"ubox", "U_MSR_PMON_FIXED_CTR", 0, 0, PMON_SPACE_MSR, 0, 0x2fdf},
      {"cha", "Cn_MSR_PMON_CTR", 63, 3, PMON_SPACE_MSR, 0, 0x23fb},
      {"cha", "Cn_MSR_PMON_BOX_FILTER", 21, 0, PMON_SPACE_MSR, 0, 0x215e},
      {"mdf", "MDF_PMON_CTL", 13, 3, PMON_SPACE_MSR, 0, 0x29f5},
      {"mdf", "MDF_PMON_UNIT_CTL", 8, 0, PMON_SPACE_MSR, 0, 0x2940},
      {"m2pcie", "M2n_MSR_PMON_UNIT_STATUS", 9, 0, PMON_SPACE_MSR, 0, 0x3291},
      {"irp", "IRPn_MSR_PMON_CTR", 4, 1, PMON_SPACE_MSR, 0, 0x3449},
      {"iio", "IIO_MSR_PMON_FRCTR_IOCLK", 9, 0, PMON_SPACE_MSR, 0, 0x349e},
      {"iio", "IIO_MSR_PMON_FRCTR_BW_IN_P", 7, 7, PMON_SPACE_MSR, 0, 0x3877},
      {"iio", "IIO_MSR_PMON_FRCTR_BW_OUT_P", 9, 0, PMON_SPACE_MSR, 0, 0x3898},
      {"iio", "IIOn_MSR_PMON_CTL", 9, 3, PMON_SPACE_MSR, 0, 0x3095},
      {"pcu", "PCU_MSR_PMON_BOX_FILTER", 0, 0, PMON_SPACE_MSR, 0, 0x2fce},
      {"imc", "MC_CHy_PCI_PMON_CTR", 1, 3, PMON_SPACE_MMIO, 0, 0x2a820},
      {"imc", "MC_CHy_PCI_PMON_CTL", 6, 3, PMON_SPACE_MMIO, 3, 0x2284c},
      {"imc", "MC_CHy_PCI_PMON_UNIT_STATUS", 7, 0, PMON_SPACE_MMIO, 3, 0x2a85c},
      {"imc", "MC_CHy_PCI_PMON_FIXED_CTR", 0, 0, PMON_SPACE_MMIO, 0, 0x22838},
      {"imc", "MC_MMIO_PMON_FRCTR_RPQ_ACTIVE", 5, 0, PMON_SPACE_MMIO, 2, 0x2318},
      {"m2m", "M2Mn_PCI_PMON_CTL", 3, 3, PMON_SPACE_PCI, 30 << 8 | 15 << 3, 0x480},
      {"m2m", "M2Mn_PCI_PMON_UNIT_STATUS", 0, 0, PMON_SPACE_PCI, 30 << 8 | 12 << 3, 0x4a8},
      {"m2m", "M2Mn_PCI_PMON_OPCODE_MM", 0, 0, PMON_SPACE_PCI, 30 << 8 | 12 << 3, 0x4a0},
      {"m2m", "M2Mn_PCI_PMON_ADDRMASK1", 1, 0, PMON_SPACE_PCI, 30 << 8 | 13 << 3, 0x49c},
      {"m3upi", "M3_Ly_PCI_PMON_CTL", 2, 3, PMON_SPACE_PCI, 30 << 8 | 7 << 3 | 1, 0xf0},
      {"upi", "U_Ly_PCI_PMON_UNIT_STATUS", 3, 0, PMON_SPACE_PCI, 30 << 8 | 4 << 3 | 1, 0x38c},
      {"upi", "U_Ly_PCI_PMON_CTL", 0, 3, PMON_SPACE_PCI, 30 << 8 | 1 << 3 | 1, 0x368},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct db_unit *unit = &db->units[db_find_unit(db, 0, rows[i].unit, strlen(rows[i].unit))];
    const struct db_register *r = NULL;
    for (uint32_t k = unit->registers.first; k < unit->registers.first + unit->registers.n; k++)
      if (!strcmp(db_text(db, db->registers[k].name), rows[i].reg))
        r = &db->registers[k];
    assert_non_null(r);
    assert_true(rows[i].index < r->count);
    const struct db_place *place = db_register_place(db, unit, r, rows[i].instance);
    uint32_t device = place->device;
    if (place->space == PMON_SPACE_MMIO)
      device = (uint32_t)(db_text(db, place->device)[3] - '0');
    assert_int_equal(place->space, rows[i].space);
    assert_int_equal(device, rows[i].device);
    assert_int_equal(place->base + (r->n_own ? 0 : r->offset) + (uint64_t)rows[i].index * r->step, rows[i].at);
  }
}

static void all_emr_units_are_present(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    uint32_t instances, counters, discovery;
  } units[] = {
      {"ubox", 1, 2, 5},  {"cha", 64, 4, 0},   {"imc", 8, 4, 6},     {"m2m", 4, 4, 7},       {"upi", 4, 4, 8},
      {"iio", 10, 4, 1},  {"irp", 10, 2, 2},   {"m2pcie", 10, 4, 3}, {"m3upi", 4, 4, 9},     {"pcu", 1, 4, 4},
      {"mdf", 14, 4, 11}, {"cxlcm", 6, 8, 12}, {"cxldp", 6, 4, 13},  {"cms", 0, 4, DB_NONE},
  };
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    uint32_t row = db_find_unit(db, 0, units[i].name, strlen(units[i].name));
    assert_int_not_equal(row, DB_NONE);
    assert_int_equal(db->units[row].instances, units[i].instances);
    assert_int_equal(db->units[row].counters, units[i].counters);
    assert_int_equal(db->units[row].discovery, units[i].discovery);
    assert_true(db->sets[db->imports[db->units[row].imports.first].set].events.n > 0);
  }
}

static void files_are_listed(const char *platform)
{
  size_t size;
  char name[300];
  snprintf(name, sizeof name, "../../data/%s/%s.platform", platform, platform);
  char *listed = toy_read(name, &size);
  struct dirent **files;
  snprintf(name, sizeof name, FACTS_DIR "/../../data/%s", platform);
  int n = scandir(name, &files, NULL, alphasort);
  assert_non_null(listed);
  assert_true(n > 6 && size < 1 << 16);
  for (int i = 0; i < n; i++) {
    char line[300];
    snprintf(line, sizeof line, " %s\n", files[i]->d_name);
    if (files[i]->d_name[0] != '.' && !strstr(files[i]->d_name, ".platform") &&
        !memmem(listed, size, line, strlen(line)))
      fail_msg("%s.platform does not list %s", platform, files[i]->d_name);
    free(files[i]);
  }
  free(files);
  free(listed);
}

/* A fact file that no platform lists would be missing without notice. */
static void every_file_is_listed(void **state)
{
  (void)state;
  for (uint32_t p = 0; p < db->n_platforms; p++)
    files_are_listed(db_text(db, db->platforms[p].name));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_witness_is_an_event_of_its_unit),
      cmocka_unit_test(every_event_and_umask_is_found_in_any_case),
      cmocka_unit_test(every_row_has_a_description_and_a_citation),
      cmocka_unit_test(no_two_registers_overlap),
      cmocka_unit_test(addresses_equal_the_guides),
      cmocka_unit_test(all_emr_units_are_present),
      cmocka_unit_test(every_file_is_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
