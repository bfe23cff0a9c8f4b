/* SPDX-License-Identifier: MIT */
/*
 * Events as likwid-perfctr writes them, EVENT_UMASK:COUNTER[:OPTION[=VALUE]]... as in CAS_COUNT_RD:MBOX0C0. The
 * counter names the unit and its instance; pmon chooses the counter itself. They are rewritten as UNIT/EVENT.UMASK/.
 */
#include <string.h>
#include "src/base/writer.h"
#include "src/event/resolver.h"

/* What likwid calls the counters of a unit, and the names of this unit on several platforms, the first that the
 * platform has. `kind`: what follows the name. */
enum counter_kind { BOX, FIXED, NUMBERED };
struct counter_box {
  const char *name, *units;
  enum counter_kind kind;
};
static const struct counter_box boxes[] = {
    {"CBOX", "cbox,cha", BOX},     {"MBOX", "imc", BOX},         {"BBOX", "ha,m2m", BOX},
    {"SBOX", "sbox,qpi,upi", BOX}, {"QBOX", "qpi,upi", BOX},     {"UPI", "upi", BOX},
    {"M2M", "m2m", BOX},           {"RBOX", "r3qpi,m3upi", BOX}, {"PBOX", "r2pcie,m2pcie", BOX},
    {"IRP", "irp", BOX},           {"IBOX", "irp", BOX},         {"TCBOX", "iio", BOX},
    {"IIO", "iio", BOX},           {"HBM", "hbm", BOX},          {"MDF", "mdf", BOX},
    {"UBOX", "ubox", BOX},         {"WBOX", "pcu", BOX},         {"PCU", "pcu", BOX},
    {"FIXC", "core", FIXED},       {"PMC", "core", NUMBERED},    {"PWR", "rapl,power", NUMBERED},
};

/* Options of counters whose names differ from those of the attributes. */
static const struct {
  const char *option, *attribute;
} options[] = {
    {"EDGEDETECT", "edge"},          {"INVERT", "inv"},
    {"THRESHOLD", "thresh"},         {"OPCODE", "opc"},
    {"OCCUPANCY_INVERT", "occ_inv"}, {"OCCUPANCY_EDGEDETECT", "occ_edge"},
};

struct counter_name {
  const struct counter_box *box;
  struct text instance; /* empty: all */
  bool fixed;
  uint64_t fixed_number;
};

static struct text take_digits(struct text *t)
{
  struct text digits = {t->s, 0};
  while (digits.n < t->n && t->s[digits.n] >= '0' && t->s[digits.n] <= '9')
    digits.n++;
  *t = (struct text){t->s + digits.n, t->n - digits.n};
  return digits;
}

static uint64_t digits_number(struct text digits)
{
  uint64_t number = 0;
  return digits.n && text_number(digits, &number) ? number : 0;
}

/* Reads what follows the box: MBOX0|C1, MBOX0|FIX, WBOX|3, WBOX|FIX1; FIXC|1; PMC|0. */
static bool read_counter(struct text rest, struct counter_name *c)
{
  const struct text number = take_digits(&rest);
  if (c->box->kind != BOX) {
    c->fixed = c->box->kind == FIXED;
    c->fixed_number = digits_number(number);
    return number.n && !rest.n;
  }
  if (!rest.n)
    return number.n;
  c->instance = number;
  c->fixed = rest.n >= 3 && text_same(rest.s, "FIX", 3);
  const size_t word = c->fixed ? 3 : text_same(rest.s, "C", 1);
  rest = (struct text){rest.s + word, rest.n - word};
  const struct text counter = take_digits(&rest);
  c->fixed_number = digits_number(counter);
  return word && !rest.n && (c->fixed || counter.n);
}

static bool counter_parse(struct text key, struct counter_name *c)
{
  for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
    const size_t n = strlen(boxes[i].name);
    *c = (struct counter_name){.box = &boxes[i]};
    if (key.n > n && text_same(key.s, boxes[i].name, n) && read_counter((struct text){key.s + n, key.n - n}, c))
      return true;
  }
  return false;
}

/* Finds the first of the names in a list that the platform has as a unit. */
static bool find_unit(const struct pmon_platform *p, const char *list, uint32_t *ret_unit)
{
  struct platform_unit_name found;
  for (size_t n; *list; list += n + (list[n] == ',')) {
    n = strcspn(list, ",");
    if (platform_find_unit(p, (struct text){list, n}, &found)) {
      *ret_unit = found.unit;
      return true;
    }
  }
  return false;
}

/* Writes EVENT or EVENT.UMASK if the text is that event of the set, the two joined by `_`. */
static bool write_event(const struct db *db, uint32_t set, struct text t, struct writer *w)
{
  const struct db_span events = db->sets[set].events;
  for (uint32_t e = events.first; e < events.first + events.n; e++) {
    const char *event = db_text(db, db->events[e].name);
    const size_t n = strlen(event);
    const struct db_span umasks = db->events[e].umasks;
    const bool begins = t.n > n + 1 && t.s[n] == '_' && spelling_is_joined((struct text){t.s, n}, event);
    if (spelling_is_joined(t, event)) {
      write_text(w, event);
      return true;
    }
    for (uint32_t u = umasks.first; begins && u < umasks.first + umasks.n; u++) {
      const char *umask = db_text(db, db->umasks[u].name);
      if (!spelling_is_joined((struct text){t.s + n + 1, t.n - n - 1}, umask))
        continue;
      write_text(w, event);
      write_char(w, '.');
      write_text(w, umask);
      return true;
    }
  }
  return false;
}

static bool write_unit_event(const struct db *db, uint32_t unit, struct text t, struct writer *w)
{
  const struct db_span imports = db->units[unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++)
    if (write_event(db, db->imports[i].set, t, w))
      return true;
  return false;
}

/* Writes the event that the unit's fixed counter of that number counts. */
static bool write_fixed(const struct db *db, uint32_t unit, uint64_t number, struct writer *w)
{
  const struct db_span imports = db->units[unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++) {
    const struct db_span events = db->sets[db->imports[i].set].events;
    for (uint32_t e = events.first; e < events.first + events.n; e++)
      if (db->events[e].fixed_role == PMON_ROLE_FIXED_CTR && db->events[e].fixed_index == number) {
        write_text(w, db_text(db, db->events[e].name));
        return true;
      }
  }
  return false;
}

/* Returns the name after `prefix` and `_`, or an empty text. */
static struct text behind_prefix(struct text name, const char *prefix)
{
  const size_t n = strlen(prefix);
  const bool has = name.n > n + 1 && text_same(name.s, prefix, n) && name.s[n] == '_';
  return has ? (struct text){name.s + n + 1, name.n - n - 1} : (struct text){name.s, 0};
}

/* The energy of the cores has the name of its domain. */
static struct text name_of_energy(struct text name)
{
  return text_is(name, "PWR_PP0_ENERGY") ? text_of("CORES_ENERGY") : name;
}

/* Writes the event of that name. likwid puts the box or the unit before names that several units have
 * (CBOX_CLOCKTICKS). A name that the unit does not have is written as it is, for the error message. */
static void write_name(const struct db *db, uint32_t unit, const struct counter_name *c, struct text name,
                       struct writer *w)
{
  const struct text names[] = {name_of_energy(name), behind_prefix(name, c->box->name),
                               behind_prefix(name, db_text(db, db->units[unit].name))};
  if (c->fixed && write_fixed(db, unit, c->fixed_number, w))
    return;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].n && write_unit_event(db, unit, names[i], w))
      return;
  write_bytes(w, name.s, name.n);
}

static void write_option(const struct spelling_attr *a, struct writer *w)
{
  struct text key = a->key;
  for (size_t i = 0; i < sizeof options / sizeof *options; i++)
    if (text_is(a->key, options[i].option))
      key = text_of(options[i].attribute);
  write_char(w, ',');
  write_bytes(w, key.s, key.n);
  if (!a->value.s)
    return;
  write_char(w, '=');
  write_bytes(w, a->value.s, a->value.n);
}

bool resolver_likwid(const struct pmon_platform *platform, const struct spelling *s, char *text, size_t size)
{
  const struct db *db = platform->db;
  struct counter_name counter;
  uint32_t unit;
  struct writer w = {text, size, 0};
  if (s->unit.n || s->has_umask || !s->n_attrs || !s->attrs[0].part || s->attrs[0].value.s ||
      !counter_parse(s->attrs[0].key, &counter) || !find_unit(platform, counter.box->units, &unit))
    return false;
  const char *name = db_text(db, db->units[unit].name);
  const char last = name[strlen(name) - 1];
  write_text(&w, name);
  if (counter.instance.n && last >= '0' && last <= '9')
    write_char(&w, '_');
  write_bytes(&w, counter.instance.s, counter.instance.n);
  write_char(&w, '/');
  write_name(db, unit, &counter, s->event, &w);
  for (uint32_t i = 1; i < s->n_attrs; i++)
    write_option(&s->attrs[i], &w);
  write_char(&w, '/');
  return write_end(&w) < size;
}
