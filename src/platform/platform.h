/* SPDX-License-Identifier: MIT */
/* A platform inside the library: a row of the fact tables, and the context that owns it. */
#ifndef PMON_PLATFORM_PLATFORM_H
#define PMON_PLATFORM_PLATFORM_H

#include <pmon/metric.h>
#include <pmon/platform.h>
#include "src/base/text.h"
#include "src/facts/db.h"
#include "src/facts/vocabulary.h"

struct pmon_platform {
  struct pmon_context *context;
  const struct db *db;
  const struct db_platform *row;
  void *block; /* of the first platform of each table: the memory of all its platforms; else NULL */
};

/* Writes "; expected UNIT, UNIT or UNIT" with the platform's units; returns `text`. */
const char *platform_format_units(const struct pmon_platform *p, char *text, size_t size);

/* The unit's row in db.units; the caller's number must be one of the platform's. */
static inline uint32_t platform_unit_row(const struct pmon_platform *p, uint32_t unit)
{
  return p->row->units.first + unit;
}

/* Whether a value written to the register takes effect later, at another action (`latched`). */
static inline bool platform_is_latched(const struct pmon_platform *p, const struct pmon_register_id *id)
{
  return p->db->registers[p->db->units[platform_unit_row(p, id->unit)].registers.first + id->reg].latched != 0;
}

/* One register of one instance, by rows of db.units and db.registers. */
struct platform_place {
  uint32_t unit, reg, instance, index;
};

/* The device of a place, as in pmon_address.device. */
uint32_t platform_device(const struct db *db, const struct db_place *place);

/* The register's address in package 0. PMON_OK, PMON_E_RANGE (no such instance, or index not below the register's
 * count). */
static inline int platform_address(const struct db *db, const struct platform_place *place,
                                   struct pmon_address *ret_address)
{
  const struct db_unit *u = &db->units[place->unit];
  const struct db_register *r = &db->registers[place->reg];
  bool elsewhere = r->own_place != DB_NONE;
  if (place->index >= db_register_count(db, u, r, place->instance) || place->instance >= (!elsewhere     ? u->places.n
                                                                                          : u->instances ? u->instances
                                                                                                         : 1))
    return PMON_E_RANGE;
  const struct db_place *at = db_register_place(db, u, r, place->instance);
  *ret_address = (struct pmon_address){
      .space = (uint8_t)at->space,
      .width_bits = (uint8_t)r->access_bits,
      .device = at->space == PMON_SPACE_MMIO ? platform_device(db, at) : at->device,
      .offset =
          at->base + (elsewhere ? 0 : db_register_offset(db, u, r, place->instance)) + (uint64_t)place->index * r->step,
  };
  return PMON_OK;
}

/* Like pmon_unit_describe() and others, but they leave the error record alone, fill all of *info and set its size, and
 * return false past the last one. */
bool platform_get_unit(const struct pmon_platform *platform, uint32_t unit, struct pmon_unit_info *info);
bool platform_get_group(const struct pmon_platform *platform, uint32_t group, struct pmon_metric_group_info *info);
bool platform_get_values(const struct pmon_platform *platform, uint32_t values, struct pmon_values_info *info);
bool platform_get_value(const struct pmon_platform *platform, uint32_t values, uint32_t row,
                        struct pmon_value_info *info);
bool platform_get_register(const struct pmon_platform *platform, uint32_t unit, uint32_t reg,
                           struct pmon_register_info *info);
bool platform_get_field(const struct pmon_platform *platform, uint32_t unit, uint32_t reg, uint32_t field,
                        struct pmon_field_info *info);

/* The row in db.layouts of a register's layout, or of layout `reg` (PMON_UNIT_NONE); DB_NONE: there is none. */
uint32_t platform_layout(const struct pmon_platform *p, uint32_t unit, uint32_t reg);

/* Finds the rows of a register by the caller's numbers; false: there is none. */
bool platform_find_rows(const struct pmon_platform *p, uint32_t unit, uint32_t reg, struct platform_place *ret_place);

/* A word of the facts by its value; "?" when the list has none. */
static inline const char *platform_word(enum vocabulary list, uint32_t value)
{
  const char *name = vocabulary_name(list, value);
  return name ? name : "?";
}

/* pmon_register_find() without the error record: an address without a register is no error. */
bool platform_register_at(const struct pmon_platform *platform, const struct pmon_address *address,
                          struct pmon_register_id *ret_id);

/* pmon_register_resolve() for a text without a terminating 0. */
int platform_resolve_register(const struct pmon_platform *platform, struct text name,
                              struct pmon_register_match *match);

/* Returns a register's value after a reset, in its writable fields and in bits that software must write back
 * unchanged. */
uint64_t platform_reset_value(const struct pmon_platform *platform, const struct pmon_register_id *id);

/* Returns the bits of the field with this name or alias, in any case, in the register's layout or its overlays; 0:
 * none. */
uint64_t platform_field_bits(const struct pmon_platform *platform, const struct pmon_register_id *id, const char *name);

/* Returns the bits of those fields of a register and its overlays whose access is one of `kinds`: bit DB_RW and so
 * on. */
uint64_t platform_bits(const struct pmon_platform *platform, const struct pmon_register_id *id, uint32_t kinds);

/* The number after the name of the k-th of a row's registers. Those of free-running counters begin with 0 in each
 * row. */
static inline uint32_t platform_register_number(const struct db_register *r, uint32_t k)
{
  return k + (r->role == PMON_ROLE_FREERUNNING ? 0 : r->index);
}

/* A unit as it is named in a text: `cha`, `cha3`, `uncore_cha_3`, `spr_unc_cha0`, `cha0-7+12`. */
struct platform_unit_name {
  uint32_t unit;      /* row of db.units */
  bool chosen;        /* the text chose instances */
  bool beyond;        /* one of them is above 63, or `reversed` */
  bool reversed;      /* a range begins with its greater number */
  uint64_t instances; /* all ones when it chose none */
};

bool platform_find_unit(const struct pmon_platform *p, struct text t, struct platform_unit_name *ret_found);

/* Writes which instances the unit has: "cha has instances 0 to 63". */
void platform_instances_format(const struct pmon_platform *p, const struct platform_unit_name *found, char *text,
                               size_t size);

/* The space (enum pmon_space) of a name such as msr; false: no space has that name. */
bool platform_space(struct text name, uint32_t *ret_space);

/* The number of a memory BAR by name (MEM0, DISCOVERY), as in pmon_address.device. */
bool platform_bar(struct text name, uint32_t *ret_number);

/* The unit's first register row of a role with the given index, or DB_NONE. */
uint32_t platform_register(const struct db *db, uint32_t unit_row, uint32_t role, uint32_t index);

#endif
