/* SPDX-License-Identifier: MIT */
/* Checks that the values of an event file fit their registers, and adds data of the base platform. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "cli/import/import.h"
#include "cli/facts/perf.h"

/* Finds a field in the registers of one role. */
static struct import_field field_of_role(const struct import *im, uint32_t unit, const char *name, uint32_t role)
{
  struct import_field found = {"", 0};
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_field_info f = {.size = sizeof f};
  for (uint32_t i = 0; pmon_register_describe(im->base, unit, i, &r) == PMON_OK; i++)
    for (uint32_t k = 0; r.role == role && pmon_field_describe(im->base, unit, i, k, &f) == PMON_OK; k++) {
      if (*f.overlay || (strcasecmp(f.name, name) != 0 && !kinds_list_has(f.alias, name)))
        continue;
      if (role == PMON_ROLE_FILTER)
        snprintf(found.setting, sizeof found.setting, "%s.%s", r.name, f.name);
      else
        snprintf(found.setting, sizeof found.setting, "%s", f.name);
      found.bits = f.hi - f.lo + 1;
      return found;
    }
  return found;
}

struct import_field import_control_field(const struct import *im, uint32_t unit, const char *name)
{
  const struct import_unit *u = &im->units[unit];
  struct import_field found = {"", 0};
  if (!u->kind)
    return field_of_role(im, u->base, name, PMON_ROLE_CTL);
  found.bits = kinds_control_field(u->kind, name, found.setting, sizeof found.setting);
  return found;
}

/* The same in the control register or, if that has no such field, in a filter register. */
static struct import_field import_any_field(const struct import *im, uint32_t unit, const char *name)
{
  const struct import_unit *u = &im->units[unit];
  struct import_field found = import_control_field(im, unit, name);
  if (found.bits)
    return found;
  if (!u->kind)
    return field_of_role(im, u->base, name, PMON_ROLE_FILTER);
  found.bits = kinds_filter_field(u->kind, name, found.setting, sizeof found.setting);
  return found;
}

struct import_field import_find_extension(const struct import *im, uint32_t unit)
{
  const struct import_field f = import_control_field(im, unit, "umask_ext");
  return f.bits ? f : import_control_field(im, unit, "umask2");
}

static bool import_fits(struct import *im, struct import_row *row, const char *key, const char *name, uint64_t value)
{
  if (!value)
    return true;
  struct import_field f = import_control_field(im, row->unit, name);
  if (!strcmp(key, "UMaskExt"))
    f = import_find_extension(im, row->unit);
  if (f.bits && (f.bits >= 64 || value >> f.bits == 0))
    return true;
  if (f.bits)
    import_leave_out(im, row, "\"%s\" is 0x%llx, too large for field %s of unit %s, which has %u bits", key,
                     (unsigned long long)value, f.setting, im->units[row->unit].name, f.bits);
  else
    import_leave_out(im, row, "\"%s\" is 0x%llx, but unit %s has no field %s", key, (unsigned long long)value,
                     im->units[row->unit].name, name);
  return false;
}

/* For units with ports, the files repeat ports and flow classes in UMaskExt, in the positions of the control
 * register. */
static void merge_ports(struct import_row *row)
{
  const uint64_t ext = row->e.umask >> 8;
  row->e.fields[INTEL_PORT_MASK] |= ext >> 4 & 0xfff;
  row->e.fields[INTEL_FC_MASK] |= ext >> 16 & 7;
  row->e.umask &= 0xff;
}

static bool values_fit(struct import *im, struct import_row *row)
{
  struct intel_event *e = &row->e;
  if (e->umask >> 8 && import_control_field(im, row->unit, "ch_mask").bits &&
      !import_control_field(im, row->unit, "umask_ext").bits)
    merge_ports(row);
  if (!e->fields[INTEL_EXT_SEL] && import_control_field(im, row->unit, "ev_sel_ext").bits) {
    e->fields[INTEL_EXT_SEL] = e->code >> 8; /* perf joins code and extension to one number */
    e->code &= 0xff;
  }
  bool good = import_fits(im, row, "EventCode", "ev_sel", e->code) &&
              import_fits(im, row, "UMask", "umask", e->umask & 0xff) &&
              import_fits(im, row, "UMaskExt", "umask_ext", e->umask >> 8);
  for (size_t i = 0; good && i < INTEL_FIELDS; i++)
    good = import_fits(im, row, intel_fields[i].key, intel_fields[i].field, e->fields[i]);
  return good;
}

static bool has_counter(const struct import *im, const struct import_unit *u, uint32_t role, uint32_t index)
{
  struct pmon_register_info r = {.size = sizeof r};
  for (uint32_t i = 0; im->base && pmon_register_describe(im->base, u->base, i, &r) == PMON_OK; i++)
    if (r.role == role && index - r.index < (r.count ? r.count : 1))
      return true;
  return false;
}

/* Linux selects a core's fixed counter by the code of the event that it counts, and one of them by code 0. If the fixed
 * counter is in use, a general counter counts an event that has a code; all processors have four of those. */
static void core_fixed_counter(struct import_row *row)
{
  enum { GENERAL_COUNTERS = 8, GENERAL_OF_ALL = 0xf };
  static const struct {
    uint64_t umask, code;
  } own[] = {{1, 0xc0}, {2, 0x3c}};
  if (!row->e.code && !row->e.umask && row->e.index >= 1 && row->e.index <= 3)
    row->e.umask = row->e.index--; /* the files of the first processors number the counters from 1, and have no codes */
  row->e.counters = UINT32_C(1) << (GENERAL_COUNTERS + row->e.index % (32 - GENERAL_COUNTERS));
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (!row->e.code && row->e.umask == own[i].umask) {
      row->e.code = own[i].code;
      row->e.umask = 0;
      row->e.counters |= GENERAL_OF_ALL;
      break;
    }
}

/* The clock's group begins at 0x10, the other groups at 0x20 and 0x30. */
uint64_t import_freerunning_umask(const struct import_unit *u, uint32_t index)
{
  const bool memory = !strncmp(u->pmu, "uncore_imc", 10);
  return perf_freerunning_umask(memory ? "uncore_imc" : "uncore_iio", memory && index == 4 ? 0 : index);
}

/* Sets the code 0xff, which Linux uses for counters that cannot be programmed; if a unit has several, these have a
 * separate PMU. */
static void use_linux_code(struct import *im, struct import_row *row)
{
  struct import_unit *u = &im->units[row->unit];
  if (row->e.kind == PMON_EVENT_PROGRAMMED)
    return;
  if (!*row->e.unit) {
    core_fixed_counter(row);
  } else if (row->e.kind == PMON_EVENT_FIXED) {
    row->e.code = 0xff;
    row->e.umask = 0;
    row->e.counters = UINT32_C(1) << (u->counters < 31 ? u->counters : 31);
  } else if ((row->e.umask = import_freerunning_umask(u, row->e.index)) != 0) {
    row->e.code = 0xff;
  } else {
    import_leave_out(im, row, "Linux' %s has no free-running counter %u", u->pmu, row->e.index);
  }
  row->e.kind = PMON_EVENT_PROGRAMMED;
}

/* Reads Linux' event 0xff, a counter that cannot be programmed: without a umask it is the fixed counter, with umasks it
 * is a free-running one. */
static void import_read_linux_numbers(const struct import *im, struct import_row *row)
{
  const struct import_unit *u = &im->units[row->unit];
  struct pmon_unit_info info = {.size = sizeof info};
  if (row->e.kind != PMON_EVENT_PROGRAMMED || row->e.code != 0xff || u->kind)
    return;
  pmon_unit_describe(im->base, u->base, &info);
  if (!row->e.umask && has_counter(im, u, PMON_ROLE_FIXED_CTR, 0))
    row->e.kind = PMON_EVENT_FIXED;
  for (uint32_t i = 0; row->e.umask && i < 32; i++)
    if (perf_freerunning_umask(info.perf, i) == row->e.umask && has_counter(im, u, PMON_ROLE_FREERUNNING, i)) {
      row->e.kind = PMON_EVENT_FREERUNNING;
      row->e.index = i;
      return;
    }
}

static bool counters_fit(struct import *im, struct import_row *row)
{
  const struct import_unit *u = &im->units[row->unit];
  struct pmon_unit_info info = {.size = sizeof info};
  if (row->e.kind != PMON_EVENT_PROGRAMMED) {
    bool fixed = row->e.kind == PMON_EVENT_FIXED;
    if (!u->kind && has_counter(im, u, fixed ? PMON_ROLE_FIXED_CTR : PMON_ROLE_FREERUNNING, row->e.index))
      return true;
    import_leave_out(im, row, "unit %s has no such %s counter", u->name, fixed ? "fixed" : "free-running");
    return false;
  }
  if (u->kind)
    return true;
  pmon_unit_describe(im->base, u->base, &info);
  if (info.counters < 32 && row->e.counters >> info.counters) {
    import_leave_out(im, row, "\"Counter\" names a counter that unit %s does not have: it has %u", u->name,
                     info.counters);
    return false;
  }
  return true;
}

static bool import_add_term(struct import *im, struct import_row *row, const char *term, char *settings, size_t size)
{
  char name[64], *end;
  const char *equals = strchr(term, '=');
  snprintf(name, sizeof name, "%.*s", (int)(equals - term), term);
  errno = 0;
  unsigned long long value = strtoull(equals + 1, &end, 0);
  struct import_field f = import_any_field(im, row->unit, name);
  size_t used = strlen(settings);
  const char *why = end == equals + 1 || (*end && *end != ',') || errno ? "has no number after %s="
                    : !f.bits                                           ? "names %s, which is not a field of the unit"
                    : f.bits < 64 && value >> f.bits                    ? "has a value that is too large for %s"
                                                                        : NULL;
  if (why) {
    char text[160];
    snprintf(text, sizeof text, why, name);
    import_leave_out(im, row, "\"Filter\" %s", text);
    return false;
  }
  if ((size_t)snprintf(settings + used, size - used, " %s=0x%llx", f.setting, value) >= size - used) {
    import_leave_out(im, row, "\"Filter\" is too long");
    return false;
  }
  return true;
}

/* Adds a setting for the value of the whole filter register. */
static void add_word(struct import *im, struct import_row *row, char *settings, size_t size)
{
  const struct import_field f = import_any_field(im, row->unit, "config1");
  if (!row->e.word)
    return;
  if (f.bits)
    snprintf(settings, size, " %s=0x%llx", f.setting, (unsigned long long)row->e.word);
  else
    import_leave_out(im, row, "the event sets the whole filter register of unit %s, which has no field for it",
                     im->units[row->unit].name);
}

/* Reads a filter: `match_mc=0xe,mask_mc=0xf` sets fields; other texts only state that there is a filter. */
static int import_read_filter(struct import *im, struct import_row *row)
{
  char settings[1024] = "";
  bool missing;
  add_word(im, row, settings, sizeof settings);
  kinds_needed_filter(row->e.filter, &missing);
  if (row->used && missing && im->units[row->unit].kind)
    import_leave_out(im, row, "Linux has no term for its filter, %s", row->e.filter);
  if (!row->used)
    return PMON_OK;
  for (const char *term = row->e.filter; strchr(row->e.filter, '=') && *term;) {
    size_t n = strcspn(term, ","), blanks = strspn(term, " ");
    if (!memchr(term, '=', n))
      import_leave_out(im, row, "\"Filter\" is \"%.60s\"; expected field=value", row->e.filter);
    if (!row->used || !import_add_term(im, row, term + blanks, settings, sizeof settings))
      return PMON_OK;
    term += n + (term[n] == ',');
  }
  row->settings = strdup(settings);
  return row->settings ? PMON_OK : PMON_E_MEMORY;
}

/* Finds the base platform's row of that name. It also searches the rows, because an event that needs a filter does not
 * resolve without it. */
static bool find_row(const struct import *im, const struct import_row *row, struct pmon_event_info *info)
{
  struct pmon_event_cursor c = {0};
  struct pmon_event *event;
  char text[512];
  snprintf(text, sizeof text, "%s/%s%s%s/", im->units[row->unit].name, row->event, row->umask ? "." : "",
           row->umask ? row->umask : "");
  if (pmon_event_resolve(NULL, im->base, text, &event) == PMON_OK) {
    bool good = pmon_event_describe(event, info) == PMON_OK && info->event;
    pmon_event_free(event);
    return good;
  }
  while (pmon_event_next(im->base, im->units[row->unit].base, &c, info))
    if (strcasecmp(info->event, row->event) == 0 && !info->umask == !row->umask &&
        (!row->umask || strcasecmp(info->umask, row->umask) == 0))
      return true;
  return false;
}

/* Copies data of the same event from the base platform: counters if the file states none, the alternative reading of
 * the control register, filters. */
static void import_copy_row(const struct import *im, struct import_row *row)
{
  const struct import_unit *u = &im->units[row->unit];
  struct pmon_event_info info = {.size = sizeof info};
  if (u->kind || row->e.kind != PMON_EVENT_PROGRAMMED || !find_row(im, row, &info) || info.code != row->e.code)
    return;
  if (!row->e.counters) /* not stated in the file */
    row->e.counters = info.counters;
  row->overlay = info.overlay;
  row->filters = info.filters;
}

int import_check(struct import *im)
{
  int status = PMON_OK;
  for (size_t i = 0; !status && i < im->n_rows; i++) {
    struct import_row *row = &im->rows[i];
    row->overlay = row->filters = "";
    if (!row->used)
      continue;
    if (im->units[row->unit].kind)
      use_linux_code(im, row);
    else
      import_read_linux_numbers(im, row);
    if (row->used && *row->e.unit == 0 && row->e.code == 0 && row->e.umask == 0)
      import_leave_out(im, row, "the event has no code");
    if (!row->used)
      continue;
    if (!counters_fit(im, row) || (row->e.kind == PMON_EVENT_PROGRAMMED && !values_fit(im, row)))
      continue;
    status = import_read_filter(im, row);
    if (!status && row->used)
      import_copy_row(im, row);
  }
  return status;
}
