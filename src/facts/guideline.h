/* SPDX-License-Identifier: MIT */
/* Conditions of a guideline, as the parser checks them and the checker (machine/check/) uses them. */
#ifndef PMON_FACTS_GUIDELINE_H
#define PMON_FACTS_GUIDELINE_H

#include "src/base/text.h"
#include "src/facts/db.h"

/* Tests that the checker has. X(identifier, name). machine/check/ says what each one looks at. */
#define GUIDELINE_TESTS(X) \
  X(RESERVED, "reserved") X(CONSTANT, "constant") X(READ_ONLY, "read-only") X(WRONG_COUNTER, "wrong-counter") \
  X(NO_EVENT, "no-event") X(UMASK, "umask") X(FILTER_MISSING, "filter-missing") X(FILTER_SHARED, "filter-shared") \
  X(PROGRAM_RUNNING, "program-running") X(READ_RUNNING, "read-running") X(OVERFLOW_LEFT, "overflow-left") \
  X(WRAPPED, "wrapped") X(STALE_COUNTER, "stale-counter") X(READ_OFF, "read-off") X(FROZEN_ONLY, "frozen-only") \
  X(LEADER, "leader") X(FOLLOWS, "follows")

enum guideline_test {
#define GUIDELINE_ID(id, name) GUIDELINE_##id,
  GUIDELINE_TESTS(GUIDELINE_ID)
#undef GUIDELINE_ID
  GUIDELINE_N
};

/* The test of that name; GUIDELINE_N: none. */
enum guideline_test guideline_test_find(struct text name);

/* One condition: [REGISTER.]FIELD=VALUE, or != ; a register alone stands for its whole value. */
struct guideline_condition { struct text reg, field; bool not_equal; uint64_t value; };

/* Takes the first condition off `*text` (separated by blanks). False: there is none, or it is none. */
bool guideline_condition(struct text *text, struct guideline_condition *ret);

#endif
