/* SPDX-License-Identifier: MIT */
/*
 * Events by name. A text in any of the spellings that users have becomes one resolved event:
 *
 *   cha/TOR_INSERTS.IA_MISS_DRD,thresh=4/        own: unit, event, umask, attributes (instances: cha3/.., cha0-7/..)
 *   TOR_INSERTS.IA_MISS_DRD                      without the unit, where only one unit has it
 *   uncore_cha/event=0x35,umask=0xc817fe01/      Linux perf, and uncore_cha_3/../, ch_mask=, fc_mask=, config=
 *   UNC_CHA_TOR_INSERTS.IA_MISS_DRD              Intel's event files
 *   spr_unc_cha0::UNC_C_TOR_INSERTS:IA_MISS_DRD:e:t=1     libpfm4
 *   TOR_INSERTS.IA_MISS_DRD{edge_det,thresh=1}   the guides, and `NAME with:Cn_MSR_PMON_BOX_FILTER.tid=3`
 *
 * Case does not matter. EVENT.A+B counts two umasks at once where the hardware adds them up. An attribute is a
 * writable field of the unit's control register, of the event's overlay, or of a filter register, by its name or an
 * alias; one bit wide fields need no value. Values are numbers (12, 0x0c, 0b1100) or names (`opc=RFO`, `tid=core3.1`).
 * Whole registers are given as `config=`, `config1=` and `config2=` (the filter registers in order, as Linux perf has
 * them), or by the end of a filter register's name (`match0=0x1c80`).
 */
#ifndef PMON_EVENT_H
#define PMON_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/context.h>
#include <pmon/platform.h>

PMON_BEGIN_DECLS

struct pmon_event;

/* How an event is counted. */
enum pmon_event_kind {
  PMON_EVENT_PROGRAMMED, /* by a counter with a control register */
  PMON_EVENT_FIXED,      /* by the unit's fixed counter */
  PMON_EVENT_FREERUNNING /* by a counter that always runs */
};

/* A control field that the event needs beside code and umask. */
struct pmon_event_field {
  const char *name;
  uint64_t value;
};

/* A property that only some platforms have (Montecito: `type`, `set`, `iar` and so on; docs/formats.md, data/). */
struct pmon_event_attr {
  const char *key, *value;
};

/* One event with one umask, or without when umask is NULL. */
struct pmon_event_info {
  size_t size;
  const char *platform, *unit, *event, *umask;
  const char *alias;                          /* other names of the event, separated by commas */
  const char *category, *brief, *event_brief; /* brief: of the umask, or of the event when it has none */
  const char *cite, *note, *source, *filters;
  const char *result; /* what one count is worth: `scale` of these ("" when it is just a count) */
  double scale;
  uint32_t code, kind;                /* kind: enum pmon_event_kind; code 0 unless programmed */
  uint64_t umask_value, ext;          /* ext: value of umask_ext */
  struct pmon_event_field fields[16]; /* other fields of the control register */
  uint32_t n_fields;
  uint32_t counters; /* bit n: counter n can take it */
  uint32_t max_inc;  /* largest increment in a cycle; 0: not stated */
  bool unsure, is_default, exclusive, has_umasks;
  const char *overlay; /* the extra reading of the control register, or "" */
  struct pmon_event_attr attrs[12];
  uint32_t n_attrs;
};

/* Begin with all zeros; pmon_event_next() moves it. */
struct pmon_event_cursor {
  uint32_t unit, import, event, umask;
};

/* Goes through all events and umasks of a platform, or of one unit (UINT32_MAX: all). Events of a set that several
 * units share come once, under the first unit, unless a unit takes them with control fields of its own.
 * Returns false after the last one, or when info->size is 0, and leaves *info alone. */
PMON_API bool pmon_event_next(const struct pmon_platform *platform, uint32_t unit, struct pmon_event_cursor *cursor,
                              struct pmon_event_info *info);

/* Resolves one event text (above). The event is the caller's: pmon_event_free().
 * PMON_OK; PMON_E_SYNTAX; PMON_E_UNKNOWN (unit, event, umask, attribute or value name; nearest names are in the error
 * record); PMON_E_AMBIGUOUS (units that have it are listed; or a bare name where a umask is needed); PMON_E_RANGE
 * (value too wide, no such instance); PMON_E_CONFLICT (two attributes on the same bits, or umasks that do not add
 * up); PMON_E_MEMORY. The error record has the column. */
PMON_API int pmon_event_resolve(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                                struct pmon_event **ret_event);

/* NULL is fine. */
PMON_API void pmon_event_free(struct pmon_event *event);

/* The length of the first event in a list separated by commas (commas inside slashes or braces separate attributes).
 * The next one, if any, begins one character behind. */
PMON_API size_t pmon_event_text_length(const char *list);

/* The event's own spelling: resolving it gives the same event. Owned by the event. */
PMON_API const char *pmon_event_name(const struct pmon_event *event);

/* The number of its unit in the platform. */
PMON_API uint32_t pmon_event_unit(const struct pmon_event *event);

/* Bit n: instance n of the unit is to be measured; all instances unless the text chose some. */
PMON_API uint64_t pmon_event_instances(const struct pmon_event *event);

/* Bit n: counter n may take it. For fixed and free-running events bit 0: there is one counter. */
PMON_API uint32_t pmon_event_counters(const struct pmon_event *event);

/* Which kind of counter it is for: a programmable, a fixed or a free-running one. */
PMON_API enum pmon_event_kind pmon_event_get_kind(const struct pmon_event *event);

/* Fills what the facts say about it. For a raw code that is no event of the unit, `event` is NULL. PMON_OK. */
PMON_API int pmon_event_describe(const struct pmon_event *event, struct pmon_event_info *info);

/* One answer of a search: the better, the higher the score. */
struct pmon_event_match {
  uint32_t score;
  struct pmon_event_cursor at;
};

/* Searches names, briefs and categories for all words of `query`, ranks the answers, writes up to `n` of them, best
 * first, and returns how many it wrote. pmon_event_at() tells what they are. */
PMON_API size_t pmon_event_search(const struct pmon_platform *platform, const char *query,
                                  struct pmon_event_match *matches, size_t n);

/* How well a metric answers the same query: comparable with the scores of events; 0: not at all. */
PMON_API uint32_t pmon_metric_score(const struct pmon_metric_info *metric, const char *query);

/* What a cursor stands on. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_event_at(const struct pmon_platform *platform, const struct pmon_event_cursor *cursor,
                           struct pmon_event_info *info);

/* The nearest event names to one that is none, in the form unit/EVENT.UMASK/, best first: up to `n` texts of up to
 * `size` bytes each, one behind the other in `texts`. Returns how many. */
PMON_API size_t pmon_event_suggest(const struct pmon_platform *platform, const char *name, char *texts, size_t size,
                                   size_t n);

PMON_END_DECLS

#endif
