/* SPDX-License-Identifier: MIT */
/*
 * Metric equations: text -> nodes -> value. The grammar is the one of docs/formats.md, "Metrics", and the notation of
 * the guides' tables of derived events (817509 Table 2-77, 2-135, 2-216, 2-422).
 *
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }
 *   factor  = [ "-" | "+" ] ( number | "(" sum ")" | call | name )
 *   call    = "ROUND" "(" sum [ "," number ] ")" | ("MIN" | "MAX") "(" sum { "," sum } ")"
 *           | "IF" "(" sum [ ("<" | "<=" | ">" | ">=" | "==" | "!=") sum ] "," sum "," sum ")"
 *           | ("CLOCK_HZ" | "INSTANCES" | "LIMIT") "(" word ")"
 *   name    = [ unit "/" ] word [ "{" list "}" | ".{" keys "}={" values "}" ] [ "with:" list ]
 *
 * `unit/` binds without blanks, and only where the word is a unit's name: `a/b` is otherwise a division.
 */
#ifndef PMON_METRIC_EXPR_H
#define PMON_METRIC_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum expr_limit { EXPR_MAX_DEPTH = 64, EXPR_MAX_NODES = 1024, EXPR_MAX_TEXT = 65536 };

enum expr_kind {
  EXPR_NUMBER,
  EXPR_NAME,
  EXPR_NEGATE,
  EXPR_ADD,
  EXPR_SUB,
  EXPR_MUL,
  EXPR_DIV,
  EXPR_ROUND,
  EXPR_MIN,
  EXPR_MAX,
  EXPR_LESS, /* comparisons are 1 or 0 */
  EXPR_LESS_EQUAL,
  EXPR_EQUAL,
  EXPR_NOT_EQUAL,
  EXPR_CHOOSE
};

enum expr_name_kind {
  EXPR_EVENT,     /* an event or another metric */
  EXPR_INTERVAL,  /* SAMPLE_INTERVAL: seconds measured */
  EXPR_TSC,       /* TSC: ticks of the time stamp counter in the interval */
  EXPR_TSC_SPEED, /* TSC_SPEED: MHz of the time stamp counter */
  EXPR_CLOCK,     /* CLOCK_HZ(unit): frequency of the clock that the unit's counters run on */
  EXPR_INSTANCES, /* INSTANCES(unit): how many instances of the unit were counted; of cores: how many CPUs */
  EXPR_LIMIT,     /* LIMIT(word): in bounds of units, a limit that the machine reports (pmon_session_options.limits) */
  EXPR_PACKAGES,  /* PACKAGES: how many packages were counted */
  EXPR_THREADS    /* THREADS_PER_CORE: hardware threads of a core */
};

/* A name in an equation. Texts are owned by the expression; absent parts are NULL. */
struct expr_name {
  enum expr_name_kind kind;
  char *unit;       /* "imc" of imc/CAS_COUNT.RD, or the argument of CLOCK_HZ, INSTANCES or LIMIT */
  char *name;       /* "CAS_COUNT.RD"; NULL for CLOCK_HZ, INSTANCES and LIMIT */
  char *attributes; /* "edge_det,thresh=0x1" */
  char *with;       /* "REGISTER.field=value,..." */
  uint32_t column;  /* of its first character, from 1 */
};

/* Operands precede their operator in `nodes`, so one pass in order evaluates everything. */
struct expr_node {
  enum expr_kind kind;
  uint32_t left, right; /* nodes; right unused for NEGATE and ROUND */
  uint32_t other;       /* for CHOOSE: left's value chooses right (not 0) or other (0) */
  uint32_t name;        /* for NAME: index into names */
  double number;        /* for NUMBER the value, for ROUND the digits */
};

struct expr {
  struct expr_node *nodes;
  struct expr_name *names;
  uint32_t n_nodes, n_names, cap_nodes, cap_names;
};

struct expr_error {
  uint32_t column;
  char text[160];
}; /* column from 1 */

/* Whether a word of the given length is the name of a unit. */
typedef bool (*expr_is_unit)(void *user, const char *word, size_t length);

/* Parses `text`; is_unit may be NULL (no word is a unit). PMON_E_SYNTAX with *error filled, PMON_E_MEMORY. The
 * expression is the caller's, freed with expr_free(). */
int expr_parse(const char *text, expr_is_unit is_unit, void *user, struct expr_error *error, struct expr **ret_expr);
void expr_free(struct expr *e);

/* A number that was measured or computed. sigma: one standard deviation of it, 0 when exact. */
struct expr_value {
  double number, sigma;
  double low, high; /* of its 95 % interval; high may be infinite */
  uint32_t flags;   /* enum pmon_value_flag of all operands */
  bool valid;
  char reason[163]; /* why there is no value; as long as that of struct pmon_value */
};

/* Looks up the value of a name. Fills *ret_value, which is all zeros: valid, or not valid with a reason. */
typedef void (*expr_lookup)(void *user, const struct expr_name *name, struct expr_value *ret_value);

/* Evaluates an expression. The result is a finite number or a reason, never NaN and never infinite. PMON_E_MEMORY. */
int expr_evaluate(const struct expr *e, expr_lookup lookup, void *user, struct expr_value *ret_value);

/* Evaluates the divisor of an equation that is a division, A / B; any other equation gives no value. PMON_E_MEMORY. */
int expr_evaluate_divisor(const struct expr *e, expr_lookup lookup, void *user, struct expr_value *ret_value);

/* Returns `text` with a metric's parameter (the guides' lower-case x, y, ...) replaced by `value`: where the letter
 * ends a word part (RANKx, NODEx_TO, dnid=x), not inside words or numbers (0x1C, max). The caller frees it; NULL: no
 * memory. */
char *expr_substitute(const char *text, char parameter, uint32_t value);

/* Returns the length of the text that ends an event written as in a list of events, after its name: `/`, or
 * `,attribute=value/`; 0: there is no slash, or an operand follows and the slash divides. */
size_t expr_closing_slash(const char *text);

#endif
