/* SPDX-License-Identifier: MIT */
/* The register file: implemented bits, reset values, and the results of reads (3.3, 3.3.12). */
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "machine/montecito/core/state.h"
#include "machine/montecito/monitors/fields.h"
#include "machine/montecito/monitors/monitors.h"

/* Runs of registers with the same layout. `implemented`: writable bits; `fixed`: bits that software must not change
 * and that do not change; `reset`: the value that PAL leaves at reset. */
struct run {
  uint8_t first, last;
  uint64_t implemented, fixed, reset;
};

static const struct run pmcs[] = {
    {0, 0, 0xfff1, 0, 0}, /* Table 3-8 */
    {1, 3, 0, 0, 0},
    {4, 15, 0x7f7fff7f, 0, 0},                           /* Table 3-6 */
    {32, 32, 0x030f01ffffffffff, 0, 0x030f01ffffffffff}, /* Table 3-11 */
    {33, 33, 0x1ffffffffff, 0, 0x1ffffffffff},           /* Table 3-12 */
    {34, 34, 0x000f01ffffffffff, 0, 0x000f01ffffffffff},
    {35, 35, 0x1ffffffffff, 0, 0x1ffffffffff},
    {36, 36, 0xffffffff, 0xfffffff0, 0xfffffff0},                          /* Table 3-13 */
    {37, 37, 0x3fff, 0xc000, 0},                                           /* Table 3-15 */
    {38, 38, 0x3fff, ~UINT64_C(0x2492), 0xdb6},                            /* Table 3-10 */
    {39, 39, 0xffcf, 0, 0},                                                /* Table 3-26 */
    {40, 40, 0x030f01cf, 0, 0},                                            /* Table 3-20 */
    {41, 41, 0x1ffffffffffff, ~UINT64_C(0x1e00018181818), 0x2078fefefefe}, /* Table 3-14 */
    {42, 42, 0x7ff4f, 0, 0},                                               /* Table 3-30 */
};

static const struct run pmds[] = {
    {4, 15, (UINT64_C(1) << 47) - 1, 0, 0}, /* Table 3-7 */
    {32, 32, UINT64_MAX, 0, 0},             /* Table 3-22 */
    {33, 33, 0xffff, 0, 0},
    {34, 34, ~UINT64_C(0x1c), 0, 0}, /* Table 3-17 */
    {35, 35, 0x1fff, 0, 0},
    {36, 36, UINT64_MAX, 0, 0},
    {38, 38, 0x2f, 0, 0}, /* Table 3-28 */
    {39, 39, UINT64_MAX, 0, 0},
    {48, 63, UINT64_MAX, 0, 0},
};

static const struct run *register_run(const struct run *runs, size_t n, uint64_t number)
{
  for (size_t i = 0; i < n; i++)
    if (number >= runs[i].first && number <= runs[i].last)
      return &runs[i];
  return NULL;
}

/* Breakpoint registers: addresses in the even ones, masks in the odd ones (3.3.5.1, 3.3.7). */
static const struct run breakpoint_address = {0, 6, UINT64_MAX, 0, 0},
                        ibr_mask = {1, 7, UINT64_C(0x8fffffffffffffff), 0, 0},
                        dbr_mask = {1, 7, UINT64_C(0xcfffffffffffffff), 0, 0};

static const struct run *register_find_run(const struct pmon_address *a)
{
  switch ((enum pmon_space)a->space) {
  case PMON_SPACE_PMC: return register_run(pmcs, sizeof pmcs / sizeof *pmcs, a->offset);
  case PMON_SPACE_PMD: return register_run(pmds, sizeof pmds / sizeof *pmds, a->offset);
  default: break;
  }
  if (a->offset > 7)
    return NULL;
  return !(a->offset % 2) ? &breakpoint_address : a->space == PMON_SPACE_IBR ? &ibr_mask : &dbr_mask;
}

static unsigned breakpoint_run(const struct pmon_address *a)
{
  return (a->space == PMON_SPACE_IBR ? MONTECITO_IBR : MONTECITO_DBR) + (unsigned)a->offset;
}

void montecito_registers_reset(struct montecito_thread *t)
{
  for (size_t i = 0; i < sizeof pmcs / sizeof *pmcs; i++)
    for (unsigned n = pmcs[i].first; n <= pmcs[i].last; n++)
      t->pmc[n] = pmcs[i].reset;
  t->state[MONTECITO_PMV] = PMV_M; /* 3.3.12 */
  t->changed = true;
}

uint64_t pmc_fixed(unsigned n)
{
  const struct run *r = register_run(pmcs, sizeof pmcs / sizeof *pmcs, n);
  return r ? r->fixed : 0;
}

uint64_t pmc_reset(unsigned n)
{
  const struct run *r = register_run(pmcs, sizeof pmcs / sizeof *pmcs, n);
  return r ? r->reset : 0;
}

uint64_t pmc_bits(unsigned n)
{
  const struct run *r = register_run(pmcs, sizeof pmcs / sizeof *pmcs, n);
  return r ? r->implemented | (r->fixed & r->reset) : 0;
}

uint64_t pmd_bits(unsigned n)
{
  const struct run *r = register_run(pmds, sizeof pmds / sizeof *pmds, n);
  return r ? r->implemented : 0;
}

static int register_error(struct montecito_machine *m, const struct pmon_address *a, int status, const char *why)
{
  static const char *const names[] = {"MSR ", "PCI ", "MMIO ", "PMC", "PMD", "IBR", "DBR"};
  snprintf(m->error, sizeof m->error, "thread %u, %s%llu: %s", a->package,
           a->space < sizeof names / sizeof *names ? names[a->space] : "register ", (unsigned long long)a->offset, why);
  return status;
}

static int register_check_address(struct montecito_machine *m, const struct pmon_address *a)
{
  if (a->package >= MONTECITO_THREADS)
    return register_error(m, a, PMON_E_NO_DEVICE, "no such hardware thread; expected 0 to 3");
  if (a->space < PMON_SPACE_PMC || a->space > PMON_SPACE_DBR)
    return register_error(m, a, PMON_E_NO_DEVICE, "this processor has only PMC, PMD, IBR and DBR registers");
  if (a->width_bits != 64)
    return register_error(m, a, PMON_E_INVALID, "an access must be 64 bits wide");
  if (!register_find_run(a))
    return register_error(m, a, PMON_E_NO_DEVICE, "no such register");
  return PMON_OK;
}

/* EARs and trace buffer may be read only while the monitors are frozen (3.3.1). Otherwise their contents are
 * undefined; this machine returns the complement, which cannot be mistaken for a result. */
static uint64_t read_data(struct montecito_machine *m, const struct pmon_address *a)
{
  const struct montecito_thread *t = &m->threads[a->package];
  const uint64_t value = t->pmd[a->offset];
  if (a->offset < 32)
    return (value ^ UINT64_C(1) << 46) - (UINT64_C(1) << 46);
  if (t->pmc[0] & PMC0_FR)
    return value;
  montecito_violation_add(m, a->package,
                          (struct machine_violation){.address = *a,
                                                     .field = "-",
                                                     .bits = UINT64_MAX,
                                                     .rule = "can be read only while PMC0.fr is set",
                                                     .section = "3.3.1, 3.3.8, 3.3.9, 3.3.10.1.2"});
  return ~value & register_find_run(a)->implemented;
}

int montecito_machine_read(struct montecito_machine *m, const struct pmon_address *a, uint64_t *ret_value)
{
  int status = register_check_address(m, a);
  if (status)
    return status;
  montecito_machine_close_cycles(m);
  if (a->space > PMON_SPACE_PMD)
    *ret_value = m->threads[a->package].state[breakpoint_run(a)];
  else
    *ret_value = a->space == PMON_SPACE_PMC ? m->threads[a->package].pmc[a->offset] : read_data(m, a);
  return PMON_OK;
}

/* True if the pm bit of the PMC that belongs to a PMD protects it. */
static bool pmd_is_privileged(const struct montecito_thread *t, uint64_t pmd)
{
  if (pmd < 32)
    return t->pmc[pmd] & CTL_PM;
  if (pmd == PMD_IEAR_ADDRESS || pmd == PMD_IEAR_LATENCY)
    return t->pmc[PMC_IEAR] & IEAR_PM;
  if (pmd <= PMD_DEAR_IP)
    return t->pmc[PMC_DEAR] & CTL_PM;
  return t->pmc[t->pmc[PMC_IPEAR] >> IPEAR_MODE_SHIFT & 7 ? PMC_IPEAR : PMC_ETB] & CTL_PM;
}

int montecito_machine_read_user(struct montecito_machine *m, const struct pmon_address *a, uint64_t *ret_value)
{
  int status = register_check_address(m, a);
  const struct montecito_thread *t;
  if (status)
    return status;
  t = &m->threads[a->package];
  if (!(t->state[MONTECITO_PSR] >> PSR_CPL_SHIFT & 3))
    return montecito_machine_read(m, a, ret_value);
  if (a->space != PMON_SPACE_PMD)
    return register_error(m, a, PMON_E_PERMISSION, "only privileged software can read this register");
  if (!pmd_is_privileged(t, a->offset) && !(t->state[MONTECITO_PSR] & PSR_SP))
    return montecito_machine_read(m, a, ret_value);
  *ret_value = 0;
  return PMON_OK;
}

int montecito_machine_write(struct montecito_machine *m, const struct pmon_address *a, uint64_t value)
{
  int status = register_check_address(m, a);
  const struct run *r;
  struct montecito_thread *t;
  if (status)
    return status;
  montecito_machine_close_cycles(m);
  rules_check_write(m, a->package, a, value);
  r = register_find_run(a);
  t = &m->threads[a->package];
  if (a->space > PMON_SPACE_PMD) {
    t->state[breakpoint_run(a)] = value & r->implemented;
  } else if (a->space == PMON_SPACE_PMD) {
    t->pmd[a->offset] = value & r->implemented;
    if (a->offset < 32)
      return PMON_OK;
  } else {
    const bool frozen = t->pmc[0] & PMC0_FR;
    t->pmc[a->offset] = (value & r->implemented & ~r->fixed) | (r->reset & r->fixed);
    if (a->offset == 0 && !(value & PMC0_FR))
      t->etb.stopping = t->etb.stopped = false;
    else if (a->offset == 0 && !frozen) /* a freeze by software has the same delay for the IP-EAR (3.3.10.2) */
      etb_frozen(&m->cores[a->package / 2], a->package % 2, 0);
  }
  t->changed = true;
  return PMON_OK;
}

const char *montecito_machine_error(const struct montecito_machine *m)
{
  return m->error;
}

uint64_t montecito_thread_register_get(const struct montecito_machine *m, unsigned thread, unsigned id)
{
  return thread < MONTECITO_THREADS && id < MONTECITO_THREAD_REGISTERS ? m->threads[thread].state[id] : 0;
}

void montecito_thread_register_set(struct montecito_machine *m, unsigned thread, unsigned id, uint64_t value)
{
  struct montecito_thread *t;
  if (thread >= MONTECITO_THREADS || id >= MONTECITO_THREAD_REGISTERS)
    return;
  montecito_machine_close_cycles(m);
  t = &m->threads[thread];
  t->state[id] = value;
  t->changed = true;
  if (id == MONTECITO_PSR)
    etb_disturbed(&m->cores[thread / 2], thread % 2);
}

uint64_t montecito_pin_pulses(const struct montecito_machine *m, unsigned thread)
{
  return m->threads[thread].pins;
}

/* The guide still returns the values of the predecessor: four pairs, masks of 14 and 18 registers, and counters 4 to
 * 7. This function returns the values of this machine. Width and both events are as printed. */
struct montecito_pal_info montecito_pal_info(void)
{
  struct montecito_pal_info info = {.retired_event = 0x08,
                                    .cycles_event = 0x12,
                                    .width = 48,
                                    .pairs = MONTECITO_COUNTERS,
                                    .cycles_mask = COUNTERS_MASK,
                                    .retired_mask = COUNTERS_MASK};
  for (size_t i = 0; i < sizeof pmcs / sizeof *pmcs; i++)
    for (unsigned n = pmcs[i].first; n <= pmcs[i].last; n++)
      info.pmc_mask |= UINT64_C(1) << n;
  for (size_t i = 0; i < sizeof pmds / sizeof *pmds; i++)
    for (unsigned n = pmds[i].first; n <= pmds[i].last; n++)
      info.pmd_mask |= UINT64_C(1) << n;
  return info;
}
