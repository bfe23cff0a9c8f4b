/* SPDX-License-Identifier: MIT */
/*
 * Calls of the processor's firmware (PAL). A real program branches to an address that the boot loader has passed on;
 * here `break 0x110000` replaces that branch. The number of the call is in r28. Arguments are in r29 to r31 (static
 * calls), or in the output registers after the number (stacked calls, numbers from 256 on). r8 returns the status: 0,
 * -1 for a call that does not exist, -2 for a wrong argument. Numbers, the order of arguments, and results are those of
 * Linux' header asm/pal.h for ia64.
 */
#include "machine/montecito/exec/privileged.h"
#include "machine/montecito/machine.h"

enum {
  PAL_CACHE_FLUSH = 1,
  PAL_PERF_MON_INFO = 15,
  PAL_PROC_GET_FEATURES = 17,
  PAL_PROC_SET_FEATURES = 18,
  PAL_HALT_LIGHT = 29,
  PAL_GET_HW_POLICY = 48,
  PAL_SET_HW_POLICY = 49,
  PAL_COPY_PAL = 256,
  PAL_BRAND_INFO = 274,
  NO_CALL = -1,
  WRONG = -2,
  NOT_AVAILABLE = -6
};
enum { STACKED_CALLS = 256, ARGUMENTS = 3 };
enum { FEATURE_SET = 18, CASTOUTS = 1 }; /* the bit that announces clean lines is the model's own choice */

/* Table 3-34, with this machine's values: writes masks of 256 bits to the buffer, the numbers to r9. */
static int64_t firmware_monitors(struct exec_cpu *c, const uint64_t *argument)
{
  const struct montecito_pal_info info = montecito_pal_info();
  const uint64_t masks[16] = {
      [0] = info.pmc_mask, [4] = info.pmd_mask, [8] = info.cycles_mask, [12] = info.retired_mask};
  if (argument[0] & 7 || !exec_memory_write(c->memory, argument[0], masks, sizeof masks))
    return WRONG;
  exec_gr_set(c, 9,
              info.pairs | (uint64_t)info.width << 8 | (uint64_t)info.cycles_event << 16 |
                  (uint64_t)info.retired_event << 24,
              false);
  return 0;
}

/* Features in the processor's own set: those that exist, those that are on, those that can be changed. */
static int64_t firmware_features(struct exec_cpu *c, const uint64_t *argument)
{
  if (argument[1] != FEATURE_SET)
    return WRONG;
  exec_gr_set(c, 9, CASTOUTS, false);
  exec_gr_set(c, 10, c->machine && montecito_castouts(c->machine) ? CASTOUTS : 0, false);
  exec_gr_set(c, 11, CASTOUTS, false);
  return 0;
}

static int64_t firmware_set_features(struct exec_cpu *c, const uint64_t *argument)
{
  if (argument[1] != FEATURE_SET || argument[0] & ~(uint64_t)CASTOUTS)
    return WRONG;
  if (c->machine)
    montecito_castouts_set(c->machine, argument[0] & CASTOUTS);
  return 0;
}

/* Table 2-10: the frequency in Hz, the size of the L3 in bytes, the bus frequency. The name of a brand is not
 * available. */
static int64_t firmware_brand(struct exec_cpu *c, const uint64_t *argument)
{
  static const uint64_t values[] = {MONTECITO_HZ, 12 << 20, MONTECITO_HZ / 6};
  if (argument[0] < 16)
    return NOT_AVAILABLE;
  if (argument[0] > 18)
    return WRONG;
  exec_gr_set(c, 9, values[argument[0] - 16], false);
  return 0;
}

/* The core's other thread continues, if it has a program: the instruction of the call is marked SLOT_QUIESCE. */
static int64_t firmware_halt(struct exec_cpu *c, const uint64_t *argument)
{
  (void)c;
  (void)argument;
  return 0;
}

/* ---- caches ---- */

/* Returns the vector of a pending interrupt that the thread does not mask; -1: none. */
static int64_t firmware_pending_vector(const struct exec_cpu *c)
{
  enum { VECTOR_BITS = 0xff };
  if (!c->machine)
    return -1;
  const uint64_t pmv = montecito_thread_register_get(c->machine, c->thread, MONTECITO_PMV);
  if (montecito_interrupt_pending(c->machine, c->thread) && !(pmv & PMV_M))
    return pmv & VECTOR_BITS;
  return exec_timer_is_due(c) ? (int64_t)(c->cr[CR_ITV] & VECTOR_BITS) : -1;
}

/* Arguments: the cache type; the operation (1: invalidates; 2: returns early for interrupts, here between two caches);
 * and the progress that an interrupted call returned in r10: the next cache. */
static int64_t firmware_flush(struct exec_cpu *c, const uint64_t *argument)
{
  enum { INSTRUCTION = 1, DATA, BOTH, COHERENT, INVALIDATES = 1, ASKS = 2, INTERRUPTED = 1 };
  static const uint8_t caches[] = {
      [INSTRUCTION] = 1 << MONTECITO_CACHE_L1I | 1 << MONTECITO_CACHE_L2I | 1 << MONTECITO_CACHE_L3,
      [DATA] = 1 << MONTECITO_CACHE_L1D | 1 << MONTECITO_CACHE_L2D | 1 << MONTECITO_CACHE_L3,
      [BOTH] = (1 << MONTECITO_CACHES) - 1,
      [COHERENT] = 1 << MONTECITO_CACHE_L1I | 1 << MONTECITO_CACHE_L2I};
  const uint64_t type = argument[0], operation = argument[1];
  uint64_t next = argument[2];
  if (type < INSTRUCTION || type > COHERENT || operation > (INVALIDATES | ASKS) || next > MONTECITO_CACHES)
    return WRONG;
  if (type != DATA)
    exec_code_forget_all(c);
  while (next < MONTECITO_CACHES && c->machine) {
    if (caches[type] >> next & 1)
      montecito_cache_flush(c->machine, c->thread, (enum montecito_cache_name)next,
                            type == COHERENT || operation & INVALIDATES);
    next++;
    if (operation & ASKS && next < MONTECITO_CACHES && firmware_pending_vector(c) >= 0) {
      exec_gr_set(c, 9, (uint64_t)firmware_pending_vector(c), false);
      exec_gr_set(c, 10, next, false);
      return INTERRUPTED;
    }
  }
  exec_gr_set(c, 9, 0, false);
  exec_gr_set(c, 10, 0, false);
  return 0;
}

/* ---- threads ---- */

/* r9: the policy of the core, or LOW for a thread after which the policy prefers the other one. r10: the number of
 * logical processors that the policy concerns. r11: the hardware thread with number argument[0] among them. */
static int64_t firmware_policy(struct exec_cpu *c, const uint64_t *argument)
{
  enum { LOW = 4, SHARE = 2 };
  unsigned holder = c->thread;
  if (argument[0] >= SHARE)
    return WRONG;
  const unsigned policy = c->machine ? montecito_policy(c->machine, c->thread, &holder) : 0;
  exec_gr_set(c, 9, policy >= MONTECITO_HIGH && holder != c->thread ? LOW : policy, false);
  exec_gr_set(c, 10, SHARE, false);
  exec_gr_set(c, 11, c->thread / SHARE * SHARE + argument[0], false);
  return 0;
}

/* Returns 1: the other thread has the core exclusively. */
static int64_t firmware_set_policy(struct exec_cpu *c, const uint64_t *argument)
{
  if (argument[0] > MONTECITO_EXCLUSIVE)
    return WRONG;
  return c->machine && !montecito_policy_set(c->machine, c->thread, (enum montecito_policy)argument[0]);
}

/* ---- the firmware's code ---- */

/* Copies a procedure that makes the call to the address (argument 0; argument 1: the size of the room there). r9: the
 * offset of its entry. Nothing for IA-32 is copied. A processor that is not the first one (argument 2: 1) finds the
 * copy in place. */
static int64_t firmware_copy(struct exec_cpu *c, const uint64_t *argument)
{
  /* { .mib  break.m 0x110000  nop.i 0  br.ret.sptk.many b0;; } */
  static const uint8_t code[] = {0x11, 0x00, 0x00, 0x08, 0x00, 0x02, 0x00, 0x00,
                                 0x00, 0x02, 0x00, 0x80, 0x08, 0x00, 0x84, 0x00};
  if (argument[0] % sizeof code || argument[1] < sizeof code || argument[2] > 1)
    return WRONG;
  if (!argument[2] && !exec_memory_write(c->memory, argument[0], code, sizeof code))
    return WRONG;
  exec_code_forget(c, argument[0]);
  exec_gr_set(c, 9, 0, false);
  return 0;
}

void exec_firmware_call(struct exec_cpu *c, struct montecito_slot *s)
{
  static const struct {
    unsigned number;
    int64_t (*call)(struct exec_cpu *c, const uint64_t *argument);
  } calls[] = {{PAL_CACHE_FLUSH, firmware_flush},
               {PAL_PERF_MON_INFO, firmware_monitors},
               {PAL_PROC_GET_FEATURES, firmware_features},
               {PAL_PROC_SET_FEATURES, firmware_set_features},
               {PAL_HALT_LIGHT, firmware_halt},
               {PAL_GET_HW_POLICY, firmware_policy},
               {PAL_SET_HW_POLICY, firmware_set_policy},
               {PAL_COPY_PAL, firmware_copy},
               {PAL_BRAND_INFO, firmware_brand}};
  const bool stacked = c->gr[28] >= STACKED_CALLS;
  uint64_t argument[ARGUMENTS];
  int64_t status = NO_CALL;
  if (!exec_is_privileged(c))
    return;
  for (unsigned i = 0; i < ARGUMENTS; i++)
    argument[i] = stacked ? exec_gr(c, 32u + c->frame.sol + 1 + i).v : c->gr[29 + i];
  for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
    if (calls[i].number == c->gr[28])
      status = calls[i].call(c, argument);
  if (c->gr[28] == PAL_HALT_LIGHT)
    s->flags |= SLOT_QUIESCE;
  exec_gr_set(c, 8, (uint64_t)status, false);
}
