/* SPDX-License-Identifier: MIT */
/*
 * Calls of the processor's firmware. A real program branches to an address that the boot loader has handed over; here
 * `break 0x110000` stands for it, with the number in r28 and arguments in r29 to r31, as PAL's static calls have them.
 * r8 returns the status: 0, -1 for a call that is not there, -2 for an argument that is wrong.
 */
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/machine.h"

enum {
  PAL_PERF_MON_INFO = 15,
  PAL_PROC_GET_FEATURES = 17,
  PAL_PROC_SET_FEATURES = 18,
  PAL_HALT_LIGHT = 29,
  PAL_BRAND_INFO = 274,
  NO_CALL = -1,
  WRONG = -2,
  NOT_AVAILABLE = -6
};
enum { FEATURE_SET = 18, CASTOUTS = 1 }; /* which bit announces clean lines is the model's own */

/* Table 3-34, as the machine has it: masks of 256 bits into the buffer at r29, the numbers into r9. */
static int64_t firmware_monitors(struct exec_cpu *c)
{
  const struct montecito_pal_info info = montecito_pal_info();
  const uint64_t masks[16] = {
      [0] = info.pmc_mask, [4] = info.pmd_mask, [8] = info.cycles_mask, [12] = info.retired_mask};
  if (c->gr[29] & 7 || !exec_memory_write(c->memory, c->gr[29], masks, sizeof masks))
    return WRONG;
  exec_gr_set(c, 9,
              info.pairs | (uint64_t)info.width << 8 | (uint64_t)info.cycles_event << 16 |
                  (uint64_t)info.retired_event << 24,
              false);
  return 0;
}

/* Features of the processor's own set: which there are, which are on, which can be changed. */
static int64_t firmware_features(struct exec_cpu *c)
{
  if (c->gr[30] != FEATURE_SET)
    return WRONG;
  exec_gr_set(c, 9, CASTOUTS, false);
  exec_gr_set(c, 10, c->machine && montecito_castouts(c->machine) ? CASTOUTS : 0, false);
  exec_gr_set(c, 11, CASTOUTS, false);
  return 0;
}

static int64_t firmware_set_features(struct exec_cpu *c)
{
  if (c->gr[30] != FEATURE_SET || c->gr[29] & ~(uint64_t)CASTOUTS)
    return WRONG;
  if (c->machine)
    montecito_castouts_set(c->machine, c->gr[29] & CASTOUTS);
  return 0;
}

/* Table 2-10: the frequency in Hz, the L3's bytes, the bus's frequency; a brand's name is not available. */
static int64_t firmware_brand(struct exec_cpu *c)
{
  static const uint64_t values[] = {MONTECITO_HZ, 12 << 20, MONTECITO_HZ / 6};
  if (c->gr[29] < 16)
    return NOT_AVAILABLE;
  if (c->gr[29] > 18)
    return WRONG;
  exec_gr_set(c, 9, values[c->gr[29] - 16], false);
  return 0;
}

void exec_firmware_call(struct exec_cpu *c)
{
  int64_t status = NO_CALL;
  if (!exec_is_privileged(c))
    return;
  if (c->gr[28] == PAL_PERF_MON_INFO)
    status = firmware_monitors(c);
  if (c->gr[28] == PAL_PROC_GET_FEATURES)
    status = firmware_features(c);
  if (c->gr[28] == PAL_PROC_SET_FEATURES)
    status = firmware_set_features(c);
  if (c->gr[28] == PAL_BRAND_INFO)
    status = firmware_brand(c);
  if (c->gr[28] == PAL_HALT_LIGHT) { /* the other thread of the core goes on, if it has a program */
    if (c->machine)
      montecito_switch_quiesce(c->machine, c->thread);
    status = 0;
  }
  exec_gr_set(c, 8, (uint64_t)status, false);
}
