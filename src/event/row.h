/* SPDX-License-Identifier: MIT */
/* What a row of the facts says about a control register, as settings; and the way back from a value to a row. */
#ifndef PMON_EVENT_ROW_H
#define PMON_EVENT_ROW_H

#include <stdbool.h>
#include "src/event/event.h"

#define ROW_SETTINGS 24

/* An event as the facts have it, before attributes: what counts it, and the settings of its row. */
struct event_row {
  const struct db *db;
  uint32_t unit, import, event;            /* rows; import and event may be DB_NONE (raw code) */
  uint32_t umasks[EVENT_UMASKS], n_umasks;
  uint32_t kind, ctl, ctr, ctr_index;      /* as in struct pmon_event */
  uint32_t counters;
  struct event_setting settings[ROW_SETTINGS];
  uint32_t n_settings;
};

/* Finds the registers of the unit that count the row's event, and its counters. False: the unit has none. */
bool row_bind(struct event_row *row);

/* Fills the settings from event, import and umasks. False: a field that the facts name does not exist here. */
bool row_settle(struct event_row *row);

/* The value of register `reg` that settings make; bits that none of them touches are 0. *ret_mask (may be NULL): the
 * bits that they touch. */
uint64_t settings_value(const struct db *db, const struct event_setting *settings, uint32_t n, uint32_t reg,
                        uint64_t *ret_mask);

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

/* The event and umask of `unit` that control value `value` selects, filled into `row` and settled. Without an exact
 * umask the event alone; without an event, a raw code (row->event DB_NONE). False: the unit has no control register. */
bool row_match(const struct db *db, uint32_t unit, uint64_t value, struct event_row *row);

/* The same among the umasks of row->event (with row->import) alone. True when one says exactly `value`; otherwise the
 * row is left without umask, settled. */
bool row_match_umask(struct event_row *row, uint64_t value);

/* Whether the row's umask value is one of the facts, or no umask is to be chosen. */
bool row_is_exact(const struct event_row *row, uint64_t value);

#endif
