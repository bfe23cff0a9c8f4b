/* SPDX-License-Identifier: MIT */
/* REGISTER=VALUE as users write it. */
#include <pmon/encode.h>
#include "src/base/bits.h"
#include "src/base/text.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

struct assignment {
  struct pmon_context *context;
  const struct pmon_platform *p;
  const char *text;
  struct text name;
  struct pmon_register_id id;
  bool any_instance, any_index;
};

/* Numbers separated by ':' or '.', as in 30:1.0; how many there were, 0 when the text is not that. */
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

/* mmio:MEM0+0x22840 behind the first colon. */
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
  if (ret->space != PMON_SPACE_PCI)
    return text_number(rest, &ret->offset);
  if (read_numbers(rest, n, 4) != 4 || n[0] > 255 || n[1] > 31 || n[2] > 7)
    return false;
  ret->device = pci_device((uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]);
  ret->offset = n[3];
  return true;
}

/* A register's name with or without its number; count 1 registers have none. */
static bool is_name(const struct db *db, const struct db_register *r, const char *name, struct assignment *a)
{
  size_t n = strlen(name);
  uint64_t index = 0;
  (void)db;
  if (a->name.n < n || !text_same(a->name.s, name, n))
    return false;
  a->any_index = a->name.n == n && r->count > 1;
  uint32_t first = platform_register_number(r, 0);
  if (a->name.n > n && (r->count <= 1 || !text_number((struct text){a->name.s + n, a->name.n - n}, &index) ||
                        index < first || index - first >= r->count))
    return false;
  a->id.index = a->name.n > n ? (uint32_t)index - first : 0;
  return true;
}

/* Looks through one unit's registers, by name or (`roles`) by role. */
static bool find_named_register(struct assignment *a, uint32_t unit, bool roles)
{
  const struct db *db = a->p->db;
  const struct db_unit *u = &db->units[platform_unit_row(a->p, unit)];
  for (uint32_t r = 0; r < u->registers.n; r++) {
    const struct db_register *reg = &db->registers[u->registers.first + r];
    if (is_name(db, reg, db_text(db, reg->name), a) || (roles && is_name(db, reg, pmon_role_name(reg->role), a))) {
      a->id.unit = unit;
      a->id.reg = r;
      return true;
    }
  }
  return false;
}

/* unit.register, unit3.ctl0 */
static int find_in_unit(struct assignment *a, const char *dot)
{
  struct platform_unit_name found;
  struct text unit = {a->name.s, (size_t)(dot - a->name.s)};
  if (!platform_find_unit(a->p, unit, &found))
    return context_fail(a->context, PMON_E_UNKNOWN, 1, "%s has no unit \"%.*s\"", db_text(a->p->db, a->p->row->name),
                        (int)unit.n, unit.s);
  uint32_t instance = 0;
  while (found.chosen && instance < 64 && !bit_is(found.instances, instance))
    instance++;
  if (found.beyond || instance >= a->p->db->units[found.unit].instances)
    return context_fail(a->context, PMON_E_RANGE, 1, "%s has instances 0 to %u",
                        db_text(a->p->db, a->p->db->units[found.unit].name), a->p->db->units[found.unit].instances - 1);
  a->any_instance = !found.chosen;
  a->id.instance = instance;
  a->name = (struct text){dot + 1, a->name.n - unit.n - 1};
  if (find_named_register(a, found.unit - a->p->row->units.first, true))
    return PMON_OK;
  return context_fail(a->context, PMON_E_UNKNOWN, (uint32_t)(dot + 1 - a->text) + 1, "%s has no register \"%.*s\"",
                      db_text(a->p->db, a->p->db->units[found.unit].name), (int)a->name.n, a->name.s);
}

static int assignment_find_register(struct assignment *a)
{
  struct pmon_address address;
  if (read_address(a->name, &address)) {
    return platform_register_at(a->p, &address, &a->id)
               ? PMON_OK
               : context_fail(a->context, PMON_E_UNKNOWN, 1, "%s has no monitoring register at %.*s",
                              db_text(a->p->db, a->p->row->name), (int)a->name.n, a->name.s);
  }
  const char *dot = memchr(a->name.s, '.', a->name.n);
  if (dot)
    return find_in_unit(a, dot);
  a->any_instance = true;
  for (uint32_t u = 0; u < a->p->row->units.n; u++)
    if (find_named_register(a, u, false)) {
      a->any_instance = a->p->db->units[platform_unit_row(a->p, u)].instances > 1;
      return PMON_OK;
    }
  return context_fail(a->context, PMON_E_UNKNOWN, 1,
                      "%s has no register \"%.*s\"; names are those of `pmon registers`, "
                      "unit.role (cha.ctl, cha3.ctl0), or addresses (0x2002, pci:30:1.0:0x318, mmio:MEM0+0x22840)",
                      db_text(a->p->db, a->p->row->name), (int)a->name.n, a->name.s);
}

int pmon_decode(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                struct pmon_decoded *decoded)
{
  const char *equals = strrchr(text, '=');
  struct assignment a = {.context = context, .p = platform, .text = text};
  uint64_t value;
  if (!equals || equals == text)
    return context_fail(context, PMON_E_SYNTAX, 1, "%s: expected REGISTER=VALUE", text);
  if (!text_number(text_of(equals + 1), &value))
    return context_fail(context, PMON_E_SYNTAX, (uint32_t)(equals + 1 - text) + 1,
                        "\"%s\" is not a number of at most 64 bits", equals + 1);
  a.name = (struct text){text, (size_t)(equals - text)};
  int status = assignment_find_register(&a);
  if (status)
    return status;
  struct pmon_decoded full = {.size = sizeof full, .any_instance = a.any_instance, .any_index = a.any_index};
  status = pmon_decode_value(platform, &a.id, value, &full);
  if (status)
    return context_fail(context, status, (uint32_t)(equals + 1 - text) + 1, "0x%llx does not fit into the register",
                        (unsigned long long)value);
  return CONTEXT_FILL(context, decoded, full);
}
