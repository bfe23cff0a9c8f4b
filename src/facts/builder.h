/* SPDX-License-Identifier: MIT */
/* Fact tables in the making: arrays that grow, strings interned, the place of every row remembered for refusals. */
#ifndef PMON_FACTS_BUILDER_H
#define PMON_FACTS_BUILDER_H

#include <stdarg.h>
#include "src/base/error.h"
#include "src/base/sha256.h"
#include "src/base/text.h"
#include "src/base/vec.h"
#include "src/facts/db.h"
#include "src/facts/names.h"

#define DB_ENUM(type, name) ROWS_##name,
enum rows { DB_ARRAYS(DB_ENUM) ROWS_N };
#undef DB_ENUM

struct facts_pos {
  db_str file;
  uint32_t line, column;
};

/* A name that refers to a row which may be defined later. */
enum ref_kind {
  REF_FIELD_VALUES,
  REF_LAYOUT_BASE,
  REF_REGISTER_LAYOUT,
  REF_IMPORT_SET,
  REF_EVENT_OVERLAY,
  REF_METRIC_UNIT,
  REF_INVARIANT_UNIT,
  REF_RULE_UNIT,
  REF_UNIT_CLOCK
};
struct facts_ref {
  enum ref_kind kind;
  uint32_t row;
  db_str name;
  struct facts_pos pos;
};

/* The place of a register that does not follow its unit. */
struct own_place {
  uint32_t reg;
  struct db_place place;
};

/* A platform taken over: all of it, or what describes its registers. */
struct platform_import {
  uint32_t row;
  bool registers_only;
};

/* Umasks of an imported event that the platform being read does not have. */
struct event_omission {
  uint32_t set; /* its own set of that name */
  db_str event, pattern;
  struct facts_pos pos;
};

/* For tables to begin with, and for files of any size. */
#define BUILDER_STEPS (UINT64_C(1) << 26)

struct builder {
  struct vec pool, strings; /* strings: hash table of db_str */
  uint32_t n_strings;
  struct names names;       /* of rows, of the platform that is read: build_find(), build_claim() */
  uint32_t entered[ROWS_N]; /* how many rows of a kind are in `names` */
  struct vec note, source;  /* lines of the current block's, joined when it ends */
  uint64_t bytes, steps;    /* of the files that were read; of searches in them */
  struct vec rows[ROWS_N], pos[ROWS_N];
  struct vec refs, own_places, imports; /* imports: what platforms the one being read takes over */
  struct vec omissions;                 /* what it does not take over */
  uint32_t start[ROWS_N];               /* where the rows of the platform being read begin */
  struct sha256 content;                /* of the files that were read */
  bool user; /* the facts of a user, not those that are compiled in: metrics and invariants need no citation */
  bool no_memory;
  struct text_error *error;
};

#define DB_ACCESSOR(type, name)                                                                                        \
  static inline struct type *build_##name(const struct builder *b, uint32_t i)                                         \
  {                                                                                                                    \
    return vec_at(&b->rows[ROWS_##name], i);                                                                           \
  }
DB_ARRAYS(DB_ACCESSOR)
#undef DB_ACCESSOR

static inline uint32_t build_count(const struct builder *b, enum rows kind)
{
  return b->rows[kind].n;
}
static inline struct facts_pos build_pos(const struct builder *b, enum rows kind, uint32_t i)
{
  return *(const struct facts_pos *)vec_at(&b->pos[kind], i);
}
static inline const char *build_text(const struct builder *b, db_str s)
{
  return (const char *)b->pool.data + s;
}

/* `error` is filled by builder_fail(). Starts from the rows of `base` where not NULL. False: no memory. */
bool builder_init(struct builder *b, const struct db *base, struct text_error *error);
void builder_fini(struct builder *b);

/* The one copy of `t` in the pool; 0 and no_memory set when there is none left. */
db_str builder_intern(struct builder *b, struct text t);

/* The umask's own row of what few have, made when there is none yet; the next one's making moves it. */
struct db_umask_extra *builder_umask_extra(struct builder *b, uint32_t umask);

/* Adds a row; its index, or DB_NONE and no_memory set. */
uint32_t builder_push(struct builder *b, enum rows kind, const void *row, struct facts_pos pos);

/* What is searched in order, because real platforms have few of it, costs steps. There are as many as 64 for each byte
 * that was read, so that the time grows with the files' size and no faster. False: they are used up, and what is read
 * is refused in the end. */
static inline bool builder_step(struct builder *b, uint64_t steps)
{
  b->steps += steps;
  return b->steps <= BUILDER_STEPS + 64 * b->bytes;
}

/* As builder_step(), with PMON_E_RANGE and its message in place of false. */
int builder_need_steps(struct builder *b, uint64_t steps);

/* Fills the error record and returns `status`. */
int builder_fail(struct builder *b, int status, struct facts_pos pos, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int builder_vfail(struct builder *b, int status, struct facts_pos pos, const char *format, va_list ap)
    __attribute__((format(printf, 4, 0)));

/* Turns what was built into tables, with their index; `b` is empty afterwards. */
int builder_freeze(struct builder *b, struct db **ret_db);

#endif
