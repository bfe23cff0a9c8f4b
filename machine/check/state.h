/* SPDX-License-Identifier: MIT */
/* What the checker remembers: rules made ready, registers seen, blocks of counters. Private to machine/check/. */
#ifndef MACHINE_CHECK_STATE_H
#define MACHINE_CHECK_STATE_H

#include "machine/check/check.h"
#include "src/facts/guideline.h"
#include "src/platform/platform.h"

enum { CHECK_TERMS = 6, CHECK_COUNTERS = 32 };

/* A condition made ready. reg DB_NONE: of the register that is written. */
struct term { uint32_t reg, index; uint64_t mask; uint8_t lo; bool not_equal, whole; struct text field; uint64_t value; };

struct rule {
  const struct db_guideline *row;
  enum guideline_test test;              /* GUIDELINE_N: conditions */
  bool settled;                          /* looks at several registers: judged when time passes */
  struct term when[CHECK_TERMS], needs[CHECK_TERMS];
  uint32_t n_when, n_needs;
};

/* A register of one instance in one package. */
struct seen {
  struct pmon_address address;
  uint32_t unit, reg, instance, index;   /* rows of db.units and db.registers */
  uint64_t value, known;                 /* known: bits whose value is */
  uint64_t last_read;                    /* of a counter */
  uint64_t programmed;                   /* of a control: number of the access that wrote it last; 0: never */
  uint64_t filter_at, filter_bits;       /* of a filter: number of the access that last changed it, and what changed */
  uint64_t started;                      /* of a control: `programmed` when its counter last began to count */
  bool set, has_last, counted;           /* of a counter: its value is known; last_read is; it has counted */
};

/* One instance of a unit in one package. */
struct block { uint32_t package, unit, instance; bool frozen, frozen_known, dirty; };

struct checker {
  const struct pmon_platform *platform;
  const struct db *db;
  struct rule *rules;
  uint32_t n_rules;
  struct seen *seen;
  uint32_t n_seen, room_seen, *slots, n_slots;    /* slots: index + 1 by address */
  struct block *blocks;
  uint32_t n_blocks, room_blocks;
  bool package_frozen[64], package_known[64];
  bool package_armed[64];                /* an overflow may have frozen it, unseen */
  struct check_finding *findings;
  size_t n_findings, room_findings, errors;
  uint64_t accesses, unknown, waits, now_ns;
  bool out_of_memory;
};

/* What an access is about. */
struct look { struct checker *c; struct seen *s; struct block *b; const struct check_access *a; uint64_t mask, old; };

/* seen.c */
struct seen *seen_find(struct checker *c, const struct pmon_address *a);      /* known already; NULL */
struct seen *seen_take(struct checker *c, const struct pmon_address *a, uint64_t *ret_shift);
struct seen *seen_register(struct checker *c, const struct block *b, uint32_t reg, uint32_t index);
struct block *block_take(struct checker *c, const struct seen *s);
const struct db_field *seen_field(const struct checker *c, const struct seen *s, const char *name);
/* Value of a field that is wholly known. */
bool seen_get(const struct checker *c, const struct seen *s, const char *name, uint64_t *ret_value);
uint32_t seen_role(const struct checker *c, const struct seen *s);
bool block_frozen(const struct checker *c, const struct block *b);
/* Whether a control lets its counter count. */
bool control_enabled(const struct checker *c, const struct seen *s);
/* The n-th control or counter of a block, if it has been seen. */
struct seen *block_counter(struct checker *c, const struct block *b, uint32_t role, uint32_t i);

/* event.c: the row of the facts that a control's value selects. */
struct selected { const struct db_event *event; const struct db_umask *umask; bool code_known, listed; };
struct selected control_event(const struct checker *c, const struct seen *s);
const char *event_attr(const struct checker *c, const struct db_event *e, const char *key);

/* rules.c */
int rules_load(struct checker *c);
void rules_conditions(const struct look *l, bool settled);
bool rule_is_about(const struct checker *c, const struct rule *r, const struct seen *s);
/* The rule of that test for a register; NULL: the guide has none. */
const struct rule *rule_find(const struct checker *c, enum guideline_test test, const struct seen *s);
void finding_add(struct checker *c, const struct rule *r, const struct seen *s, const struct db_field *f, uint64_t bits);

/* access.c, settle.c */
void judge_write(const struct look *l);
void judge_read(const struct look *l);
void settle(struct checker *c);

#endif
