/* SPDX-License-Identifier: MIT */
/* An event while it is resolved from its spelling to struct pmon_event; shared by the files that do this. */
#ifndef PMON_EVENT_RESOLVER_H
#define PMON_EVENT_RESOLVER_H

#include "src/event/row.h"
#include "src/event/spelling.h"
#include "src/facts/index.h"
#include "src/platform/context.h"

#define RESOLVER_ATTRS 48

/* An attribute whose field and value are known. at: its place in the text; NULL: it is implied, not written. */
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
  bool recorded; /* the text is an event's name from a recording: filters without effect are accepted */
  bool tried;    /* the caller only asks whether the text is an event: errors need no explanation */
  bool named_umask;
  uint64_t config; /* bits given as a whole register (perf's config) */
  uint64_t whole;  /* bit n: the unit's register n was written as a whole */
  struct resolved_attr attrs[RESOLVER_ATTRS];
  uint32_t n_attrs;
  /* Whether a text resolves to that event (row of db.events), and can be counted. The error record may change. A
   * member, because the files that suggest another spelling lie below the one that resolves texts. */
  bool (*tries)(const struct resolver *r, const char *text, uint32_t event);
};

/* Fills row.unit, import, event, umasks and instances from the names. */
int resolver_names(struct resolver *r);

/* Looks up `EVENT.PART` as one name: event files group events with different codes under one name. Fills unit, import
 * and event. False: no event has this name. */
bool resolver_find_whole_name(struct resolver *r, struct text part);

/* Returns `name` without the unit's event-file prefix (UNC_CHA_) or, if `any`, another UNC_x_ of libpfm4. */
struct text resolver_without_prefix(const struct db *db, const struct db_unit *u, struct text name, bool any);

/* Finds the event of that name that a unit counts; fills unit, import and event of the row. */
bool resolver_find_row(const struct db *db, uint32_t unit, const struct db_key *name, struct event_row *row);

/* Writes "; expected A, B or C": the umasks of row.event, which has some; of many the first ones, and the command that
 * lists all. */
__attribute__((cold)) void resolver_list_umasks(const struct resolver *r, char *text, size_t size);

/* Adds a umask of row.event by name (A or A+B); refuses umasks that the hardware does not add up. */
int resolver_umasks(struct resolver *r, struct text names);

/* Chooses the umask that a bare event name stands for; PMON_E_AMBIGUOUS when the facts name none. */
int resolver_default_umask(struct resolver *r);

/* Turns the spelling's attributes into settings. */
int resolver_attrs(struct resolver *r);

/* Resolves an attribute that is not one field's: config, config1, config2, a whole filter register, or an event or
 * umask that is wider than its field or lies in another one. *ret_done: it was one of these. */
int resolver_whole(struct resolver *r, const struct spelling_attr *a, bool *ret_done);

/* Whether the attribute is a modifier of perf (`:u`), which the unit does not have; fails because it is one. */
bool resolver_is_modifier(const struct resolver *r, const struct spelling_attr *a);
__attribute__((cold)) int resolver_fail_modifier(struct resolver *r, const struct spelling_attr *a);

/* Adds a setting; refuses values that do not fit, and bits that another setting sets differently. */
int resolver_add(struct resolver *r, struct event_setting setting, const char *at);

/* Adds the fields that the filters among the attributes need: those of the facts (`with`), and the full masks (`mask`)
 * of matched fields whose mask is not written. Their `at` is NULL. */
int resolver_with(struct resolver *r);

/* Sets *ret_mask to the full mask of a filter's field (`mask`); false: the field has no mask. */
bool resolver_mask(const struct resolver *r, const struct event_setting *s, struct event_setting *ret_mask);

/* Refuses an attribute of a filter that does not act on the event that the control value selects: it would have no
 * effect (`acts`). */
int resolver_check_use(const struct resolver *r, uint64_t control);

/* Whether a control value satisfies a condition of a rule on its fields. */
bool resolver_satisfies(const struct db *db, uint32_t layout, uint64_t control, struct text when);

/* Whether the setting's field acts on the event that a control selects. */
bool resolver_acts(const struct db *db, const struct event_setting *s, struct event_control control);

/* Returns the control's field that alone decides whether the setting's field acts, and the value with which it does;
 * NULL: the event or its umask decides. */
__attribute__((cold)) const char *resolver_acts_with(const struct db *db, const struct event_setting *s,
                                                     struct event_control control, uint64_t *ret_value);

/* Returns the condition by which a control excludes the setting's field; empty: none. */
__attribute__((cold)) struct text resolver_excluded(const struct db *db, const struct event_setting *s,
                                                    struct event_control control);

/* Fails because the attribute's field does not act on the event that the control value selects. The message has the
 * umasks or events on which it acts, and the user's text with one of them (filter_words.c). */
__attribute__((cold)) int resolver_fail_filter(const struct resolver *r, const struct resolved_attr *attr,
                                               uint64_t control);

/* Fails because the event itself matches the attribute's field, with another value (`own`). */
__attribute__((cold)) int resolver_fail_match(const struct resolver *r, const struct resolved_attr *attr, uint64_t own);

/* Returns the list of filters, REGISTER.FIELD!,..., of the event, or of its umask if that has one; "" if neither has.
 */
__attribute__((cold)) db_str resolver_filters(const struct resolver *r);

/* Fails because the attribute's field is not in the event's list of filters. */
__attribute__((cold)) int resolver_fail_unlisted(const struct resolver *r, const struct spelling_attr *a,
                                                 const struct event_setting *where);

/* Returns the event's name as it was written, without the prefix of event files. */
__attribute__((cold)) struct text resolver_bare_event(const struct resolver *r);

/* Returns why two umasks of an event cannot be combined, or NULL if they can. */
const char *resolver_not_together(const struct db *db, const struct db_event *e, uint32_t a, uint32_t b);

/* Finds the field that the attribute sets, by any of the field's names. False: none. */
bool resolver_attr_field(const struct resolver *r, const struct spelling_attr *a, struct event_setting *ret_where);

/* The bit of resolver.whole for one of the unit's registers (row). */
static inline uint64_t resolver_register_bit(const struct resolver *r, uint32_t reg)
{
  const uint32_t n = reg - r->db->units[r->row.unit].registers.first;
  return n < 64 ? UINT64_C(1) << n : 0;
}

/* Finds the virtual field that belongs to a field of the same register, or the field that belongs to a virtual one. */
bool resolver_relative_field(const struct db *db, const struct event_setting *where, struct event_setting *ret_where);

/* Whether `name` is a name of the register as users write it: with or without a number or {3-0} after it, or its end
 * after an underscore. */
bool resolver_is_register(const struct db *db, uint32_t reg, struct text name);

/* Whether users may set that field. */
bool resolver_is_attribute(const struct db *db, uint32_t field);

/* Finds the value of a field by its name or form (core3.1); false: the field has no such value. */
bool resolver_value_by_name(const struct db *db, const struct db_field *f, struct text t, uint64_t *ret_value);

/* Explains a `name` that is neither an event of the unit (DB_NONE: of any unit) nor a umask of the resolver's event. If
 * it is an attribute (opc=WbMtoI), a value of one (WBQ_WbMtoI) or a metric, `text` says how to write it. False: it is
 * none of these. */
struct hint {
  struct text name;
  char text[256];
};
__attribute__((cold)) bool resolver_hint(const struct resolver *r, uint32_t unit, struct hint *hint);

/* The same for a generic event of Linux perf (LLC-load-misses). */
__attribute__((cold)) bool resolver_hint_of_perf(const struct resolver *r, struct hint *hint);

/* Expands an event of the kernel PMU's events folder, `uncore_imc_0/cas_count_read/`: writes the text with the event's
 * terms in place of its name. False: the name is none of these, or the text is too long. */
bool resolver_kernel_event(const struct pmon_platform *platform, const struct spelling *s, char *text, size_t size);

/* The same for a text that is no event of the facts: for a PMU without its prefix (`imc/cas_count_read/`), for perf's
 * raw code of a PMU (`uncore_cha/r4235/`), for a unit before a dot (`iMC.CAS_COUNT.RD`), and for a name without its
 * PMU, `cas_count_read`, which newer perf takes. False: it is none of these, or several units have the name. */
__attribute__((cold)) bool resolver_kernel_event_else(const struct pmon_platform *platform, const struct spelling *s,
                                                      char *text, size_t size);

/* Writes a text with libpfm4's other separator, `UNC_C_TOR_INSERTS.OPCODE.OPC_RFO`, with colons after the event. False:
 * the text has no dots, or is no spelling of libpfm4. */
__attribute__((cold)) bool resolver_with_colons(const struct spelling *s, char *text, size_t size);

/* Rewrites an event of likwid-perfctr, CAS_COUNT_RD:MBOX0C0, as UNIT/EVENT.UMASK,ATTRIBUTE/. False: the text has no
 * counter of likwid, the platform no such unit, or it is too long. */
__attribute__((cold)) bool resolver_likwid(const struct pmon_platform *platform, const struct spelling *s, char *text,
                                           size_t size);

/* Reads the value that the attribute gives to the field of `where`; a name may be a value of a field of the event's
 * overlay with the same bits, which then replaces the field. PMON_E_SYNTAX (no value is written and the field has
 * several bits), PMON_E_UNKNOWN (not a number, nor a name of the field's values). */
int resolver_read_value(struct resolver *r, const struct spelling_attr *a, struct event_setting *where);

/* Finds a writable field `name` of the control register, the event's overlay, or a filter (only of register `reg`,
 * unless `reg` is empty). */
bool resolver_field(const struct resolver *r, struct text reg, struct text name, struct event_setting *ret_where);

/* Resolves an event whose whole text is in the table of full names (src/facts/full_name.h), possibly after a libpfm4
 * PMU. True: *ret_status is set, and *ret_event on success. False: the text must be parsed. */
bool resolver_listed(struct resolver *r, struct text text, struct pmon_event **ret_event, int *ret_status);

/* Makes the event of the row and the attributes in their final form, with its canonical name. */
int resolver_build(struct resolver *r, struct pmon_event **ret_event);

/* Makes the event of the row as it is, with the given name. */
int resolver_event(struct resolver *r, struct text name, struct pmon_event **ret_event);

/* Fails with the column of `at` in the text. */
#define resolver_fail_at(r, status, at, ...)                                                                           \
  context_fail_at((r)->context, (status), spelling_column((r)->s, (at)), ": " __VA_ARGS__)
#define resolver_fail(r, status, at, ...)                                                                              \
  context_fail((r)->context, (status), spelling_column((r)->s, (at)), __VA_ARGS__)

#endif
