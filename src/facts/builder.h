/* SPDX-License-Identifier: MIT */
/* Fact tables while they are built: growing arrays, interned strings, and the position of each row for messages. */
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

/* A place of a register that has places of its own, instead of its unit's. */
struct own_place {
  uint32_t reg;
  struct db_place place;
};

/* An imported platform: all of it, or only what describes its registers. */
struct platform_import {
  uint32_t row;
  bool registers_only;
};

/* Umasks of an imported event that the platform being read leaves out. */
struct event_omission {
  uint32_t set; /* this platform's set of that name */
  db_str event, pattern;
  struct facts_pos pos;
};

/* Steps that any tables and files may take, however small (builder_step()). */
#define BUILDER_STEPS (UINT64_C(1) << 26)

struct builder {
  struct vec pool, strings; /* strings: hash table of db_str */
  uint32_t n_strings;
  struct names names;       /* of rows of the platform being read: build_find(), build_claim() */
  uint32_t entered[ROWS_N]; /* number of rows of each kind in `names` */
  struct vec note, source;  /* lines of the current block, joined when it ends */
  uint64_t bytes, steps;    /* bytes of the files read; steps of searches in them */
  struct vec rows[ROWS_N], pos[ROWS_N];
  struct vec refs, own_places, imports; /* imports: platforms that the one being read imports */
  struct vec omissions;                 /* what it leaves out of them */
  uint32_t start[ROWS_N];               /* first rows of the platform being read */
  struct sha256 content;                /* of the files that were read */
  bool user; /* the facts are a user's, not compiled in: metrics and invariants need no citation */
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

/* `error` is filled by builder_fail(). Starts from the rows of `base` if it is not NULL. False: no memory. */
bool builder_init(struct builder *b, const struct db *base, struct text_error *error);
void builder_fini(struct builder *b);

/* Returns the offset of the one copy of `t` in the pool; 0, and no_memory set: no memory. */
db_str builder_intern(struct builder *b, struct text t);

/* Returns the umask's row of rare properties, made if there is none yet. Making the next one moves it. */
struct db_umask_extra *builder_umask_extra(struct builder *b, uint32_t umask);

/* Adds a row. Returns its index, or DB_NONE, and no_memory set. */
uint32_t builder_push(struct builder *b, enum rows kind, const void *row, struct facts_pos pos);

/* Counts the steps of linear searches, which are used where real platforms have few rows. There are 64 steps for each
 * byte read, so that the time grows with the files' size and no faster. False: no steps are left; the files are then
 * refused in the end. */
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

/* Turns the builder's rows into tables, with their index; `b` is empty afterwards. */
int builder_freeze(struct builder *b, struct db **ret_db);

#endif
