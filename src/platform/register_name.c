/* SPDX-License-Identifier: MIT */
/* Finds registers by the names that users and guides write: with an instance in place of the letter n or y, with a
 * number after the name, by unit and role, or by address. */
#include <stdio.h>
#include "src/base/bits.h"
#include "src/base/nearest.h"
#include "src/base/text.h"
#include "src/platform/address.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

struct naming {
  const struct pmon_platform *p;
  const char *text;
  struct text name;
  struct pmon_register_match m;
};

/* Reads numbers separated by ':' or '.', as in 30:1.0. Returns how many there are; 0: the text is malformed. */
static unsigned read_numbers(struct text t, uint64_t *numbers, unsigned most)
{
  unsigned n = 0;
  while (t.n && n < most) {
    size_t k = 0;
    while (k < t.n && t.s[k] != ':' && t.s[k] != '.')
      k++;
    if (!text_number((struct text){t.s, k}, &numbers[n++]))
      return 0;
    t.s += k + (k < t.n);
    t.n -= k + (k < t.n);
  }
  return t.n ? 0 : n;
}

/* Reads the text after the first colon of mmio:MEM0+0x22840. */
static bool read_bar(struct text t, struct pmon_address *a)
{
  const char *plus = memchr(t.s, '+', t.n);
  return plus && platform_bar((struct text){t.s, (size_t)(plus - t.s)}, &a->device) &&
         text_number((struct text){plus + 1, t.n - (size_t)(plus + 1 - t.s)}, &a->offset);
}

static bool read_address(struct text t, struct pmon_address *ret)
{
  *ret = (struct pmon_address){.space = PMON_SPACE_MSR};
  if (text_number(t, &ret->offset))
    return true;
  if (memchr(t.s, ' ', t.n)) { /* as pmon_address_format() writes it */
    struct text got;
    return !address_take(&t, ret, &got) && !t.n;
  }
  const char *mark = memchr(t.s, ':', t.n);
  if (!mark)
    return false;
  struct text space = {t.s, (size_t)(mark - t.s)}, rest = {mark + 1, t.n - (size_t)(mark + 1 - t.s)};
  uint64_t n[4];
  uint32_t number;
  if (!platform_space(space, &number))
    return false;
  ret->space = (uint8_t)number;
  if (ret->space == PMON_SPACE_MMIO)
    return read_bar(rest, ret);
  if (ret->space == PMON_SPACE_MSR)
    text_take_cpu(&rest, &ret->device);
  if (ret->space != PMON_SPACE_PCI)
    return text_number(rest, &ret->offset);
  if (read_numbers(rest, n, 4) != 4 || n[0] > PMON_BUS_OF_SYSTEM + 255 || n[1] > 31 || n[2] > 7)
    return false;
  ret->device = pci_device((uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]);
  ret->offset = n[3];
  return true;
}

static bool is_upper(char c)
{
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Whether the letter stands for the instance: the n of Cn_MSR, the y of MC_CHy_PCI. */
static bool is_instance_letter(const char *name, size_t i)
{
  return (name[i] == 'n' || name[i] == 'y') && i > 0 && is_upper(name[i - 1]) && name[i + 1] == '_';
}

/* Whether `t` begins with the name, perhaps with a number in place of the letter of the instance. *ret_rest is the text
 * after it, *ret_instance the number or UINT64_MAX. */
static bool begins_with_name(struct text t, const char *name, struct text *ret_rest, uint64_t *ret_instance)
{
  size_t at = 0;
  *ret_instance = UINT64_MAX;
  for (size_t i = 0; name[i]; i++) {
    size_t digits = 0;
    while (is_instance_letter(name, i) && at + digits < t.n && t.s[at + digits] >= '0' && t.s[at + digits] <= '9')
      digits++;
    if (digits && !text_number((struct text){t.s + at, digits}, ret_instance))
      return false;
    if (!digits && (at >= t.n || !text_same(t.s + at, name + i, 1)))
      return false;
    at += digits ? digits : 1;
  }
  *ret_rest = (struct text){t.s + at, t.n - at};
  return true;
}

/* Whether the text is a guide's mark for any of several registers: CTL{3-0}, CTR[3:0], CTLx. */
static bool is_any_index(struct text rest)
{
  if (rest.n == 1)
    return text_same(rest.s, "x", 1) || text_same(rest.s, "n", 1);
  if (rest.n < 2 ||
      !((rest.s[0] == '{' && rest.s[rest.n - 1] == '}') || (rest.s[0] == '[' && rest.s[rest.n - 1] == ']')))
    return false;
  for (size_t i = 1; i + 1 < rest.n; i++)
    if (!strchr("0123456789-:", rest.s[i]))
      return false;
  return true;
}

/* Reads the text after the name: nothing, or the number of one of the register's `count`, of which the first is
 * `first`. */
static bool read_index(struct naming *x, const struct db_register *r, struct text rest, uint32_t first)
{
  uint64_t index;
  x->m.id.index = 0;
  x->m.any_index = r->count > 1;
  if (!rest.n || (r->count > 1 && is_any_index(rest)))
    return true;
  if (!text_number(rest, &index) || index < first || index - first >= r->count)
    return false;
  x->m.id.index = (uint32_t)(index - first);
  x->m.any_index = false;
  return true;
}

static bool is_called(struct naming *x, const struct db_register *r, const char *name)
{
  struct text rest;
  uint64_t instance;
  if (!begins_with_name(x->name, name, &rest, &instance) || (rest.n && r->count <= 1) ||
      !read_index(x, r, rest, platform_register_number(r, 0)))
    return false;
  if (instance != UINT64_MAX) {
    x->m.id.instance = instance > UINT32_MAX ? UINT32_MAX : (uint32_t)instance;
    x->m.any_instance = false;
  }
  return true;
}

static bool is_register_named(struct naming *x, const struct db_register *r)
{
  char alias[128];
  if (is_called(x, r, db_text(x->p->db, r->name)))
    return true;
  for (const char *s = db_text(x->p->db, r->alias); *s;) {
    const size_t n = strcspn(s, ",");
    if (n < sizeof alias) {
      memcpy(alias, s, n);
      alias[n] = 0;
      if (is_called(x, r, alias))
        return true;
    }
    s += n + (s[n] == ',');
  }
  return false;
}

/* Whether the name is a role, perhaps with a number among the unit's registers of that role: ctl, ctl2, filter1. */
static bool has_role(struct naming *x, const struct db_register *r)
{
  struct text rest;
  uint64_t instance;
  return begins_with_name(x->name, pmon_role_name(r->role), &rest, &instance) && read_index(x, r, rest, r->index);
}

/* Searches one unit's registers, by name or (`roles`) by role. */
static bool find_in_rows(struct naming *x, uint32_t unit, bool roles)
{
  const struct db *db = x->p->db;
  const struct db_unit *u = &db->units[platform_unit_row(x->p, unit)];
  for (uint32_t r = 0; r < u->registers.n; r++) {
    const struct db_register *reg = &db->registers[u->registers.first + r];
    if (is_register_named(x, reg) || (roles && has_role(x, reg))) {
      x->m.id.unit = unit;
      x->m.id.reg = r;
      return true;
    }
  }
  return false;
}

static int fail_instance(const struct naming *x, uint32_t unit_row, bool reversed)
{
  char text[128];
  platform_instances_format(x->p, &(struct platform_unit_name){.unit = unit_row, .reversed = reversed}, text,
                            sizeof text);
  return context_fail(x->p->context, PMON_E_RANGE, 1, "%s", text);
}

/* unit.register, unit3.ctl0 */
static int find_in_unit(struct naming *x, const char *dot)
{
  const struct db *db = x->p->db;
  struct platform_unit_name found;
  struct text unit = {x->name.s, (size_t)(dot - x->name.s)};
  if (!platform_find_unit(x->p, unit, &found))
    return context_fail(x->p->context, PMON_E_UNKNOWN, 1, "%s has no unit \"%.*s\"", db_text(db, x->p->row->name),
                        (int)unit.n, unit.s);
  uint32_t instance = 0;
  while (found.chosen && instance < 64 && !bit_is(found.instances, instance))
    instance++;
  if (found.beyond || instance >= db->units[found.unit].instances)
    return fail_instance(x, found.unit, found.reversed);
  x->m.any_instance = !found.chosen && db->units[found.unit].instances > 1;
  x->m.id.instance = instance;
  x->name = (struct text){dot + 1, x->name.n - unit.n - 1};
  if (find_in_rows(x, found.unit - x->p->row->units.first, true))
    return PMON_OK;
  return context_fail(x->p->context, PMON_E_UNKNOWN, (uint32_t)(dot + 1 - x->text) + 1, "%s has no register \"%.*s\"",
                      db_text(db, db->units[found.unit].name), (int)x->name.n, x->name.s);
}

static bool find_layout(struct naming *x)
{
  const struct db *db = x->p->db;
  for (uint32_t i = 0; i < x->p->row->layouts.n; i++) {
    const struct db_layout *l = &db->layouts[x->p->row->layouts.first + i];
    if (text_is(x->name, db_text(db, l->name)) || text_in_list(x->name, db_text(db, l->alias))) {
      x->m = (struct pmon_register_match){.id = {.unit = PMON_UNIT_NONE, .reg = i}};
      return true;
    }
  }
  return false;
}

static int fail_unknown(const struct naming *x)
{
  const struct db *db = x->p->db;
  struct nearest near = {.name = x->name};
  char names[256];
  for (uint32_t u = 0; u < x->p->row->units.n; u++) {
    const struct db_span rows = db->units[platform_unit_row(x->p, u)].registers;
    for (uint32_t r = rows.first; r < rows.first + rows.n; r++)
      nearest_add(&near, text_of(db_text(db, db->registers[r].name)), r, 0);
  }
  nearest_format(&near, names, sizeof names);
  if (near.n)
    return context_fail(x->p->context, PMON_E_UNKNOWN, 1, "%s has no register \"%.*s\"%s", db_text(db, x->p->row->name),
                        (int)x->name.n, x->name.s, names);
  return context_fail(x->p->context, PMON_E_UNKNOWN, 1,
                      "%s has no register \"%.*s\"; names are those of `pmon registers`, "
                      "unit.role (cha.ctl, cha3.ctl0), or addresses (0x2002, pci:30:1.1:0x318, mmio:MEM0+0x22840)",
                      db_text(db, x->p->row->name), (int)x->name.n, x->name.s);
}

static int find_at(struct naming *x, struct pmon_address *a)
{
  if (platform_register_at(x->p, a, &x->m.id))
    return PMON_OK;
  if (a->space == PMON_SPACE_MSR && !a->device) { /* an MSR that each hardware thread has */
    a->device = 1;
    x->m.any_instance = true;
    if (platform_register_at(x->p, a, &x->m.id))
      return PMON_OK;
  }
  return context_fail(x->p->context, PMON_E_UNKNOWN, 1, "%s has no monitoring register at %.*s",
                      db_text(x->p->db, x->p->row->name), (int)x->name.n, x->name.s);
}

static int resolve_register_name(struct naming *x)
{
  const struct db *db = x->p->db;
  struct pmon_address address;
  if (read_address(x->name, &address))
    return find_at(x, &address);
  const char *dot = memchr(x->name.s, '.', x->name.n);
  if (dot)
    return find_in_unit(x, dot);
  for (uint32_t u = 0; u < x->p->row->units.n; u++) {
    const uint32_t instances = db->units[platform_unit_row(x->p, u)].instances;
    x->m.any_instance = instances > 1;
    x->m.id.instance = 0;
    if (find_in_rows(x, u, false))
      return x->m.id.instance && x->m.id.instance >= instances ? fail_instance(x, platform_unit_row(x->p, u), false)
                                                               : PMON_OK;
  }
  return find_layout(x) ? PMON_OK : fail_unknown(x);
}

int platform_resolve_register(const struct pmon_platform *platform, struct text name, struct pmon_register_match *match)
{
  struct naming x = {.p = platform, .text = name.s, .name = name};
  const int status = resolve_register_name(&x);
  if (!status)
    *match = x.m;
  return status;
}

int pmon_register_resolve(const struct pmon_platform *platform, const char *name, struct pmon_register_match *match)
{
  struct pmon_register_match full;
  const int status = platform_resolve_register(platform, text_of(name), &full);
  return status ? status : CONTEXT_FILL(platform->context, match, full);
}
