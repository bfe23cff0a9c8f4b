/* SPDX-License-Identifier: MIT */
/*
 * The emulated dual-core Itanium 2 (Montecito): two cores of two hardware threads each; each thread has its own
 * performance monitors. The package of a register address is a hardware thread, 0 to 3; threads 0 and 1 share core 0.
 *
 * The input is a stream of retired bundles (docs/bundles.md). Simulated time is counted in core cycles at 1.6 GHz.
 */
#ifndef MACHINE_MONTECITO_MACHINE_H
#define MACHINE_MONTECITO_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <pmon/access.h>
#include "machine/pmon/violation.h"

enum { MONTECITO_CORES = 2, MONTECITO_THREADS = 4, MONTECITO_FIRST_COUNTER = 4, MONTECITO_COUNTERS = 12 };
#define MONTECITO_HZ UINT64_C(1600000000)

struct montecito_machine;
struct montecito_record; /* machine/montecito/stream/record.h */
struct montecito_config; /* machine/montecito/config.h */

/* The input of the machine, which owns it once it is attached. next() returns one record and leaves *ret_ended
 * false, or sets it at the end of the stream; it returns a negative status with a text in error. */
struct montecito_source {
  int (*next)(struct montecito_source *s, struct montecito_record *ret, bool *ret_ended, char *error,
              size_t error_size);
  void (*free)(struct montecito_source *s);
};

/* Creates a machine with the default parameters, in the state after reset and after PAL has initialized the ranges and
 * matchers (3.3.12). PMON_E_MEMORY. */
int montecito_machine_new(struct montecito_machine **ret_machine);
/* Creates a machine with the given parameters. PMON_E_RANGE with the reason in error; PMON_E_MEMORY. */
int montecito_machine_new_configured(const struct montecito_config *config, char *error, size_t error_size,
                                     struct montecito_machine **ret_machine);
void montecito_machine_free(struct montecito_machine *m);

void montecito_machine_attach(struct montecito_machine *m, struct montecito_source *source);
/* Runs until every core has passed `until_cycle`, or to the end of the source (then *ret_ended is true). UINT64_MAX:
 * to the end. Without a source, or after its end, the cycles are idle. */
int montecito_machine_run(struct montecito_machine *m, uint64_t until_cycle, bool *ret_ended, char *error,
                          size_t error_size);
/* Ends the stream before its next record: montecito_machine_run() returns as at its end. Signal handlers may call it.
 */
void montecito_machine_interrupt(struct montecito_machine *m);
/* Selects whether a run also ends, before the next record, when an overflow has frozen a thread, as the overflow's
 * interrupt would stop software (3.3.11). Initially off; the backend turns it on while it waits. */
void montecito_machine_stop_at_freeze(struct montecito_machine *m, bool stop);
/* Applies one record; PMON_E_INVALID (with the text in error) when the record cannot follow its predecessors. */
int montecito_machine_apply(struct montecito_machine *m, const struct montecito_record *r, char *error,
                            size_t error_size);
/* Closes the cycles that are open for a second bundle. Register accesses and montecito_machine_run() do so
 * themselves. */
void montecito_machine_close_cycles(struct montecito_machine *m);
/* Returns the cycle of the core that is ahead; after a run both cores have reached it. */
uint64_t montecito_machine_cycle(const struct montecito_machine *m);

/* Reads or writes a PMC, PMD, IBR or DBR as privileged software does. PMON_E_NO_DEVICE (no such thread or register),
 * PMON_E_INVALID (not 64 bits wide); montecito_machine_error() has the text. */
int montecito_machine_read(struct montecito_machine *m, const struct pmon_address *a, uint64_t *ret_value);
int montecito_machine_write(struct montecito_machine *m, const struct pmon_address *a, uint64_t value);
/* Reads a PMD as software at the thread's current privilege level does: 0 without permission (3.3.1, 3.3.2). */
int montecito_machine_read_user(struct montecito_machine *m, const struct pmon_address *a, uint64_t *ret_value);
const char *montecito_machine_error(const struct montecito_machine *m);

/* Thread registers that affect the monitors, by number: PSR, DCR, PMV (cr73), TPR (cr66), IBR and DBR 0-7. */
enum montecito_thread_register {
  MONTECITO_PSR,
  MONTECITO_DCR,
  MONTECITO_PMV,
  MONTECITO_TPR,
  MONTECITO_IBR,
  MONTECITO_DBR = MONTECITO_IBR + 8,
  MONTECITO_THREAD_REGISTERS = MONTECITO_DBR + 8
};
uint64_t montecito_thread_register_get(const struct montecito_machine *m, unsigned thread, unsigned id);
void montecito_thread_register_set(struct montecito_machine *m, unsigned thread, unsigned id, uint64_t value);

/* Bits of PSR, DCR, PMV, TPR and of the odd IBR and DBR. */
#define PSR_UP (UINT64_C(1) << 2)
#define PSR_IC (UINT64_C(1) << 13)
#define PSR_I (UINT64_C(1) << 14)
#define PSR_PK (UINT64_C(1) << 15)
#define PSR_SP (UINT64_C(1) << 20)
#define PSR_PP (UINT64_C(1) << 21)
#define PSR_DB (UINT64_C(1) << 24)
#define PSR_DD (UINT64_C(1) << 39)
#define PSR_AC (UINT64_C(1) << 3)
#define PSR_ED (UINT64_C(1) << 43)
#define PSR_IS (UINT64_C(1) << 34)
#define PSR_CPL_SHIFT 32
#define DCR_PP UINT64_C(1)
#define PMV_M (UINT64_C(1) << 16)
#define TPR_MMI (UINT64_C(1) << 16)
#define BR_PLM_SHIFT 56
#define BR_X (UINT64_C(1) << 63) /* of an IBR; of a DBR: r */
#define DBR_W (UINT64_C(1) << 62)

/* True if an overflow requests the monitors' interrupt; true if the thread would also accept it now (3.3.11). */
bool montecito_interrupt_pending(const struct montecito_machine *m, unsigned thread);
bool montecito_interrupt_deliverable(const struct montecito_machine *m, unsigned thread);
/* Calls `fn` whenever the thread accepts the interrupt: when an overflow requests it and it is not masked, or later
 * when it is unmasked. It is called once until software clears the cause. `fn` must not run the machine. NULL: no
 * callback. */
typedef void (*montecito_interrupt_fn)(void *arg, unsigned thread, uint64_t cycle);
void montecito_machine_on_interrupt(struct montecito_machine *m, montecito_interrupt_fn fn, void *arg);
/* Number of interrupts that the thread has accepted. */
uint64_t montecito_interrupts(const struct montecito_machine *m, unsigned thread);
/* Number of overflows that were signalled on the pin (PMC.ev). */
uint64_t montecito_pin_pulses(const struct montecito_machine *m, unsigned thread);
bool montecito_thread_active(const struct montecito_machine *m, unsigned thread);

/* For sources that run programs on several threads. A core whose threads both run switches between them (2.4.1):
 * montecito_switch_wanted() is true when the source should deliver a switch record with this cause (enum
 * montecito_switch) for the core. A switch can interrupt a bundle that waits for its fetch or for registers: as long as
 * montecito_bundle_waits() is true, the next record of the thread must be RECORD_RESUME. */
void montecito_core_share(struct montecito_machine *m, unsigned core, bool both);
bool montecito_switch_wanted(struct montecito_machine *m, unsigned core, uint8_t *ret_cause);
bool montecito_bundle_waits(const struct montecito_machine *m, unsigned thread);
/* True if the thread is active and no bundle of it waits. */
bool montecito_thread_goes_on(const struct montecito_machine *m, unsigned thread);
/* Signals that the pipeline delays a wanted switch: a bundle issues with the last one, or the register stack is
 * moved. */
void montecito_switch_gated(struct montecito_machine *m, unsigned core);
/* The policy by which the thread's core switches threads (2.4.2). MONTECITO_HIGH and MONTECITO_EXCLUSIVE prefer the
 * thread. montecito_policy_set() returns false and changes nothing while the core's other thread has the core
 * exclusively. */
enum montecito_policy { MONTECITO_PERFORMANCE, MONTECITO_FAIRNESS, MONTECITO_HIGH, MONTECITO_EXCLUSIVE };
bool montecito_policy_set(struct montecito_machine *m, unsigned thread, enum montecito_policy policy);
/* Returns the policy. *ret_holder: the hardware thread that is preferred, or that has set the policy last. */
enum montecito_policy montecito_policy(const struct montecito_machine *m, unsigned thread, unsigned *ret_holder);
/* Sets the address space of the program that begins on a thread: equal addresses of different spaces are different
 * cache lines. Discards the waiting bundle of an earlier program. */
void montecito_thread_space(struct montecito_machine *m, unsigned thread, uint16_t space);
/* From now on programs run on both cores, and the cores' caches snoop each other. */
void montecito_cores_coherent(struct montecito_machine *m);
uint64_t montecito_core_cycle(const struct montecito_machine *m, unsigned core);

/* Writes back the modified lines of a cache of the thread's core, and invalidates all its lines if `invalidate`. */
enum montecito_cache_name {
  MONTECITO_CACHE_L1I,
  MONTECITO_CACHE_L2I,
  MONTECITO_CACHE_L1D,
  MONTECITO_CACHE_L2D,
  MONTECITO_CACHE_L3,
  MONTECITO_CACHES
};
void montecito_cache_flush(struct montecito_machine *m, unsigned thread, enum montecito_cache_name name,
                           bool invalidate);

/* Performs a device's bus transaction (enum montecito_bus) on a line of the thread's memory. The caches snoop it. */
void montecito_device_access(struct montecito_machine *m, unsigned thread, unsigned kind, uint64_t address);
/* Selects whether the processor announces clean lines that leave the L3 (castouts, 2.5). */
void montecito_castouts_set(struct montecito_machine *m, bool on);
bool montecito_castouts(const struct montecito_machine *m);

/* The values that PAL_PERF_MON_INFO returns (Table 3-34). */
struct montecito_pal_info {
  uint8_t retired_event, cycles_event, width, pairs;
  uint64_t pmc_mask, pmd_mask, cycles_mask, retired_mask;
};
struct montecito_pal_info montecito_pal_info(void);

/* The machine's own statistics, independent of the monitors. */
struct montecito_account {
  uint64_t cycles, bundles, instructions, branches, mispredicted, loads, stores, l1i_misses, l1d_misses, l2d_misses,
      l3_misses, itlb_misses, dtlb_misses, bus_transactions, switches;
};
struct montecito_account montecito_machine_account(const struct montecito_machine *m, unsigned core);

/* Saves and loads the register state of all threads as text: docs/logs.md. A refused text changes nothing. PMON_E_IO;
 * the statuses of state_read() in machine/pmon/state_text.h. */
int montecito_machine_state_save(struct montecito_machine *m, FILE *f);
int montecito_machine_state_load(struct montecito_machine *m, const char *text, size_t n, char *error,
                                 size_t error_size);

/* Calls `fn` after each register access of the stream (pmc, pmd, ibr, dbr and expect lines). After a line that sets
 * a thread register (psr, dcr, pmv, tpr), `fn` is called with a NULL address. */
typedef void (*montecito_access_fn)(void *arg, bool write, const struct pmon_address *a, uint64_t value);
void montecito_machine_on_access(struct montecito_machine *m, montecito_access_fn fn, void *arg);

/* Number of `expect` lines of the stream that failed, and the text of the first one. */
uint64_t montecito_machine_failed_expectations(const struct montecito_machine *m, const char **ret_text);

size_t montecito_machine_violations(const struct montecito_machine *m, const struct machine_violation **ret_list);
uint64_t montecito_machine_violations_total(const struct montecito_machine *m);
void montecito_machine_violations_clear(struct montecito_machine *m);

/* The machine as a register backend with four packages. The backend does not own `m`. PMON_E_MEMORY. */
int montecito_backend_new(struct montecito_machine *m, struct pmon_backend **ret_backend);

#endif
