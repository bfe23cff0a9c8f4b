/* SPDX-License-Identifier: MIT */
/* Events whose whole text is a known name of lists, event files or libpfm4: resolved without parsing. */
#include "src/base/bits.h"
#include "src/base/text.h"
#include "src/event/resolver.h"
#include "src/facts/full_name.h"

/* The longest event-file name after a libpfm4 PMU that is looked up as a whole. */
#define LISTED_NAME 128

/* Takes the row. False: its unit cannot count it, or it sets filters that its name does not mention. */
static bool take_listed(struct resolver *r, const struct db_listed *l)
{
  const struct db_unit *u = &r->db->units[l->unit];
  if (r->db->events[l->event].with.n)
    return false;
  row_clear(&r->row, r->db);
  r->row.unit = l->unit;
  r->row.import = db_listed_import(r->db, l);
  r->row.event = l->event;
  r->row.umasks[0] = l->umask == DB_LISTED_BARE ? 0 : db_listed_umask(r->db, l);
  r->row.n_umasks = l->umask != DB_LISTED_BARE;
  r->instances = bits_below(u->instances ? u->instances : 1);
  return row_bind(&r->row) && row_complete(&r->row);
}

/* Selects the instance of `pmu`: the unit's libpfm4 name, with or without a number. False: it is another name. */
static bool take_pmu(struct resolver *r, const struct db_unit *u, struct text pmu)
{
  const struct text own = {db_text(r->db, u->pfm), u->pfm_length};
  uint32_t instance = 0;
  if (!own.n || pmu.n < own.n || pmu.n > own.n + 2 ||
      !(text_equal(pmu.s, own.s, own.n) || text_same_words(pmu.s, own.s, own.n)))
    return false;
  for (size_t i = own.n; i < pmu.n; i++) {
    const uint32_t digit = (unsigned char)pmu.s[i] - (uint32_t)'0';
    if (digit > 9)
      return false;
    instance = instance * 10 + digit;
  }
  if (pmu.n == own.n)
    return true;
  r->instances = UINT64_C(1) << (instance & 63);
  return instance < u->instances && instance < 64;
}

/* Finds PMU::NAME[:UMASK] as the row of NAME.UMASK; NULL: none. */
static const struct db_listed *find_after_pmu(const struct resolver *r, uint32_t platform, struct text name)
{
  bool prefixed;
  const struct db_listed *l;
  const char *colon = memchr(name.s, ':', name.n);
  char dotted[LISTED_NAME];
  if (colon && name.n > sizeof dotted)
    return NULL;
  if (colon) {
    memcpy(dotted, name.s, name.n);
    dotted[colon - name.s] = '.';
    name.s = dotted;
  }
  l = db_find_listed(r->db, platform, name, &prefixed);
  return l && prefixed ? l : NULL;
}

static char *put(char *at, const char *name, size_t n)
{
  memcpy(at, name, n);
  return at + n;
}

/* Writes an instance's number after a unit's name, which may end with a digit itself. */
static char *put_instance(char *at, unsigned instance)
{
  if (at[-1] >= '0' && at[-1] <= '9')
    *at++ = '_';
  if (instance > 9)
    *at++ = (char)('0' + instance / 10);
  *at++ = (char)('0' + instance % 10);
  return at;
}

/* Writes the canonical name of the taken row, whose lengths are known: for all instances or one. */
static struct text listed_name(const struct resolver *r, const struct db_listed *l, char *name)
{
  const struct db *db = r->db;
  const struct db_unit *u = &db->units[l->unit];
  char *at = put(name, db_text(db, u->name), l->unit_length);
  if (r->instances != bits_below(u->instances ? u->instances : 1))
    at = put_instance(at, (unsigned)__builtin_ctzll(r->instances));
  *at++ = '/';
  at = put(at, db_text(db, db->events[l->event].name), l->event_length);
  if (l->umask != DB_LISTED_BARE) {
    *at++ = '.';
    at = put(at, db_text(db, db->umasks[r->row.umasks[0]].name), l->umask_length);
  }
  *at++ = '/';
  return (struct text){name, (size_t)(at - name)};
}

__attribute__((flatten)) bool resolver_listed(struct resolver *r, struct text text, struct pmon_event **ret_event,
                                              int *ret_status)
{
  const uint32_t platform = (uint32_t)(r->platform->row - r->db->platforms);
  const char *colon = text.n && text.s[text.n - 1] != '/' ? memchr(text.s, ':', text.n) : NULL;
  const struct db_listed *l = NULL;
  struct text pmu = {text.s, 0};
  bool prefixed = true;
  char name[3 * UINT8_MAX + 8];
  if (colon && colon[1] == ':') {
    pmu.n = (size_t)(colon - text.s);
    l = find_after_pmu(r, platform, (struct text){colon + 2, text.n - pmu.n - 2});
  } else if (!colon) {
    l = db_find_listed(r->db, platform, text, &prefixed);
  }
  if (!l || !take_listed(r, l) || (pmu.n && !take_pmu(r, &r->db->units[l->unit], pmu)))
    return false;
  *ret_status = resolver_event(r, prefixed ? listed_name(r, l, name) : text, ret_event);
  return true;
}
