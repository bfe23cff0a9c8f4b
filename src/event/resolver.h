/* SPDX-License-Identifier: MIT */
/* An event on its way from spelling to struct pmon_event; shared by the files that take it a step further. */
#ifndef PMON_EVENT_RESOLVER_H
#define PMON_EVENT_RESOLVER_H

#include "src/event/row.h"
#include "src/event/spelling.h"
#include "src/platform/context.h"

#define RESOLVER_ATTRS 48

/* An attribute whose name and value are known. at: where it was written, NULL when it follows from another one. */
struct resolved_attr {
  struct event_setting setting;
  const char *at;
};

struct resolver {
  struct pmon_context *context;
  const struct pmon_platform *platform;
  const struct db *db;
  const struct spelling *s;
  struct event_row row;
  uint64_t instances;
  bool raw;      /* the code, or the umask, was given by number */
  bool recorded; /* the text is an event's name in a recording: it was measured as it is */
  bool tried;    /* whether the text is an event is the only question: errors are not to be explained */
  bool named_umask;
  uint64_t config; /* bits given as a whole register (perf's config) */
  uint64_t whole;  /* bit n: the unit's register n was written as a whole */
  struct resolved_attr attrs[RESOLVER_ATTRS];
  uint32_t n_attrs;
};

/* Fills row.unit, import, event, umasks and instances from the names. */
int resolver_names(struct resolver *r);

/* `EVENT.PART` as the other name of an event of its own: event files group by names what has different codes. */
bool resolver_find_whole_name(struct resolver *r, struct text part);

/* Adds a umask of row.event by name (A or A+B); refuses what the hardware does not add up. */
int resolver_umasks(struct resolver *r, struct text names);

/* Chooses the umask that a bare event name means; PMON_E_AMBIGUOUS when the facts name none. */
int resolver_default_umask(struct resolver *r);

/* Turns the spelling's attributes into settings. */
int resolver_attrs(struct resolver *r);

/* The attributes that are no single field's: config, config1, config2, whole filter registers, event and umask that are
 * wider than their field or elsewhere. *ret_done: it was one. */
int resolver_whole(struct resolver *r, const struct spelling_attr *a, bool *ret_done);

/* One setting more; refuses values that do not fit and bits that another one wants differently. */
int resolver_add(struct resolver *r, struct event_setting setting, const char *at);

/* Adds the fields that belong to the use of the filters among the attributes: those of the facts (`with`), and the
 * whole masks of fields that are to match (`mask`) and have none written. Their `at` is NULL. */
int resolver_with(struct resolver *r);

/* The whole mask of a filter's field (`mask`); false: it has none. */
bool resolver_mask(const struct resolver *r, const struct event_setting *s, struct event_setting *ret_mask);

/* Refuses an attribute of a filter that does not act on what the control value selects, so that it would have no effect
 * (`acts`). */
int resolver_check_use(const struct resolver *r, uint64_t control);

/* Whether the setting's field acts on what a control selects. */
bool resolver_acts(const struct db *db, const struct event_setting *s, struct event_control control);

/* The field of the control that alone decides whether the setting's field acts, and with which value; NULL: the event
 * or its umask does. */
__attribute__((cold)) const char *resolver_acts_with(const struct db *db, const struct event_setting *s,
                                                     struct event_control control, uint64_t *ret_value);

/* The condition by which a control excludes the setting's field; empty: it does not. */
__attribute__((cold)) struct text resolver_excluded(const struct db *db, const struct event_setting *s,
                                                    struct event_control control);

/* Fails because the attribute's field does not act on what the control value selects: with the umasks, or the events,
 * that it acts on, and one of them as the user would write it (filter_words.c). */
__attribute__((cold)) int resolver_fail_filter(const struct resolver *r, const struct resolved_attr *attr,
                                               uint64_t control);

/* Fails because the event is a match of its own, with another value in the attribute's field. */
__attribute__((cold)) int resolver_fail_match(const struct resolver *r, const struct resolved_attr *attr, uint64_t own);

/* Fails because the event is not filtered by the attribute's field, or not by itself. */
__attribute__((cold)) int resolver_fail_unlisted(const struct resolver *r, const struct spelling_attr *a,
                                                 const struct event_setting *where);

/* Whether the text is that event (row of db.events), and can be counted. The error record may change. */
bool resolver_tries(const struct resolver *r, const char *text, uint32_t event);

/* The event's name as it was written, without the prefix of event files. */
__attribute__((cold)) struct text resolver_bare_event(const struct resolver *r);

/* Why two umasks of an event do not add up to one selection, or NULL where they do. */
const char *resolver_not_together(const struct db *db, const struct db_event *e, uint32_t a, uint32_t b);

/* The field that the attribute is of, by whatever name it was written. */
bool resolver_attr_field(const struct resolver *r, const struct spelling_attr *a, struct event_setting *ret_where);

/* The attribute as it was written; NULL: it follows from another one. */
__attribute__((cold)) const struct spelling_attr *resolver_written(const struct resolver *r,
                                                                   const struct resolved_attr *attr);

/* The bit of resolver.whole for one of the unit's registers (row). */
static inline uint64_t resolver_register_bit(const struct resolver *r, uint32_t reg)
{
  const uint32_t n = reg - r->db->units[r->row.unit].registers.first;
  return n < 64 ? UINT64_C(1) << n : 0;
}

/* The virtual field that belongs to a field of the same register, or the field that belongs to a virtual one. */
bool resolver_relative_field(const struct db *db, const struct event_setting *where, struct event_setting *ret_where);

/* Whether users may set that field. */
bool resolver_is_attribute(const struct db *db, uint32_t field);

/* The value of a field by its name or form (core3.1); false: it has none of that name. */
bool resolver_value_by_name(const struct db *db, const struct db_field *f, struct text t, uint64_t *ret_value);

/* For the message about a `name` that is neither an event of the unit (DB_NONE: of any) nor a umask of the resolver's
 * event: where it is an attribute (opc=WbMtoI) or a value of one (WBQ_WbMtoI), how that is spelt. False: it is none. */
struct hint {
  struct text name;
  char text[256];
};
__attribute__((cold)) bool resolver_hint(const struct resolver *r, uint32_t unit, struct hint *hint);

/* The same for the name of an event that Linux perf has for every processor (LLC-load-misses). */
__attribute__((cold)) bool resolver_hint_of_perf(const struct resolver *r, struct hint *hint);

/* The value that the attribute gives to the field. PMON_E_SYNTAX (it has none and the field has several bits),
 * PMON_E_UNKNOWN (not a number, nor a name of the field's values). */
int resolver_read_value(struct resolver *r, const struct spelling_attr *a, const struct db_field *f,
                        uint64_t *ret_value);

/* Where `name` is a writable field: of the control register, the event's overlay, or a filter (of `reg` only, unless
 * that is empty). */
bool resolver_field(const struct resolver *r, struct text reg, struct text name, struct event_setting *ret_where);

/* An event whose whole text is in the table of names (src/facts/full_name.h), perhaps behind a PMU of libpfm4: true,
 * with *ret_status and then *ret_event. False: the text has to be taken apart. */
bool resolver_listed(struct resolver *r, struct text text, struct pmon_event **ret_event, int *ret_status);

/* Row and attributes in their final form, and with their canonical name. */
int resolver_build(struct resolver *r, struct pmon_event **ret_event);

/* The row, as it is, under a name. */
int resolver_event(struct resolver *r, struct text name, struct pmon_event **ret_event);

/* Fails with the column of `at` in the text. */
#define resolver_fail(r, status, at, ...)                                                                              \
  context_fail((r)->context, (status), spelling_column((r)->s, (at)), __VA_ARGS__)

#endif
