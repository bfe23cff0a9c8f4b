/* SPDX-License-Identifier: MIT */
/* What the files of a session do for each other; its parts are in state.h. */
#ifndef PMON_SESSION_INTERNAL_H
#define PMON_SESSION_INTERNAL_H

#include <pmon/encode.h>
#include "src/session/state.h"

/* Reads what was counted in the slice that ends at now_ns; with `turn` the next round counts then. */
int session_end_slice(struct pmon_session *s, bool turn);

/* Draws with which round the turns begin. PMON_E_MEMORY. */
int session_begin_turns(struct pmon_session *s);

/* Takes a turn: the round that has the next one. */
uint32_t session_next_round(struct pmon_session *s);

/* How long a turn that begins now takes. */
uint64_t session_slice_ns(const struct pmon_session *s);

/* When the round that counts now has counted long enough, on the backend's clock. */
uint64_t session_turn_ns(const struct pmon_session *s);

/* Counts again after pmon_session_stop() (inside.c). */
int session_restart(struct pmon_session *s);

/* Takes the counters' current values as the base of the next reading. */
int session_read_baseline(struct pmon_session *s);

/* The plan's witnesses (placing.c): leaves out those that this session must not count, before anything is laid out
 * (PMON_E_MEMORY); whether an event of the session is one; how many it counts; gives up the counters of all of them. */
int session_place_witnesses(struct pmon_session *s);
bool session_is_witness(const struct pmon_session *s, uint32_t event);
uint32_t session_count_witnesses(const struct pmon_session *s);
void session_give_up_witnesses(struct pmon_session *s);

/* Fills regs and runs from the plan. Statuses as pmon_session_new(). */
int session_lay_out(struct pmon_session *s);

/* The phase in which a register of that role is restored. */
enum session_phase session_phase_of_role(uint32_t role);

/* Decides what is frozen among the registers: `freeze` becomes what is done. PMON_E_UNSUPPORTED: it cannot be. */
int session_choose_freeze(struct pmon_session *s);
/* The freeze bits of a unit's or a package's control register. */
void session_find_freeze(const struct pmon_platform *p, struct session_register *r);

/* Writes what the registers held, as far as that is known, into the journal's file, if there is to be one; removes it.
 * The first returns PMON_E_STATE where there is one already, PMON_E_IO. */
int session_write_journal(struct pmon_session *s);
void session_drop_journal(struct pmon_session *s);
/* Unlocks the file, which remains. */
void session_close_journal(struct pmon_session *s);

/* Locks the host's registers (lock.c), before one of them is read: what another session has written there meanwhile
 * would be taken for its old contents. PMON_E_STATE: another process has them. The second one unlocks the journal, too.
 */
int session_lock(struct pmon_session *s);
void session_unlock(struct pmon_session *s);

/* Whether a register has that role. */
bool session_is_role(const struct pmon_session *s, const struct pmon_register_id *id, uint32_t role);

/* Adds the global overflow registers of all packages. PMON_E_MEMORY. */
int session_add_global_status(struct pmon_session *s);

/* The session's register, added when it is new. PMON_E_MEMORY. */
int session_find_register(struct pmon_session *s, const struct pmon_address *a, const struct pmon_register_id *id,
                          enum session_phase phase, uint32_t *ret_reg);

/* The session's register at that address; NULL: it has none. Whether two addresses are those of one register. */
struct session_register *session_lookup_register(const struct pmon_session *s, const struct pmon_address *a);
bool session_same_place(const struct pmon_address *a, const struct pmon_address *b);

/* Registers that are read together: room for all of them (PMON_E_MEMORY); one for the next sweep, unless it is on its
 * list already; the sweep, each half of a pair once, the high one first. A unit that went away is lost; any other
 * failure is the sweep's. Before the session has begun a register may also be absent: seen_status says so. */
int session_lay_out_sweep(struct pmon_session *s);
void session_sweep_add(struct pmon_session *s, uint32_t reg);
int session_sweep(struct pmon_session *s);

/* Reads every register that is going to be written. */
int session_save(struct pmon_session *s);

/* Notes and writes. */
int session_write(struct pmon_session *s, struct session_register *r, uint64_t value);

/* The backend's clock. */
int session_clock(struct pmon_session *s, uint64_t *ret_ns);

/* The bare freeze; with times: hold and resume, after which now_ns and resume_ns say when counting ended and began;
 * `anew`: counters were set. */
int session_freeze(struct pmon_session *s);

/* Whether the register is one that this session freezes with. */
bool session_freezes(const struct pmon_session *s, const struct session_register *r);

/* Marks the runs whose counters are frozen then. */
void session_find_still(struct pmon_session *s);
int session_unfreeze(struct pmon_session *s);
int session_hold(struct pmon_session *s);
/* Whether counters are held for the reading that is due. */
bool session_holds(const struct pmon_session *s);
int session_resume(struct pmon_session *s, bool anew);

/* Where a unit's freeze bit cannot be read, it may have been left set: clears it, under the global freeze. */
int session_release_units(struct pmon_session *s);

/* The highest rate of an event, in counts a second; 0: not known. */
double session_highest_rate(const struct pmon_session *s, const struct pmon_event *event);

/* Writes the images of a round and sets its counters to zero; with `always` those that count in every round too. */
/* Filter registers of an instance that is counted take part: they are saved and restored. 0 or PMON_E_MEMORY. */
int session_add_filters(struct pmon_session *s, uint32_t package, uint32_t unit, uint32_t instance);

/* The bits of its unit's register that act on the run's event, whether it sets them or not. */
uint64_t session_filter_bits(const struct pmon_session *s, const struct session_run *run,
                             const struct pmon_image *image, uint32_t reg);

/* Filters that act on the run's event although it does not ask for them are among its writes, before its image's
 * registers: they are neutral in its round, others who write them are noticed, and no other session may want them
 * differently. 0 or PMON_E_MEMORY. */
int session_add_neutral(struct pmon_session *s, const struct pmon_image *image, uint32_t package,
                        struct session_run *run);

/* Before the controls of a round: the filters let everything pass that its events do not ask for. */
int session_program_filters(struct pmon_session *s, uint32_t round);

int session_program(struct pmon_session *s, uint32_t round, bool always);

/* Reads the counters of the round (and those that always count), which ran from from_ns to now_ns, into their cells. */
int session_read_round(struct pmon_session *s);

/* How counters were read since the mark: enum pmon_freeze. */
uint32_t session_frozen(const struct pmon_session *s);

/* A counter that takes two accesses, between which it may run on. */
bool session_runs_in_halves(const struct session_register *r);

/* Whether a run is of the round that counts now. */
bool session_counts_now(const struct pmon_session *s, const struct session_run *run);

/* Looks at controls of the round's runs and flags those that changed: at all; at those that were not looked at since
 * now_ns; and, after a reading, at those that are due. The first one makes room for it: PMON_E_MEMORY. */
int session_lay_out_looks(struct pmon_session *s);
int session_look_at_all(struct pmon_session *s);
int session_look_at_rest(struct pmon_session *s);
int session_look_at_due(struct pmon_session *s);

/* Restores everything; the first failure's status, all of them in the error record. */
int session_restore(struct pmon_session *s);

/* Hz of a clock by name: the options' value, else the facts'; 0: not known. */
double session_clock_hz(const struct pmon_session *s, const char *clock);

/* Whether an instance counted nothing of its unit's events although its neighbours did (silent.c). */
bool session_is_silent(const struct pmon_session *s, uint32_t event, uint32_t package, uint32_t instance);

/* Whether that may be so of any instance of the package. */
bool session_may_be_silent(const struct pmon_session *s, uint32_t event, uint32_t package);

/* A limit of the options by name: of a package or, with PMON_ALL, of all packages together. What is given for all holds
 * for each. 0: not known. */
double session_limit(const struct pmon_session *s, const char *name, uint32_t package);
/* Takes over the options' limits. PMON_E_MEMORY. */
int session_take_limits(struct pmon_session *s, const struct pmon_limit *limits, uint32_t n);
void session_free_limits(struct pmon_session *s);

/* How many instances of the event's unit counted it in the scope: those that this hardware has; of a summed unit all
 * that the kernel counted as one. */
double session_count_instances(const struct pmon_session *s, uint32_t event, const struct pmon_scope *scope);

/* Hardware threads of a core, where the backend knows it; else 0. */
double session_threads_per_core(const struct pmon_session *s);

/* The bits of a control register, or a filter, of which one is set where it counts. */
uint64_t session_selects(const struct pmon_session *s, const struct session_register *r);

/* Whether the value is that of a register that is not there: all ones, in as many bits as an access has. */
bool session_reads_ones(const struct session_register *r, uint64_t value);

/* Puts an access that failed into the error record. */
int session_fail(struct pmon_session *s, const struct session_register *r, const char *what, int status);

/* The same, but 0 when the device went away in the middle: its unit takes no part any more. */
int session_fail_or_lose(struct pmon_session *s, const struct session_register *r, const char *what, int status);

uint32_t session_instances(const struct pmon_session *s, uint32_t event);

#endif
