/* SPDX-License-Identifier: MIT */
/* What a row of the facts says about registers, as their values; and the way back from a value to a row. */
#ifndef PMON_EVENT_ROW_H
#define PMON_EVENT_ROW_H

#include <stdbool.h>
#include <string.h>
#include "src/event/event.h"

#define ROW_REGISTERS 16

/* An event as the facts have it, before attributes: what counts it, and what its row says. */
struct event_row {
  const struct db *db;
  uint32_t unit, import, event; /* rows; import and event may be DB_NONE (raw code) */
  uint32_t umasks[EVENT_UMASKS], n_umasks;
  uint32_t kind, ctl, ctr, ctr_index; /* as in struct pmon_event */
  uint32_t counters;
  uint32_t n_settings; /* how many fields its row sets */
  uint32_t n_registers;
  struct event_register registers[ROW_REGISTERS]; /* as in struct pmon_event */
};

/* An empty row; of its registers, which row_complete() fills anew, there are none. */
static inline void row_clear(struct event_row *row, const struct db *db)
{
  row->db = db;
  row->unit = row->import = row->event = DB_NONE;
  row->n_umasks = row->n_settings = row->n_registers = 0;
  memset(row->umasks, 0, sizeof row->umasks);
  row->kind = PMON_EVENT_PROGRAMMED;
  row->ctl = row->ctr = DB_NONE;
  row->ctr_index = row->counters = 0;
}

/* Finds the registers of the unit that count the row's event, and its counters. False: the unit has none. */
bool row_bind(struct event_row *row);

/* Fills the registers from event, import and umasks. False: a field that the facts name does not exist here. */
bool row_complete(struct event_row *row);

/* Sets a field. It overrides the bits that were set before: an attribute refines what the umask's row says. False: that
 * would be one register more than there is room for. */
bool row_set(struct event_row *row, const struct event_setting *setting);

/* What the row wants of the register that selects it; of an event that has none, nothing. */
static inline const struct event_register *row_control(const struct event_row *row)
{
  return &row->registers[0];
}

/* A field that selects the event code, the umask or its extension in a layout; DB_NONE when it has none. */
uint32_t layout_code(const struct db *db, uint32_t layout);
uint32_t layout_umask(const struct db *db, uint32_t layout);
uint32_t layout_ext(const struct db *db, uint32_t layout);
/* The ninth bit of the event code, where codes need one (E5-2600: QPI, PCU). */
uint32_t layout_code_ext(const struct db *db, uint32_t layout);
/* The field by a name given in C; DB_NONE when the layout has none such. */
uint32_t layout_field(const struct db *db, uint32_t layout, const char *name);

/* The bit `en` that lets the counter count, where control registers have one. */
uint32_t layout_enable(const struct db *db, uint32_t layout);

/* The event and umask of `unit` that control value `value` selects, filled into `row` and completed. Without an exact
 * umask the event alone; without an event, a raw code (row->event DB_NONE). False: the unit has no control register. */
bool row_match(const struct db *db, uint32_t unit, uint64_t value, struct event_row *row);

/* The same among the umasks of row->event (with row->import) alone. True when one says exactly `value`; otherwise the
 * row is left without umask, completed. */
bool row_match_umask(struct event_row *row, uint64_t value);

/* Whether the row's umask value is one of the facts, or no umask is to be chosen. */
bool row_is_exact(const struct event_row *row, uint64_t value);

#endif
