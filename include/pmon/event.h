/* SPDX-License-Identifier: MIT */
/*
 * Events by name. A text in any of these spellings is resolved to one event:
 *
 *   cha/TOR_INSERTS.IA_MISS_DRD,thresh=4/        pmon: unit, event, umask, attributes (instances: cha3/.., cha0-7/..)
 *   TOR_INSERTS.IA_MISS_DRD                      without the unit, if only one unit has the event
 *   uncore_cha/event=0x35,umask=0xc817fe01/      Linux perf, and uncore_cha_3/../, ch_mask=, fc_mask=, config=, r4235
 *   UNC_CHA_TOR_INSERTS.IA_MISS_DRD              Intel's event files
 *   spr_unc_cha0::UNC_CHA_TOR_INSERTS:IA_MISS_DRD:e:t=1   libpfm4
 *   TOR_INSERTS_IA_MISS_DRD:CBOX0C0:THRESHOLD=1  likwid; the plan chooses the counter
 *   TOR_INSERTS.IA_MISS_DRD{edge_det,thresh=1}   the guides, and `NAME with:Cn_MSR_PMON_BOX_FILTER.tid=3`
 *
 * Case is ignored. EVENT.A+B counts two umasks at once if the hardware adds them. An attribute is a writable field of
 * the unit's control register, of the event's overlay or of a filter register, by its name or an alias. A one-bit field
 * needs no value. A value is a number (12, 0x0c, 0b1100) or a name (`opc=RFO`, `tid=core3.1`). A whole register is set
 * with `config=`, `config1=` and `config2=` (the filter registers in order, as Linux perf numbers them), or with the
 * end of a filter register's name (`match0=0x1c80`).
 *
 * A field of a packet match also sets all bits of its mask, unless the text sets the mask, too (E5-2600's QPI, 327043
 * 2.7.3.3: `mc=0xe` is `mc=0xe,mask_mc=0xf`; a mask of 0 matches every packet). A match or mask register that is set as
 * a whole gets exactly this value, even where the event's own row has another one. It does not set the mask: the mask
 * is the event's own, or 0. An event that is itself a match (`qpi/DRS.AnyDataC/`) cannot match another value.
 *
 * Threads: a context and its events are used by one thread at a time, in every function of this header. Events of
 * different contexts share no mutable data.
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
  PMON_EVENT_FREERUNNING /* by a free-running counter */
};

/* A control field that the event sets in addition to code and umask. */
struct pmon_event_field {
  const char *name;
  uint64_t value;
};

/* A property that only some platforms define (Montecito: `type`, `set`, `iar` and others; docs/formats.md, data/). */
struct pmon_event_attr {
  const char *key, *value;
};

/* Events of registers that show a level instead of a count (docs/formats.md, `attr gauge`). Each reading adds the level
 * times the microseconds since the previous reading, so that the sum adds up over time as counts do. */
enum pmon_level {
  PMON_LEVEL_NONE, /* the register counts */
  PMON_LEVEL_SUM,  /* a level; reports print the sum */
  PMON_LEVEL_MEAN  /* a level; reports print its mean, which does not add up over time */
};

/* One event with one umask; `umask` is NULL for the event without a umask. `brief` is a description that stands alone:
 * one or more complete sentences about what the event counts with this umask. `event_brief` describes the event with
 * any umask. `note` is the umask's note, or the event's if the umask has none. Texts of pmon_event_describe() are valid
 * until the event is freed, other texts as long as the platform. */
struct pmon_event_info {
  size_t size;
  const char *platform, *unit, *event, *umask;
  const char *alias; /* other names of the event, separated by commas */
  const char *category, *brief, *event_brief;
  const char *cite, *note, *source, *filters;
  const char *result; /* the unit of the result: one count is `scale` of it; "" for a plain count */
  double scale;
  uint32_t code, kind;                /* kind: enum pmon_event_kind; code 0 unless programmed */
  uint64_t umask_value, ext;          /* ext: value of umask_ext */
  struct pmon_event_field fields[16]; /* further fields of the control register */
  uint32_t n_fields;
  uint32_t counters; /* bit n: counter n can count it */
  uint32_t max_inc;  /* largest increment per cycle; 0: not stated */
  bool unsure, is_default, exclusive, has_umasks;
  const char *overlay; /* the overlay of the control register, or "" */
  struct pmon_event_attr attrs[12];
  uint32_t n_attrs;
  bool states;            /* it adds up a state in each cycle: cycles in the state, or entries per cycle */
  const char *event_note; /* note about the event with any umask */
  uint32_t level;         /* enum pmon_level */
};

/* Position of an iteration. Zero it first; pmon_event_next() advances it. */
struct pmon_event_cursor {
  uint32_t unit, import, event, umask;
};

/* Iterates over the events and umasks of a platform, or of one unit (UINT32_MAX: all units). An event set that several
 * units share is visited once, under the first unit that has it. This can be a unit without instances (info->unit
 * "cms"); its events are then resolved under the units that count them, which pmon_event_resolve() lists. The set is
 * visited again under each unit that adds control fields to it. The events of one unit do not include a shared set that
 * is visited under another one: the mesh stop's events of emr's cha are those of cms. A pattern of
 * pmon_event_expand() matches both. Returns false after the last event, or when info->size is 0, and leaves *info
 * unchanged. */
PMON_API bool pmon_event_next(const struct pmon_platform *platform, uint32_t unit, struct pmon_event_cursor *cursor,
                              struct pmon_event_info *info);

/*
 * Resolves one event text in a spelling listed above. The caller frees the event with pmon_event_free(). PMON_OK;
 * PMON_E_SYNTAX; PMON_E_UNKNOWN (unit, event, umask, attribute or value name; the error record has the nearest names);
 * PMON_E_AMBIGUOUS (several units have the event, and are listed; or the event needs a umask); PMON_E_RANGE (a value is
 * too wide, or there is no such instance); PMON_E_CONFLICT (two attributes set the same bits; umasks that cannot be
 * added; an event that counts only with a filter, which the text does not set; or a filter that does not act on the
 * event: the error record lists the umasks or events on which it acts, and one of them in the text's spelling);
 * PMON_E_MEMORY. The error record has the column. Without a context (NULL) there is no error record and no search for
 * the nearest names: this is the fast way to find out whether a text is an event.
 */
PMON_API int pmon_event_resolve(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                                struct pmon_event **ret_event);

/* Frees an event. NULL is allowed. */
PMON_API void pmon_event_free(struct pmon_event *event);

/* The length of the first event in a comma-separated list (commas within slashes or braces separate attributes; one
 * before UNIT/EVENT ends an event whose slash is not closed). The next event, if any, begins one character later. */
PMON_API size_t pmon_event_text_length(const char *list);

/* The event's canonical spelling, which resolves to the same event. Owned by the event. */
PMON_API const char *pmon_event_name(const struct pmon_event *event);

/* The number of the event's unit in the platform. */
PMON_API uint32_t pmon_event_unit(const struct pmon_event *event);

/* Bit n: instance n of the unit is measured. All instances unless the text selects some. */
PMON_API uint64_t pmon_event_instances(const struct pmon_event *event);

/* Bit n: counter n can count the event. Bit 0 for fixed and free-running events, which have one counter. */
PMON_API uint32_t pmon_event_counters(const struct pmon_event *event);

/* Returns the counter that must select an event of the same set for `counter` to count this event (Montecito 4.8.2,
 * 4.8.4: sets of L1D and L2D events); `counter` itself if the event counts alone, or if the counter cannot count it. A
 * plan places such events together; a program that writes an image of pmon_event_encode() by itself programs both
 * counters. */
PMON_API uint32_t pmon_event_leader(const struct pmon_event *event, uint32_t counter);

/* The kind of counter that the event needs. */
PMON_API enum pmon_event_kind pmon_event_get_kind(const struct pmon_event *event);

/* Fills *info from the facts. `event` is NULL for a raw code that no event of the unit has. PMON_OK. */
PMON_API int pmon_event_describe(const struct pmon_event *event, struct pmon_event_info *info);

/* One search result. A higher score is a better match. */
struct pmon_event_match {
  uint32_t score;
  struct pmon_event_cursor at;
};

/* Searches names, descriptions and categories for all words of `query`. Writes up to `n` results, best first, and
 * returns their number. pmon_event_at() describes a result. */
PMON_API size_t pmon_event_search(const struct pmon_platform *platform, const char *query,
                                  struct pmon_event_match *matches, size_t n);

/* The score of a metric for the same query, comparable with event scores; 0: no match. */
PMON_API uint32_t pmon_metric_score(const struct pmon_metric_info *metric, const char *query);

/* Describes the event at a cursor. PMON_OK, PMON_E_RANGE. */
PMON_API int pmon_event_at(const struct pmon_platform *platform, const struct pmon_event_cursor *cursor,
                           struct pmon_event_info *info);

/* Returns the part of the description that the umask at a cursor adds to the event's, for a list of one event's umasks.
 * "" if there is no umask at the cursor. Owned by the platform. */
PMON_API const char *pmon_event_umask_brief(const struct pmon_platform *platform,
                                            const struct pmon_event_cursor *cursor);

/*
 * Replaces the patterns in a comma-separated list of events by the names that they match: `imc/CAS_COUNT.RD_*`, or
 * `CAS_*` of any unit, with attributes as in `cha/LLC_LOOKUP.*,thresh=1/`. The unit's name may be a pattern, too; it
 * matches units that can be counted. Wildcards and results are those of pmon_metric_expand(). If a pattern matches
 * other events, it leaves out those that conflict with its attributes (a required filter is not set, or a filter does
 * not act on the event), and outside of braces those that depend on another event (E5-2600: cbo/COUNTER0_OCCUPANCY/).
 * Names without wildcards are copied, and groups keep their braces. pmon_plan_add_events() expands patterns by itself.
 * PMON_OK; PMON_E_UNKNOWN (nothing matches; the error record has the nearest names and the column).
 */
PMON_API int pmon_event_expand(const struct pmon_platform *platform, const char *list, char *names, size_t size,
                               size_t *ret_length);

/* The event names nearest to an unknown name, in the form unit/EVENT.UMASK/, or unit/EVENT/ for a name without a umask,
 * best first: up to `n` texts of up to `size` bytes each, at multiples of `size` in `texts`. Returns their number. */
PMON_API size_t pmon_event_suggest(const struct pmon_platform *platform, const char *name, char *texts, size_t size,
                                   size_t n);

PMON_END_DECLS

#endif
