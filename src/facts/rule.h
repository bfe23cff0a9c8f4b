/* SPDX-License-Identifier: MIT */
/* Conditions of a programming rule, as the parser checks them and the checker (machine/check/) evaluates them. */
#ifndef PMON_FACTS_RULE_H
#define PMON_FACTS_RULE_H

#include "src/base/text.h"
#include "src/facts/db.h"

/* Tests of the checker. X(identifier, name). machine/check/ describes each of them. */
#define RULE_TESTS(X)                                                                                                  \
  X(RESERVED, "reserved")                                                                                              \
  X(CONSTANT, "constant")                                                                                              \
  X(READ_ONLY, "read-only")                                                                                            \
  X(WRONG_COUNTER, "wrong-counter")                                                                                    \
  X(NO_EVENT, "no-event")                                                                                              \
  X(UMASK, "umask")                                                                                                    \
  X(FILTER_MISSING, "filter-missing")                                                                                  \
  X(FILTER_SHARED, "filter-shared")                                                                                    \
  X(PROGRAM_RUNNING, "program-running")                                                                                \
  X(READ_RUNNING, "read-running")                                                                                      \
  X(OVERFLOW_LEFT, "overflow-left")                                                                                    \
  X(WRAPPED, "wrapped")                                                                                                \
  X(STALE_COUNTER, "stale-counter")                                                                                    \
  X(READ_OFF, "read-off")                                                                                              \
  X(FROZEN_ONLY, "frozen-only")                                                                                        \
  X(LEADER, "leader")                                                                                                  \
  X(FOLLOWS, "follows")                                                                                                \
  X(ONE_OF, "one-of")                                                                                                  \
  X(ONE_SET, "one-set")                                                                                                \
  X(UMASK_GROUP, "umask-group")                                                                                        \
  X(VALUE_LOST, "value-lost")                                                                                          \
  X(STALE_CONTROL, "stale-control")                                                                                    \
  X(OTHER_THREAD, "other-thread")                                                                                      \
  X(SWITCHED, "switched")                                                                                              \
  X(STATUS_UNREAD, "status-unread")                                                                                    \
  X(MONITOR_OFF, "monitor-off")                                                                                        \
  X(INTERRUPT_MASKED, "interrupt-masked")                                                                              \
  X(UNPRIVILEGED, "unprivileged")                                                                                      \
  X(INTERRUPTS_AGAIN, "interrupts-again")                                                                              \
  X(NEVER_UNFROZEN, "never-unfrozen")                                                                                  \
  X(FREEZE_DISABLED, "freeze-disabled")                                                                                \
  X(HALF_WRITTEN, "half-written")                                                                                      \
  X(HALF_READ, "half-read")                                                                                            \
  X(UPPER_UNREAD, "upper-unread")                                                                                      \
  X(LEFT_OUT, "left-out")                                                                                              \
  X(COUNTED_WIDTH, "counted-width")                                                                                    \
  X(COUNTED_DIFFERENCE, "counted-difference")                                                                          \
  X(COUNTED_PACKAGE, "counted-package")                                                                                \
  X(ASKED, "asked")

enum rule_test {
#define RULE_ID(id, name) RULE_##id,
  RULE_TESTS(RULE_ID)
#undef RULE_ID
      RULE_N
};

/* The test of that name; RULE_N: none. */
enum rule_test rule_test_find(struct text name);

/* One side of a condition: a field of the checked register, a field of another register of its block (REGISTER.FIELD),
 * a register's whole value (its name is then in `field`), or a property of the event that a control selects (event.KEY,
 * REGISTER.event.KEY): an attr of its row, its `name`, or `max`, its largest increment. */
struct rule_side {
  struct text reg, field;
  bool event;
};

/* ORDER_WITHIN: the left side has no bit that the right side lacks. */
enum rule_order {
  ORDER_EQUAL,
  ORDER_NOT_EQUAL,
  ORDER_LESS,
  ORDER_LESS_EQUAL,
  ORDER_GREATER,
  ORDER_GREATER_EQUAL,
  ORDER_WITHIN
};

/* SIDE[&MASK] ORDER VALUE[|VALUE ...]. The values are numbers; or words, for properties of events, where a trailing *
 * stands for any letters; or another side (`refers`), compared under the same mask. */
enum { RULE_VALUES = 12 };
struct rule_condition {
  struct rule_side left, right;
  enum rule_order order;
  bool refers;
  uint64_t mask, values[RULE_VALUES];
  uint32_t n_values;
  struct text words; /* after the order, as written */
};

/* Whether the property is a text, not a number. */
static inline bool rule_is_text(const struct rule_side *side)
{
  return side->event && !text_is(side->field, "max");
}

/* Takes the first condition off `*text` (separated by blanks). False: there is none, or it is malformed. */
bool rule_condition(struct text *text, struct rule_condition *ret);

/* One line `acts FIELD,... when CONDITION ...` of a filter register: its fields (`*`: all) act on each event whose
 * control register satisfies the conditions, whether or not the event sets them. `excludes` has the same form. */
struct rule_act {
  struct text fields, when;
};

/* Takes the first line off `*acts` (db_register.acts, or excludes). False: there is none, or it is malformed. */
bool rule_act(struct text *acts, struct rule_act *ret);
/* Takes the first name off its fields. */
bool rule_act_field(struct rule_act *act, struct text *ret_name);

/* `a` ORDER `b`. */
bool rule_compare(enum rule_order order, uint64_t a, uint64_t b);
/* Whether a value, under the condition's mask, satisfies a condition that compares with numbers. */
bool rule_value_holds(const struct rule_condition *c, uint64_t value);
/* Whether a property of an event satisfies a condition that compares with words. */
bool rule_text_holds(const struct rule_condition *c, const char *word);

#endif
