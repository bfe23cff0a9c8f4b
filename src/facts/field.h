/* SPDX-License-Identifier: MIT */
/* Reads and writes the fields of a register's value. */
#ifndef PMON_FACTS_FIELD_H
#define PMON_FACTS_FIELD_H

#include "src/base/bits.h"
#include "src/facts/db.h"

static inline uint64_t field_mask(const struct db_field *f)
{
  return bits_mask(f->hi, f->lo);
}

static inline uint64_t field_get(const struct db_field *f, uint64_t reg)
{
  return (reg & field_mask(f)) >> f->lo;
}

static inline uint64_t field_set(const struct db_field *f, uint64_t reg, uint64_t value)
{
  return (reg & ~field_mask(f)) | ((value << f->lo) & field_mask(f));
}

/* The widest value that fits into the field. */
static inline uint64_t field_max(const struct db_field *f)
{
  return bits_mask(f->hi - f->lo, 0);
}

#endif
