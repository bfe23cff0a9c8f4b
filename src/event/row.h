/* SPDX-License-Identifier: MIT */
/* Rows of the facts as register values, and the reverse: from a register value to a row. */
#ifndef PMON_EVENT_ROW_H
#define PMON_EVENT_ROW_H

#include <stdbool.h>
#include <string.h>
#include "src/event/event.h"

#define ROW_REGISTERS 16

/* An event of the facts, before attributes: the registers that count it, and the values that its row sets. */
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

/* Empties a row. Its registers are not cleared: row_complete() fills them. */
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

/* Fills the registers from event, import and umasks. False: the unit lacks a field that the facts name. */
bool row_complete(struct event_row *row);

/* Sets a field. It overrides bits that were set before: an attribute refines the umask's row. False: there is no room
 * for another register. */
bool row_set(struct event_row *row, const struct event_setting *setting);

/* Returns the row's value of the control register; an empty one for an event without control register. */
static inline const struct event_register *row_control(const struct event_row *row)
{
  return &row->registers[0];
}

/* The fields that select the event code, the umask or its extension in a layout; DB_NONE: the layout has none. */
uint32_t layout_code(const struct db *db, uint32_t layout);
uint32_t layout_umask(const struct db *db, uint32_t layout);
uint32_t layout_ext(const struct db *db, uint32_t layout);
/* The ninth bit of the event code, where codes need one (E5-2600: QPI, PCU). */
uint32_t layout_code_ext(const struct db *db, uint32_t layout);
/* The field of that name; DB_NONE: the layout has none. */
uint32_t layout_field(const struct db *db, uint32_t layout, const char *name);

/* The bit `en` that lets the counter count, where control registers have one. */
uint32_t layout_enable(const struct db *db, uint32_t layout);

/* Fills `row` with the event and umask of `unit` that control value `value` selects, completed. Without an exact umask:
 * the event alone; without an event: a raw code (row->event DB_NONE). False: the unit has no control register. */
bool row_match(const struct db *db, uint32_t unit, uint64_t value, struct event_row *row);

/* The same among the umasks of row->event (with row->import) alone. True if they select exactly `value`; otherwise the
 * row has no umask, and is completed. */
bool row_match_umask(struct event_row *row, uint64_t value);

#endif
