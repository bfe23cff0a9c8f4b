/* SPDX-License-Identifier: MIT */
/*
 * The grammar of event texts. The parser splits a text into pieces in place, and does not interpret them.
 *
 *   event    = [ unit "/" ] body [ "/" [ [ ":" ] mods ] ] tail*  |  name tail*  |  pmu "::" name part* tail*
 *   body     = item { "," item }                 the first item without "=" is the event's name
 *   item     = key [ "=" value ]
 *   tail     = "{" item { "," item } "}"  |  " with:" [ register "." ] item { "," item }
 *   part     = ":" key [ "=" value ]             libpfm4: a umask, a modifier or an attribute
 *   mods     = perf's modifiers u, k after a unit's event; kept as an attribute that is a part
 */
#ifndef PMON_EVENT_SPELLING_H
#define PMON_EVENT_SPELLING_H

#include <stdbool.h>
#include <stdint.h>
#include "src/base/text.h"

struct pmon_context;

#define SPELLING_ATTRS 32

struct spelling_attr {
  struct text reg, key, value; /* reg: of `with:`, else empty; value.s NULL: none was written */
  bool part;                   /* written as libpfm4's `:key` */
};

struct spelling {
  const char *text;         /* the whole text, for columns */
  struct text unit;         /* empty: none */
  struct text event, umask; /* name before and after its first dot; event empty: only attributes */
  bool has_umask;
  struct spelling_attr attrs[SPELLING_ATTRS];
  uint32_t n_attrs;
};

/* Fills *ret_spelling, whose pieces point into `text`. PMON_E_SYNTAX with the column in the context's error record. */
int spelling_parse(struct pmon_context *context, const char *text, struct spelling *ret_spelling);

/* The column, from 1, of something inside the text. */
static inline uint32_t spelling_column(const struct spelling *s, const char *at)
{
  return at ? (uint32_t)(at - s->text) + 1 : 1;
}

/* Whether the text is the name, in any case, with `_` for some of its dots, as other tools write it. */
__attribute__((cold)) bool spelling_is_joined(struct text t, const char *name);

#endif
