/* SPDX-License-Identifier: MIT */
/* Units of which only Linux' names and formats are known: the PMU that counts them, and the terms that it takes. */
#ifndef CLI_IMPORT_KINDS_H
#define CLI_IMPORT_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Registers, as far as terms need them: a control, a counter, and filters. */
enum import_layout {
  LAYOUT_STANDARD,
  LAYOUT_PORTS,
  LAYOUT_POWER,
  LAYOUT_CORE,
  LAYOUT_COUNTER,
  LAYOUT_WORD,
  LAYOUT_WORD2,
  LAYOUT_CHA,
  LAYOUT_CBOX,
  LAYOUT_CBOX2,
  LAYOUT_BANDS,
  LAYOUT_UBOX,
  LAYOUT_QPI,
  LAYOUT_QPI2,
  LAYOUT_QPI3,
  LAYOUT_QPI4,
  LAYOUT_LATENCY,
  LAYOUTS
};

/* The filters of a unit: several registers. */
enum import_filters {
  FILTERS_NONE,
  FILTERS_CHA,
  FILTERS_SKX,
  FILTERS_CBOX,
  FILTERS_BANDS,
  FILTERS_UBOX,
  FILTERS_QPI,
  FILTERS_CORE,
  FILTERS_N
};

struct import_kind {
  const char *unit; /* as in event files; "": events of cores */
  const char *pmu;  /* of Linux, without "uncore_" */
  enum import_layout control;
  enum import_filters filters;
};

/* The kind of a unit (`words`: the file has values for whole filter registers, as Skylake's has). For a unit in no
 * table, kinds_unknown(): STANDARD, or PORTS if its events have ports. */
const struct import_kind *kinds_find(const char *unit, bool words);
const struct import_kind *kinds_unknown(bool ports);

/* Whether a list of names, separated by commas, has the name, in any case. */
bool kinds_list_has(const char *list, const char *name);

/* Return the width in bits of a field of the control register, or of a filter register; 0: the kind has no such field.
 * `setting` receives the text that sets it in an event's row; for a filter that several registers have, that of the
 * first one. */
unsigned kinds_control_field(const struct import_kind *kind, const char *name, char *setting, size_t size);
unsigned kinds_filter_field(const struct import_kind *kind, const char *name, char *setting, size_t size);

/* Writes all layouts; and the registers of a unit with that number of counters. */
void kinds_write_layouts(FILE *f);
void kinds_write_registers(FILE *f, const struct import_kind *kind, uint32_t counters);

/* Writes the names of all fields of the kind's filters, separated by commas; those that an event file's Filter needs
 * are marked. */
void kinds_write_filters(FILE *f, const struct import_kind *kind, const char *text);

/* Whether the user must set a filter that an event file's Filter names without a value. *ret_missing: the kernel has no
 * place for it. */
bool kinds_needed_filter(const char *text, bool *ret_missing);

#endif
