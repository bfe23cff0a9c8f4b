/* SPDX-License-Identifier: MIT */
/* Functions that the files of a session provide to each other; its state is in state.h. */
#ifndef PMON_SESSION_INTERNAL_H
#define PMON_SESSION_INTERNAL_H

#include <pmon/encode.h>
#include "src/session/state.h"

/* ---- session.c ---- */

/* Reads the counts of the slice that ends at now_ns; with `ends_round` the next round starts then. */
int session_end_slice(struct pmon_session *s, bool ends_round);

/* Returns the freeze scope of the counter reads since the mark: enum pmon_freeze. */
uint32_t session_frozen(const struct pmon_session *s);

/* ---- failure.c ---- */

/* PMON_E_STATE: the session has not begun, or has failed (`failed`). */
int session_check_counting(const struct pmon_session *s);

/* Returns the status of an operation on counters, after which the session has failed unless it is 0. */
int session_note_failure(struct pmon_session *s, int status);

/* Puts an access that failed into the error record. */
int session_fail(struct pmon_session *s, const struct session_register *r, const char *what, int status);

/* As session_fail(), but returns 0 when the device has disappeared after the start: its unit is then no longer
 * measured. */
int session_fail_or_lose(struct pmon_session *s, const struct session_register *r, const char *what, int status);

/* ---- layout.c, placing.c, items.c: what is counted, and where ---- */

/* Fills regs and runs from the plan. Statuses as pmon_session_new(). */
int session_lay_out(struct pmon_session *s);

/* The plan's witnesses: leaves out those that this session must not count, before anything is laid out (PMON_E_MEMORY);
 * their number; true if an event of the session is one; gives up the counters of all of them. */
int session_place_witnesses(struct pmon_session *s);
uint32_t session_count_witnesses(const struct pmon_session *s);
bool session_is_witness(const struct pmon_session *s, uint32_t event);
void session_give_up_witnesses(struct pmon_session *s);

/* Returns the number of instances for which the event has cells in each package, whether the hardware has them or
 * not. */
uint32_t session_instances(const struct pmon_session *s, uint32_t event);

/* True if the run counts in the current round. */
bool session_counts_now(const struct pmon_session *s, const struct session_run *run);

/* ---- registers.c ---- */

/* Finds the session's register at an address, and adds it if it is new. PMON_E_MEMORY. */
int session_find_register(struct pmon_session *s, const struct pmon_address *a, const struct pmon_register_id *id,
                          enum session_phase phase, uint32_t *ret_reg);

/* Returns the session's register at that address; NULL: none. True if two addresses are those of one register. */
struct session_register *session_lookup_register(const struct pmon_session *s, const struct pmon_address *a);
bool session_same_place(const struct pmon_address *a, const struct pmon_address *b);

/* Adds the global overflow registers of all packages. PMON_E_MEMORY. */
int session_add_global_status(struct pmon_session *s);

/* True if the register has that role. */
bool session_is_role(const struct pmon_session *s, const struct pmon_register_id *id, uint32_t role);

/* Returns the phase in which a register of that role is restored. */
enum session_phase session_phase_of_role(uint32_t role);

/* True if this session freezes with the register. */
bool session_freezes(const struct pmon_session *s, const struct session_register *r);

/* ---- rounds.c ---- */

/* Draws the round that begins the first cycle. PMON_E_MEMORY. */
int session_begin_rounds(struct pmon_session *s);

/* Advances to the next slice and returns its round. */
uint32_t session_next_round(struct pmon_session *s);

/* Returns the length of a slice that begins now. */
uint64_t session_slice_ns(const struct pmon_session *s);

/* Returns the end of the current round's slice, on the backend's clock. */
uint64_t session_round_end_ns(const struct pmon_session *s);

/* ---- freeze.c ---- */

/* Sets the freeze bits of a unit's or a package's control register. */
void session_find_freeze(const struct pmon_platform *p, struct session_register *r);

/* Chooses the freeze scope from the registers: `freeze` becomes the scope in use. PMON_E_UNSUPPORTED: the requested
 * scope is not possible. */
int session_choose_freeze(struct pmon_session *s);

/* Marks the runs whose counters this freezes. */
void session_find_freezable(struct pmon_session *s);

/* True if counters are frozen for the next counter read. */
bool session_freezes_reads(const struct pmon_session *s);

/* Freezes the counters. */
int session_freeze(struct pmon_session *s);

/* Freeze and unfreeze the counters and note times: now_ns and resume_ns are then the times at which counting ended and
 * began; `anew`: the counters were written in between. */
int session_freeze_timed(struct pmon_session *s);
int session_resume(struct pmon_session *s, bool anew);

/* Clears freeze bits of units that cannot be read, and that may have been left set, under the global freeze. */
int session_release_units(struct pmon_session *s);

/* Reads the backend's clock. */
int session_clock(struct pmon_session *s, uint64_t *ret_ns);

/* ---- filter.c ---- */

/* Adds the filter registers of an instance that is counted: they are saved and restored. 0 or PMON_E_MEMORY. */
int session_add_filters(struct pmon_session *s, uint32_t package, uint32_t unit, uint32_t instance);

/* Returns the bits of the unit's register `reg` that act on the run's event, whether the event sets them or not. */
uint64_t session_filter_bits(const struct pmon_session *s, const struct session_run *run,
                             const struct pmon_image *image, uint32_t reg);

/* Adds filters that act on the run's event although it does not use them to the run's writes, before its image's
 * registers: they are neutral in its round, changes by other software are detected, and other sessions cannot set them
 * differently. 0 or PMON_E_MEMORY. */
int session_add_neutral(struct pmon_session *s, const struct pmon_image *image, uint32_t package,
                        struct session_run *run);

/* Programs the filters of a round, before its controls: fields that no event uses let everything pass. */
int session_program_filters(struct pmon_session *s, uint32_t round);

/* ---- overlap_registers.c, program.c: writes ---- */

/* Notes the value in the register's state, and writes it. */
int session_write(struct pmon_session *s, struct session_register *r, uint64_t value);

/* Restores every register. Returns the status of the first failure; the error record lists all failures. */
int session_restore(struct pmon_session *s);

/* ---- sweep.c, read.c: reads ---- */

/* Registers that are read together: allocates the list for all of them (PMON_E_MEMORY); adds one to the next sweep,
 * unless it is on the list already; performs the sweep, which reads each half of a pair once, the high one first. If a
 * unit has disappeared, it is marked as lost; the sweep fails with any other failure of a read. Before the session has
 * begun a register may also be absent: seen_status has the reason. */
int session_lay_out_sweep(struct pmon_session *s);
void session_sweep_add(struct pmon_session *s, uint32_t reg);
int session_sweep(struct pmon_session *s);

/* Reads the counters of the round (and those that count in every round), which ran from from_ns to now_ns, into their
 * cells. */
int session_read_round(struct pmon_session *s);

/* Takes the counters' current values as the base of the next counter read. */
int session_read_baseline(struct pmon_session *s);

/* True if reading the counter takes two accesses, between which it may run on. */
bool session_runs_in_halves(const struct session_register *r);

/* ---- verify.c ---- */

/* Checks of controls: the first function allocates the list (PMON_E_MEMORY). The others check controls of the round's
 * runs and flag runs whose control changed: all controls; those not checked since now_ns; and, after a counter read,
 * those that are due. */
int session_lay_out_verify(struct pmon_session *s);
int session_verify_all(struct pmon_session *s);
int session_verify_rest(struct pmon_session *s);
int session_verify_due(struct pmon_session *s);

/* True if the value is that of an absent register: all ones, in all bits of the access. */
bool session_reads_ones(const struct session_register *r, uint64_t value);

/* ---- conflict.c ---- */

/* Returns the bits of a register of this phase that enable counting or select an event, for session_register.selects;
 * 0: it has none. */
uint64_t session_find_selects(const struct pmon_platform *p, const struct pmon_register_id *id,
                              enum session_phase phase);

/* Returns the bits of a control register, or of a filter, at least one of which is set when it counts. */
uint64_t session_selects(const struct pmon_session *s, const struct session_register *r);

/* ---- lock.c, journal.c ---- */

/* Locks the host's registers before one of them is read: values that another session has written meanwhile would be
 * saved as original contents. PMON_E_STATE: another process has the registers. The second function also unlocks the
 * journal. */
int session_lock(struct pmon_session *s);
void session_unlock(struct pmon_session *s);

/* Writes the saved contents of the registers, as far as they are known, into the journal's file, if the session has
 * one; removes the file. The first returns PMON_E_STATE if the file exists already, PMON_E_IO. */
int session_write_journal(struct pmon_session *s);
void session_drop_journal(struct pmon_session *s);
/* Unlocks the file, but does not remove it. */
void session_close_journal(struct pmon_session *s);

/* ---- clocks.c, limits.c ---- */

/* Returns the frequency of a clock in Hz, by name: the options' value, else the facts', which on a real host are those
 * of a reference machine and do not count; 0: not known. */
double session_clock_hz(const struct pmon_session *s, const char *clock);
/* The same for estimates: where the frequency is not known, that of the reference machine. */
double session_reference_hz(const struct pmon_session *s, const char *clock);

/* Returns a limit of the options by name: of a package or, with PMON_ALL, of all packages together. A limit given for
 * PMON_ALL applies to each package. 0: not known. */
double session_limit(const struct pmon_session *s, const char *name, uint32_t package);
/* Copies the options' limits. PMON_E_MEMORY. */
int session_take_limits(struct pmon_session *s, const struct pmon_limit *limits, uint32_t n);
void session_free_limits(struct pmon_session *s);

/* ---- silent.c ---- */

/* True if an instance counted no event of its unit although its neighbours did. */
bool session_is_silent(const struct pmon_session *s, uint32_t event, uint32_t package, uint32_t instance);

/* True if session_is_silent() may hold for an instance of the package. */
bool session_may_be_silent(const struct pmon_session *s, uint32_t event, uint32_t package);

/* ---- counting.c ---- */

/* Returns the number of instances of the event's unit that counted it in the scope, among those that this hardware has;
 * for a summed unit, all instances that the kernel counted as one. */
double session_count_instances(const struct pmon_session *s, uint32_t event, const struct pmon_scope *scope);

/* Returns the number of hardware threads per core, if the backend knows it; else 0. */
double session_threads_per_core(const struct pmon_session *s);

#endif
