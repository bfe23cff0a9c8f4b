/* SPDX-License-Identifier: MIT */
/* The checker's state: loaded rules, registers that occurred in the stream, blocks of counters. Private to
 * machine/check/. */
#ifndef MACHINE_CHECK_STATE_H
#define MACHINE_CHECK_STATE_H

#include "machine/check/check.h"
#include "src/facts/rule.h"
#include "src/platform/platform.h"

enum { CHECK_TERMS = 8, CHECK_COUNTERS = 32, CHECK_THREADS = 64, CHECK_PACKAGES = 64, CHECK_MEMOS = 1024 };

/* One side of a loaded condition. reg DB_NONE: the register that is judged. */
struct side {
  uint32_t reg, index;
  bool whole;
  struct rule_side is;
};
struct term {
  struct rule_condition is;
  struct side left, right;
};

struct rule {
  const struct db_rule *row;
  enum rule_test test; /* RULE_N: the conditions below */
  bool deferred;       /* reads several registers, so it is judged when time passes */
  struct term when[CHECK_TERMS], needs[CHECK_TERMS];
  uint32_t n_when, n_needs;
};

/* A register of one instance in one package that occurred in the stream. */
struct seen {
  struct pmon_address address;
  uint32_t unit, reg, instance, index; /* rows of db.units and db.registers */
  uint32_t block, next;                /* index of its block; index + 1 of the block's next register, 0 at the last
                                        * one */
  uint64_t value, known;               /* known: mask of the bits whose value is known */
  uint64_t last_read;                  /* of a counter */
  uint64_t programmed, programmed_ns;  /* of a counter's, block's or global control: number and time of the access that
                                        * wrote it last; 0: never */
  uint64_t filter_at, filter_bits;     /* of a filter: number of the last access that changed it, and the changed
                                        * bits */
  uint64_t pair_from, pair_ns;         /* of a counter, if there are counts: value and time of its last whole read */
  uint64_t pair_waits;                 /* the number of waits before that, from 1; 0: never */
  uint32_t pair_first, pair_last;      /* first and last of its pairs in checker.pairs, index + 1; 0: none */
  uint32_t pair_at;                    /* the first of its pairs that may belong to the same measurement (counted.c) */
  uint64_t read_at;                    /* number of the last access that read it */
  uint64_t started;                    /* of a control: `programmed` when its counter last started */
  uint64_t counted_as;                 /* of a control: its value when its counter last started */
  bool set, has_last, counted;         /* of a counter: its value is known; last_read is valid; it has counted */
  uint64_t half_at, half_ns;           /* of a counter: number and time of the first read of its lower half alone; 0:
                                        * none, or the upper half was read, too */
  bool upper_read;                     /* of a counter: its upper half was read */
  bool reset;                          /* of a counter: written or reset since it last counted */
  bool kept_frozen;                    /* of a control: since it was enabled, time passed, and its block was frozen
                                        * throughout */
  bool overflowed;                     /* of a counter: software read its overflow and has not written the counter
                                        * since */
};

/* An access to one half of a 64-bit register; index: of the register, + 1; 0: none. */
struct half {
  uint32_t index;
  bool write;
  uint64_t access, time_ns;
};

/* One instance of a unit in one package. */
struct block {
  uint32_t package, unit, instance;
  uint32_t first, last;       /* of its registers in order of occurrence, index + 1 */
  uint32_t *registers;        /* index + 1 of the register, by its position (checker.places); 0: did not occur yet */
  uint64_t counted_at;        /* number of the last access before its counters last counted */
  uint64_t set_up, set_up_ns; /* number and time of the first write of its unit control; 0: none */
  bool frozen, frozen_known, dirty;
  struct half lower, upper; /* lower: the block's last access, if it was to a lower half; upper: if it was to an upper
                             * half, without the lower half before it */
};

/* Two consecutive reads of a counter between which time passed. */
struct read_pair {
  uint32_t index, next; /* of the register; index + 1 of its next pair, 0 at the last one */
  uint64_t from, to;
  uint64_t access; /* number of the second read */
  uint64_t from_ns, to_ns;
};

/* An event that software was asked to count, and the best control for it so far. */
struct asked {
  struct check_asked is;
  bool met;
  uint32_t equal;                  /* number of its fields that the best control has; 0: none counted the event */
  uint32_t index;                  /* of that control */
  uint64_t access, time_ns, value; /* the access that programmed it */
};

/* A register of a thread: its value, and the bits that were set at some time (any) or all the time (all) since the last
 * judgement. whole: its value was known all that time. */
struct system_register {
  bool known, whole;
  uint64_t value, any, all;
};

/* The row of the facts that a control's value selects. code_known: the event code is known. gated: the event counts
 * while an occupancy passes its comparison; the threshold belongs to the occupancy then. */
struct selected {
  const struct db_event *event;
  const struct db_umask *umask;
  bool code_known, listed, gated;
};

/* Caches of recent look-ups, indexed by a hash of the key: fields by layout and name (the address of the name's text
 * is the key), events by the control's row and value. */
struct field_memo {
  struct text name;
  uint32_t layout, field;
};
struct event_memo {
  uint32_t reg;
  bool made;
  uint64_t value, known;
  struct selected selected;
};
struct memo {
  struct field_memo fields[CHECK_MEMOS];
  struct event_memo events[CHECK_MEMOS];
};

struct checker {
  const struct pmon_platform *platform;
  const struct db *db;
  struct rule *rules;
  uint32_t n_rules;
  struct seen *seen;
  uint32_t n_seen, cap_seen, *slots, n_slots; /* slots: index + 1 by address */
  struct block *blocks;
  uint32_t n_blocks, cap_blocks;
  uint32_t *places; /* for each row of db.registers: the position of its first register in a block */
  struct memo *memo;
  bool package_frozen[64], package_known[64];
  uint64_t status_read_at[64]; /* number of the last access that read the package's global status */
  bool package_armed[64];      /* an overflow may have frozen the package without an access that shows it */
  struct system_register system[CHECK_THREADS][CHECK_REGISTERS];
  uint64_t units_known; /* a bit for each package */
  struct check_absent *absent;
  uint32_t n_absent, cap_absent;
  struct check_count *counts;
  struct read_pair *pairs; /* of counters, if there are counts */
  uint32_t n_counts, cap_counts, n_pairs, cap_pairs;
  struct asked *asked;
  uint32_t n_asked, cap_asked;
  struct check_finding *findings;
  size_t n_findings, cap_findings, errors;
  uint64_t accesses, unknown, waits, now_ns;
  bool out_of_memory, ended;
};

/* The access that is judged. */
struct look {
  struct checker *c;
  struct seen *s;
  struct block *b;
  const struct check_access *a;
  uint64_t mask, old;
};

/* seen.c */
struct seen *seen_find(struct checker *c, const struct pmon_address *a); /* NULL: did not occur yet */
struct seen *seen_find_or_add(struct checker *c, const struct pmon_address *a, uint64_t *ret_shift);
struct seen *seen_register(struct checker *c, const struct block *b, uint32_t reg, uint32_t index);
int seen_init(struct checker *c);
void seen_free(struct checker *c);

/* field.c */
/* Returns the field of a layout (DB_NONE: no layout) with that name or alias; NULL: there is none. */
const struct db_field *field_of_layout(const struct checker *c, uint32_t layout, struct text name);
/* Returns a field of a register. The look-up is cached by the address of the name: `name` must be a literal or a part
 * of a text of the facts. */
const struct db_field *seen_field_text(const struct checker *c, const struct seen *s, struct text name);
const struct db_field *seen_field(const struct checker *c, const struct seen *s, const char *name);
/* Reads the value of a field; false when a bit of it is unknown. */
bool seen_get(const struct checker *c, const struct seen *s, const char *name, uint64_t *ret_value);
/* True if a control enables its counter. */
bool control_enabled(const struct checker *c, const struct seen *s);
uint32_t seen_role(const struct checker *c, const struct seen *s);
/* A block with at least one register in the stream; NULL: none. */
struct block *block_find(const struct checker *c, uint32_t package, uint32_t unit, uint32_t instance);
bool block_frozen(const struct checker *c, const struct block *b);
/* The i-th control or counter of a block; NULL when it did not occur in the stream. */
struct seen *block_counter(struct checker *c, const struct block *b, uint32_t role, uint32_t i);

/* event.c: the row of the facts that a control's value selects. */
struct selected control_event(const struct checker *c, const struct seen *s);
const char *event_attr(const struct checker *c, const struct db_event *e, const char *key);

/* terms.c */
/* Loads a condition. Returns true when it reads registers other than the judged one. */
bool term_make(const struct checker *c, const struct db_rule *g, const struct rule_condition *from, struct term *ret);
/* 1: holds; 0: does not hold; -1: unknown, or the register has no such field. ret_field: the field on the left side. */
int term_holds(struct checker *c, const struct term *t, const struct look *l, const struct db_field **ret_field);
/* True if `t` names a register of the row (PMC4 in the row PMC); *ret_index is the register's index in the row. */
bool register_named(const struct db *db, uint32_t reg, struct text t, uint32_t *ret_index);

/* rules.c */
int rules_load(struct checker *c);
void rules_conditions(const struct look *l, bool deferred);
/* The rule with that test for a register; NULL when the guide has none. */
const struct rule *rule_find(const struct checker *c, enum rule_test test, const struct seen *s);
/* Returns the new finding, valid until the next one is added; NULL: the rule was violated at this register before, or
 * memory ran out. */
struct check_finding *finding_add(struct checker *c, const struct rule *r, const struct seen *s,
                                  const struct db_field *f, uint64_t bits);

/* filters.c: the filters that a control's event needs; two controls that share a filter. */
void filters_judge(struct checker *c, const struct block *b, struct seen *control, const struct selected *e);
void filters_judge_sharing(struct checker *c, const struct block *b, struct seen *one, struct seen *two);
/* Judges a change of these bits of a filter whose block counts: whether an enabled control's event uses them. */
void filters_judge_change(const struct look *l, uint64_t bits);

/* combination.c: the events that count together on a block. */
void judge_combinations(struct checker *c, const struct block *b);

/* halves.c: upper halves of registers that are accessed without the lower half. */
void halves_observe(const struct look *l, bool upper);
void halves_end(struct checker *c, struct block *b);

/* unfrozen.c: blocks that stay frozen while their counters are enabled. passed: time passed while the block is frozen.
 */
void unfrozen_passed(struct checker *c, struct block *b);
void unfrozen_judge(struct checker *c, const struct block *b, struct seen *control);
void unfrozen_end(struct checker *c, struct block *b);

/* absent.c */
bool unit_is_absent(const struct checker *c, uint32_t package, uint32_t unit, uint32_t instance);
/* counted.c: counts that software printed, explained by its reads of counters. */
void counted_observe(const struct look *l, bool upper);
void counted_end(struct checker *c);
/* asked.c: compares requested events with the controls that count: when a control starts, and at the end. */
void asked_observe(struct checker *c, const struct block *b, const struct seen *control);
void asked_end(struct checker *c);
/* left_out.c: units that software leaves out while it sets up the others of a package. */
void left_out_end(struct checker *c);

/* system.c: judges whether the thread's registers allow a monitor to count, to interrupt and to be read.
 * system_passed(): an interval has ended. */
void system_judge(struct checker *c, const struct block *b, struct seen *control);
void system_judge_read(struct checker *c, const struct block *b, const struct seen *control, struct seen *counter);
void system_passed(struct checker *c);

/* access.c, deferred.c */
void judge_write(const struct look *l);
void judge_refused(const struct look *l);
void judge_read(const struct look *l);
void judge_deferred(struct checker *c);

#endif
