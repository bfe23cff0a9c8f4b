/* SPDX-License-Identifier: MIT */
/* Registers: their addresses, and the registers at an address. */
#include "src/base/bits.h"
#include "src/base/text.h"
#include "src/base/writer.h"
#include "src/facts/field.h"
#include "src/facts/index.h"
#include "src/facts/vocabulary.h"
#include "src/platform/context.h"

/* pmon_address.device of BARs without a number: the discovery page, the CXL ports, and memory by physical address. */
static const struct {
  const char *name;
  uint32_t number;
} bars[] = {{"DISCOVERY", PMON_BAR_DISCOVERY}, {"CXL", PMON_BAR_CXL}, {"PHYSICAL", PMON_BAR_PHYSICAL}};

const char *pmon_space_name(uint32_t space)
{
  return platform_word(VOCABULARY_SPACES, space);
}

const char *pmon_role_name(uint32_t role)
{
  return platform_word(VOCABULARY_ROLES, role);
}

/* MEM0 to MEM3 are the BARs of that number. */
static uint32_t bar_number(const char *name)
{
  if (strncmp(name, "MEM", 3) == 0 && name[3] >= '0' && name[3] <= '9' && !name[4])
    return (uint32_t)(name[3] - '0');
  for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
    if (text_is(text_of(name), bars[i].name))
      return bars[i].number;
  return UINT32_MAX;
}

static void write_bar(struct writer *w, uint32_t number)
{
  for (size_t i = 0; i < sizeof bars / sizeof *bars; i++)
    if (bars[i].number == number) {
      write_text(w, bars[i].name);
      return;
    }
  write_text(w, "MEM");
  write_decimal(w, number);
}

bool platform_space(struct text name, uint32_t *ret_space)
{
  return vocabulary_find(VOCABULARY_SPACES, name, ret_space);
}

bool platform_bar(struct text name, uint32_t *ret_number)
{
  char text[16];
  if (!name.n || name.n >= sizeof text)
    return false;
  for (size_t i = 0; i <= name.n; i++)
    text[i] = i < name.n ? (name.s[i] >= 'a' && name.s[i] <= 'z' ? (char)(name.s[i] - 'a' + 'A') : name.s[i]) : '\0';
  *ret_number = bar_number(text);
  return *ret_number != UINT32_MAX;
}

uint32_t platform_device(const struct db *db, const struct db_place *place)
{
  return place->space == PMON_SPACE_MMIO ? bar_number(db_text(db, place->device)) : place->device;
}

uint32_t platform_register(const struct db *db, uint32_t unit_row, uint32_t role, uint32_t index)
{
  struct db_span span = db->units[unit_row].registers;
  for (uint32_t i = span.first; i < span.first + span.n; i++) {
    const struct db_register *r = &db->registers[i];
    bool counted = role == PMON_ROLE_FREERUNNING || role == PMON_ROLE_FIXED_CTR;
    if (r->role == role && (r->index == index || (counted && index - r->index < r->count)))
      return i;
  }
  return DB_NONE;
}

bool platform_find_rows(const struct pmon_platform *p, uint32_t unit, uint32_t reg, struct platform_place *ret_place)
{
  if (unit >= p->row->units.n)
    return false;
  uint32_t row = platform_unit_row(p, unit);
  if (reg >= p->db->units[row].registers.n)
    return false;
  *ret_place = (struct platform_place){.unit = row, .reg = p->db->units[row].registers.first + reg};
  return true;
}

uint32_t platform_layout(const struct pmon_platform *p, uint32_t unit, uint32_t reg)
{
  struct platform_place place;
  if (unit == PMON_UNIT_NONE)
    return reg < p->row->layouts.n ? p->row->layouts.first + reg : DB_NONE;
  return platform_find_rows(p, unit, reg, &place) ? p->db->registers[place.reg].layout : DB_NONE;
}

static int fail_no_register(const struct pmon_platform *platform, uint32_t unit, uint32_t reg)
{
  if (unit == PMON_UNIT_NONE)
    return context_fail_range(platform->context, "layout", reg, platform->row->layouts.n);
  if (unit >= platform->row->units.n)
    return context_fail_range(platform->context, "unit", unit, platform->row->units.n);
  return context_fail_range(platform->context, "register", reg,
                            platform->db->units[platform_unit_row(platform, unit)].registers.n);
}

/* Fills the info from the register's layout. */
static void describe_by_layout(const struct db *db, const struct db_layout *l, struct pmon_register_info *info)
{
  info->layout = db_text(db, l->name);
  info->brief = db_text(db, l->brief);
  info->cite = db_text(db, l->origin.cite);
  info->note = db_text(db, l->origin.note);
  info->source = db_text(db, l->origin.source);
  info->unsure = (l->flags & DB_UNSURE) != 0;
  info->width_bits = l->width;
  info->fields = l->fields.n;
  for (uint32_t i = l->fields.first; i < l->fields.first + l->fields.n; i++)
    info->reset = field_set(&db->fields[i], info->reset, db->fields[i].reset);
}

bool platform_get_register(const struct pmon_platform *platform, uint32_t unit, uint32_t reg,
                           struct pmon_register_info *info)
{
  struct platform_place place;
  const struct db *db = platform->db;
  const uint32_t layout = platform_layout(platform, unit, reg);
  if (unit == PMON_UNIT_NONE && layout != DB_NONE) {
    *info = (struct pmon_register_info){.size = sizeof *info,
                                        .name = db_text(db, db->layouts[layout].name),
                                        .alias = db_text(db, db->layouts[layout].alias),
                                        .role = PMON_ROLE_INFO,
                                        .count = 1};
    describe_by_layout(db, &db->layouts[layout], info);
    return true;
  }
  if (!platform_find_rows(platform, unit, reg, &place))
    return false;
  const struct db_register *r = &db->registers[place.reg];
  *info = (struct pmon_register_info){
      .size = sizeof *info,
      .name = db_text(db, r->name),
      .alias = db_text(db, r->alias),
      .layout = "",
      .brief = "",
      .cite = db_text(db, db->units[place.unit].origin.cite),
      .note = "",
      .source = "",
      .role = r->role,
      .count = r->count ? r->count : 1,
      .index = r->index,
      .width_bits = r->access_bits,
  };
  if (layout != DB_NONE)
    describe_by_layout(db, &db->layouts[layout], info);
  return true;
}

int pmon_register_describe(const struct pmon_platform *platform, uint32_t unit, uint32_t reg,
                           struct pmon_register_info *info)
{
  struct pmon_register_info full;
  if (!platform_get_register(platform, unit, reg, &full))
    return fail_no_register(platform, unit, reg);
  return CONTEXT_FILL(platform->context, info, full);
}

int pmon_register_address(const struct pmon_platform *platform, const struct pmon_register_id *id,
                          struct pmon_address *ret_address)
{
  struct platform_place place;
  if (!platform_find_rows(platform, id->unit, id->reg, &place))
    return fail_no_register(platform, id->unit, id->reg);
  place.instance = id->instance;
  place.index = id->index;
  if (platform->db->units[place.unit].flags & DB_PERF_ONLY)
    return context_fail_perf_only(platform->context, db_text(platform->db, platform->db->units[place.unit].name));
  if (platform_address(platform->db, &place, ret_address))
    return context_fail(platform->context, PMON_E_RANGE, 0,
                        "%s: instance %u does not exist, or has no register number %u",
                        db_text(platform->db, platform->db->registers[place.reg].name), id->instance, id->index);
  return PMON_OK;
}

/* Whether one of the row's registers of an instance is at the address. The six parameters are the tables, three nested
 * keys, the address and the result; the function runs in the search loop, where a struct would only be unpacked. */
static bool register_is_at(const struct db *db, const struct db_unit *u, const struct db_register *r, uint32_t instance,
                           const struct pmon_address *a, uint32_t *ret_index)
{
  const struct db_place *at = db_register_place(db, u, r, instance);
  const uint64_t first = at->base + (r->own_place == DB_NONE ? db_register_offset(db, u, r, instance) : 0);
  const uint64_t behind = a->offset - first;
  const uint32_t count = db_register_count(db, u, r, instance);
  if (at->space != a->space || a->offset < first || behind > (uint64_t)(count - 1) * r->step ||
      (r->step && behind % r->step) || platform_device(db, at) != a->device)
    return false;
  *ret_index = r->step ? (uint32_t)(behind / r->step) : 0;
  return true;
}

/* Computes the range of offsets of the unit's registers that have no place of their own. */
static void unit_extent(const struct db *db, const struct db_unit *u, uint64_t *ret_low, uint64_t *ret_high)
{
  *ret_low = UINT64_MAX;
  *ret_high = 0;
  for (uint32_t i = u->registers.first; i < u->registers.first + u->registers.n; i++) {
    const struct db_register *r = &db->registers[i];
    const uint64_t last = r->offset + (uint64_t)(r->count ? r->count - 1 : 0) * r->step;
    if (r->own_place != DB_NONE)
      continue;
    *ret_low = r->offset < *ret_low ? r->offset : *ret_low;
    *ret_high = last > *ret_high ? last : *ret_high;
    for (uint32_t k = u->exceptions.first; k < u->exceptions.first + u->exceptions.n; k++) {
      const uint64_t other = db_register_offset(db, u, r, db->exceptions[k].first);
      *ret_low = other < *ret_low ? other : *ret_low;
      *ret_high = other + (last - r->offset) > *ret_high ? other + (last - r->offset) : *ret_high;
    }
  }
}

/* Finds the unit's first row, and its first instance, with a register at the address; ret_id->reg starts above all
 * rows. */
static void find_in_unit(const struct db *db, const struct db_unit *u, const struct pmon_address *a,
                         struct pmon_register_id *ret_id)
{
  const struct db_register *rows = &db->registers[u->registers.first];
  const uint32_t instances = u->instances ? u->instances : 1;
  uint64_t low, high;
  unit_extent(db, u, &low, &high);
  for (uint32_t k = 0; k < instances && k < u->places.n; k++) {
    const struct db_place *at = &db->places[u->places.first + k];
    if (at->space != a->space || a->offset < at->base + low || a->offset > at->base + high)
      continue;
    for (uint32_t r = 0; r < ret_id->reg && r < u->registers.n; r++)
      if (rows[r].own_place == DB_NONE && register_is_at(db, u, &rows[r], k, a, &ret_id->index))
        ret_id->reg = r, ret_id->instance = k;
  }
  for (uint32_t r = 0; r < ret_id->reg && r < u->registers.n; r++)
    for (uint32_t k = 0; k < instances && rows[r].own_place != DB_NONE && r < ret_id->reg; k++)
      if (register_is_at(db, u, &rows[r], k, a, &ret_id->index))
        ret_id->reg = r, ret_id->instance = k;
}

bool platform_register_at(const struct pmon_platform *platform, const struct pmon_address *address,
                          struct pmon_register_id *ret_id)
{
  for (uint32_t u = 0; u < platform->row->units.n; u++) {
    struct pmon_register_id id = {.unit = u, .reg = UINT32_MAX};
    find_in_unit(platform->db, &platform->db->units[platform_unit_row(platform, u)], address, &id);
    if (id.reg != UINT32_MAX) {
      *ret_id = id;
      return true;
    }
  }
  return false;
}

int pmon_register_find(const struct pmon_platform *platform, const struct pmon_address *address,
                       struct pmon_register_id *ret_id)
{
  char text[96];
  if (platform_register_at(platform, address, ret_id))
    return PMON_OK;
  pmon_address_format(address, text, sizeof text);
  return context_fail(platform->context, PMON_E_UNKNOWN, 0, "%s has no monitoring register at %s",
                      db_text(platform->db, platform->row->name), text);
}

size_t pmon_register_name(const struct pmon_platform *platform, const struct pmon_register_id *id, char *text,
                          size_t size)
{
  struct writer w = {text, size, 0};
  struct platform_place place;
  if (id->unit == PMON_UNIT_NONE) {
    const uint32_t layout = platform_layout(platform, id->unit, id->reg);
    write_text(&w, layout == DB_NONE ? "" : db_text(platform->db, platform->db->layouts[layout].name));
  } else if (platform_find_rows(platform, id->unit, id->reg, &place)) {
    const struct db_register *r = &platform->db->registers[place.reg];
    write_text(&w, db_text(platform->db, r->name));
    if (r->count > 1)
      write_decimal(&w, platform_register_number(r, id->index));
  }
  return write_end(&w);
}

size_t pmon_address_format(const struct pmon_address *address, char *text, size_t size)
{
  struct writer w = {text, size, 0};
  write_text(&w, pmon_space_name(address->space));
  write_char(&w, ' ');
  if (address->space == PMON_SPACE_PCI) {
    write_decimal(&w, pci_bus(address->device));
    write_char(&w, ':');
    write_decimal(&w, pci_slot(address->device));
    write_char(&w, '.');
    write_decimal(&w, pci_function(address->device));
    write_char(&w, ' ');
  } else if (address->space == PMON_SPACE_MMIO) {
    write_bar(&w, address->device);
    write_char(&w, '+');
  } else if (address->space == PMON_SPACE_MSR && address->device) {
    write_text(&w, "cpu");
    write_decimal(&w, address->device - 1);
    write_char(&w, ':');
  }
  if (address->space >= PMON_SPACE_PMC)
    write_decimal(&w, address->offset);
  else
    write_hex(&w, address->offset);
  return write_end(&w);
}
