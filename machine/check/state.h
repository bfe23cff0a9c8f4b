/* SPDX-License-Identifier: MIT */
/* What the checker remembers: rules made ready, registers seen, blocks of counters. Private to machine/check/. */
#ifndef MACHINE_CHECK_STATE_H
#define MACHINE_CHECK_STATE_H

#include "machine/check/check.h"
#include "src/facts/rule.h"
#include "src/platform/platform.h"

enum { CHECK_TERMS = 8, CHECK_COUNTERS = 32, CHECK_THREADS = 64, CHECK_MEMOS = 1024 };

/* One side of a condition made ready. reg DB_NONE: the register that is judged. */
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
  enum rule_test test; /* RULE_N: conditions */
  bool settled;        /* looks at several registers: judged when time passes */
  struct term when[CHECK_TERMS], needs[CHECK_TERMS];
  uint32_t n_when, n_needs;
};

/* A register of one instance in one package. */
struct seen {
  struct pmon_address address;
  uint32_t unit, reg, instance, index; /* rows of db.units and db.registers */
  uint32_t block, next;                /* its block's index, and the block's next register, index + 1; 0: the last */
  uint64_t value, known;               /* known: bits whose value is */
  uint64_t last_read;                  /* of a counter */
  uint64_t programmed;                 /* of a control: number of the access that wrote it last; 0: never */
  uint64_t filter_at, filter_bits;     /* of a filter: number of the access that last changed it, and what changed */
  uint64_t read_at;                    /* number of the access that read it last */
  uint64_t started;                    /* of a control: `programmed` when its counter last began to count */
  uint64_t counted_as;                 /* of a control: its value when its counter last began to count */
  bool set, has_last, counted;         /* of a counter: its value is known; last_read is; it has counted */
  bool reset;                          /* of a counter: written or reset since it last counted */
  bool overflowed;                     /* of a counter: its overflow was read, and it was not written since */
};

/* One instance of a unit in one package. */
struct block {
  uint32_t package, unit, instance;
  uint32_t first, last; /* of its registers as they were seen, index + 1 */
  uint32_t *registers;  /* index + 1 of the register seen, by its place (checker.places); 0: not yet */
  uint64_t counted_at;  /* number of the last access before its counters last counted */
  bool frozen, frozen_known, dirty;
};

/* A register of a thread itself: its value, and the bits that were set at some time or all the time since counters were
 * last judged; whole: it has been known all that time. */
struct system_register {
  bool known, whole;
  uint64_t value, any, all;
};

/* What a control's value selects: the row of the facts. code_known: the value says a code at all; gated: it counts
 * while an occupancy passes its comparison, to which the threshold belongs then. */
struct selected {
  const struct db_event *event;
  const struct db_umask *umask;
  bool code_known, listed, gated;
};

/* What was looked up last, kept by a hash of the question: fields by layout and name (a literal, or a part of the
 * facts' texts: told by its address), events by a control's row and value. */
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
  uint32_t n_seen, room_seen, *slots, n_slots; /* slots: index + 1 by address */
  struct block *blocks;
  uint32_t n_blocks, room_blocks;
  uint32_t *places; /* of each row of db.registers: where its first register stands in a block */
  struct memo *memo;
  bool package_frozen[64], package_known[64];
  uint64_t status_read_at[64]; /* number of the access that read the package's global status last */
  bool package_armed[64];      /* an overflow may have frozen it, unseen */
  struct system_register system[CHECK_THREADS][CHECK_REGISTERS];
  struct check_finding *findings;
  size_t n_findings, room_findings, errors;
  uint64_t accesses, unknown, waits, now_ns;
  bool out_of_memory;
};

/* What an access is about. */
struct look {
  struct checker *c;
  struct seen *s;
  struct block *b;
  const struct check_access *a;
  uint64_t mask, old;
};

/* seen.c */
struct seen *seen_find(struct checker *c, const struct pmon_address *a); /* known already; NULL */
struct seen *seen_take(struct checker *c, const struct pmon_address *a, uint64_t *ret_shift);
struct seen *seen_register(struct checker *c, const struct block *b, uint32_t reg, uint32_t index);
int seen_init(struct checker *c);
void seen_free(struct checker *c);

/* field.c */
/* The field of that name, or alias: a literal, or a part of a text of the facts. */
const struct db_field *seen_field_text(const struct checker *c, const struct seen *s, struct text name);
const struct db_field *seen_field(const struct checker *c, const struct seen *s, const char *name);
/* Value of a field that is wholly known. */
bool seen_get(const struct checker *c, const struct seen *s, const char *name, uint64_t *ret_value);
/* Whether a control lets its counter count. */
bool control_enabled(const struct checker *c, const struct seen *s);
uint32_t seen_role(const struct checker *c, const struct seen *s);
/* A block some register of which has been seen; NULL: none. */
struct block *block_find(const struct checker *c, uint32_t package, uint32_t unit, uint32_t instance);
bool block_frozen(const struct checker *c, const struct block *b);
/* The n-th control or counter of a block, if it has been seen. */
struct seen *block_counter(struct checker *c, const struct block *b, uint32_t role, uint32_t i);

/* event.c: the row of the facts that a control's value selects. */
struct selected control_event(const struct checker *c, const struct seen *s);
const char *event_attr(const struct checker *c, const struct db_event *e, const char *key);

/* terms.c */
/* Makes a condition ready; true: it looks at other registers than the one that is judged. */
bool term_make(const struct checker *c, const struct db_rule *g, const struct rule_condition *from, struct term *ret);
/* 1: holds, 0: does not, -1: not known, or the register has no such field. ret_field: of the left side. */
int term_holds(struct checker *c, const struct term *t, const struct look *l, const struct db_field **ret_field);
/* The register of a name (PMC4 in a row PMC), and which of several. */
bool register_named(const struct db *db, uint32_t reg, struct text t, uint32_t *ret_index);

/* rules.c */
int rules_load(struct checker *c);
void rules_conditions(const struct look *l, bool settled);
bool rule_is_about(const struct checker *c, const struct rule *r, const struct seen *s);
/* The rule of that test for a register; NULL: the guide has none. */
const struct rule *rule_find(const struct checker *c, enum rule_test test, const struct seen *s);
void finding_add(struct checker *c, const struct rule *r, const struct seen *s, const struct db_field *f,
                 uint64_t bits);

/* filters.c: a control's filters as its event needs them; two controls that use one filter. */
void filters_judge(struct checker *c, const struct block *b, struct seen *control, const struct selected *e);
void filters_judge_sharing(struct checker *c, const struct block *b, struct seen *one, struct seen *two);

/* company.c: what counts together on a block. */
void judge_company(struct checker *c, const struct block *b);

/* system.c: what a thread's registers let a monitor do that counts, or lets itself be read; that time has passed. */
void system_judge(struct checker *c, const struct block *b, struct seen *control);
void system_judge_read(struct checker *c, const struct block *b, const struct seen *control, struct seen *counter);
void system_passed(struct checker *c);

/* access.c, settle.c */
void judge_write(const struct look *l);
void judge_read(const struct look *l);
void settle(struct checker *c);

#endif
