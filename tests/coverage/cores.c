/* SPDX-License-Identifier: MIT */
#include "tests/coverage/cores.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "machine/montecito/config.h"
#include "machine/montecito/machine.h"
#include "machine/montecito/events/events.h"

enum { PLM = 0xf, PMC_THRESHOLD_SHIFT = 20 };
enum { PMC_IEAR = 37, PMC_ETB = 39, PMC_DEAR = 40 };

const struct ears ears[EARS] = {{PLM | 1 << 13 | 0xff << 5, 1 << 25 | PLM},
                                {PLM | 2 << 5, 1 << 25 | PLM | 1 << 7 | 14 << 16},
                                {PLM | 2 << 5, 1 << 25 | PLM | 2 << 7}};

static void pmc_write(struct montecito_machine *m, uint32_t thread, unsigned pmc, uint64_t value)
{
  const struct pmon_address a = {.package = thread, .space = PMON_SPACE_PMC, .width_bits = 64, .offset = pmc};
  assert_int_equal(montecito_machine_write(m, &a, value), 0);
}

uint64_t pmd_read(struct montecito_machine *m, uint32_t thread, unsigned pmd)
{
  const struct pmon_address a = {.package = thread, .space = PMON_SPACE_PMD, .width_bits = 64, .offset = pmd};
  uint64_t value = 0;
  assert_int_equal(montecito_machine_read(m, &a, &value), 0);
  return value;
}

static struct montecito_machine *machine_of_size(bool small)
{
  static const char *const settings[] = {"l1i.size=4096",    "l1d.size=4096",      "l2i.size=4096",
                                         "l2d.size=4096",    "l3.size=6144",       "l1itlb.entries=4",
                                         "l2itlb.entries=4", "l1dtlb.entries=4",   "l2dtlb.entries=40",
                                         "page.size=4096",   "memory.latency=5000"};
  struct montecito_config config;
  struct montecito_machine *m;
  char error[200] = "";
  montecito_config_init(&config);
  for (size_t i = 0; small && i < sizeof settings / sizeof *settings; i++)
    if (montecito_config_parse(&config, settings[i], error, sizeof error))
      fail_msg("%s: %s", settings[i], error);
  assert_int_equal(montecito_machine_new_configured(&config, error, sizeof error, &m), 0);
  return m;
}

struct montecito_machine *machine_counting(const struct row *row, unsigned threshold, const struct ears *ear,
                                           bool small)
{
  const unsigned counters = montecito_event_counters(row->e->code);
  struct montecito_machine *const m = machine_of_size(small);
  for (uint32_t thread = 0; thread < MONTECITO_THREADS; thread++) {
    pmc_write(m, thread, PMC_IEAR, ear->iear);
    pmc_write(m, thread, PMC_ETB, PLM | 3 << 8 | 3 << 10 | 3 << 12);
    pmc_write(m, thread, PMC_DEAR, ear->dear);
    for (unsigned i = MONTECITO_FIRST_COUNTER; i < MONTECITO_FIRST_COUNTER + MONTECITO_COUNTERS; i++)
      if (counters >> i & 1)
        pmc_write(m, thread, i,
                  UINT64_C(0x7a00000f) | (uint64_t)row->e->code << 8 | row->value << 16 |
                      threshold << PMC_THRESHOLD_SHIFT);
  }
  return m;
}

uint64_t largest_count(struct montecito_machine *m)
{
  uint64_t largest = 0;
  for (uint32_t thread = 0; thread < MONTECITO_THREADS; thread++)
    for (unsigned i = MONTECITO_FIRST_COUNTER; i < MONTECITO_FIRST_COUNTER + MONTECITO_COUNTERS; i++) {
      const uint64_t value = pmd_read(m, thread, i);
      largest = value > largest ? value : largest;
    }
  return largest;
}

void each_row(row_fn fn)
{
  for (const struct montecito_event *e = montecito_events; e->name; e++) {
    if (!e->umasks)
      fn(&(struct row){e, NULL, 0});
    for (const struct montecito_umask *u = e->umasks; u && u->name; u++)
      fn(&(struct row){e, u->name, (unsigned)__builtin_ctz(u->values)});
  }
}
