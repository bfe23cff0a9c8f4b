/* SPDX-License-Identifier: MIT */
/* pmon list --format perf-json: events in the format of Linux perf's table compiler. */
#include "cli/facts/perf.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "cli/common/event_name.h"
#include "cli/facts/describe.h"
#include "cli/facts/intel.h"

/* Umasks of free-running counters: those of counters `first` and following begin at `umask` (Linux drivers for the
 * fourth and fifth generation). The high digit is the group, the low digit the counter in the group. */
static const struct {
  const char *pmu;
  uint32_t first, end, umask;
} free_running[] = {
    {"uncore_iio", 0, 1, 0x10}, {"uncore_iio", 1, 9, 0x20}, {"uncore_iio", 9, 17, 0x30},
    {"uncore_imc", 0, 1, 0x10}, {"uncore_imc", 1, 3, 0x20}, {"uncore_imc", 9, 11, 0x30},
};

/* PMUs whose name in Intel's files is not just the PMU's name in capitals. */
static const struct {
  const char *pmu, *unit;
} unit_names[] = {
    {"uncore_cbox", "CBO"},   {"uncore_imc", "iMC"},       {"uncore_upi", "UPI LL"},
    {"uncore_qpi", "QPI LL"}, {"uncore_m2pcie", "M2PCIe"}, {"uncore_r2pcie", "R2PCIe"},
};

uint32_t perf_freerunning_umask(const char *pmu, uint32_t index)
{
  for (size_t i = 0; i < sizeof free_running / sizeof free_running[0]; i++)
    if (strcmp(pmu, free_running[i].pmu) == 0 && index >= free_running[i].first && index < free_running[i].end)
      return free_running[i].umask + index - free_running[i].first;
  return 0;
}

struct export
{
  struct cli *cli;
  struct pmon_unit_info unit;
  uint32_t number; /* position in the unit */
  size_t rows;
};

static void perf_unit_name(const struct export *x, bool free_counter, char *name, size_t size)
{
  static const char before[] = "uncore_";
  const char *from = x->unit.perf;
  for (size_t i = 0; !free_counter && i < sizeof unit_names / sizeof unit_names[0]; i++)
    if (strcmp(unit_names[i].pmu, from) == 0) {
      snprintf(name, size, "%s", unit_names[i].unit);
      return;
    }
  if (strncmp(from, before, sizeof before - 1) == 0)
    from += sizeof before - 1;
  snprintf(name, size, "%s%s", *from ? from : x->unit.name, free_counter ? "_free_running" : "");
  for (char *c = name; !free_counter && *c; c++)
    *c = (char)toupper((unsigned char)*c);
}

static void perf_write_hex(struct out *o, const char *key, uint64_t value)
{
  char text[24];
  snprintf(text, sizeof text, "0x%02llx", (unsigned long long)value);
  json_text(o, key, text);
}

/* Whether the text is a register's name, or its end after an underscore. */
static bool perf_names_register(const char *name, const char *end, size_t n)
{
  size_t k = strlen(name);
  return k >= n && (k == n || name[k - n - 1] == '_') && strncasecmp(name + k - n, end, n) == 0;
}

/* Writes perf's name for a filter register's field: the alias that names the filter (match_opc), else its own name. */
static void filter_term(const struct export *x, const char *name, char *term, size_t size)
{
  const char *dot = strchr(name, '.');
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_field_info f = {.size = sizeof f};
  snprintf(term, size, "%s", dot ? dot + 1 : name);
  for (uint32_t i = 0; dot && pmon_register_describe(x->cli->platform, x->number, i, &r) == PMON_OK; i++) {
    if (r.role != PMON_ROLE_FILTER || !perf_names_register(r.name, name, (size_t)(dot - name)))
      continue;
    for (uint32_t k = 0; pmon_field_describe(x->cli->platform, x->number, i, k, &f) == PMON_OK; k++)
      for (const char *a = strcasecmp(f.name, dot + 1) == 0 ? f.alias : ""; *a; a += strcspn(a, ","), a += *a == ',')
        if (memchr(a, '_', strcspn(a, ","))) {
          snprintf(term, size, "%.*s", (int)strcspn(a, ","), a);
          return;
        }
  }
  for (char *c = term; *c; c++)
    *c = (char)tolower((unsigned char)*c);
}

static void perf_write_fields(const struct export *x, const struct pmon_event_info *e)
{
  struct out *o = &x->cli->out;
  char filter[1024] = "", term[80];
  for (uint32_t i = 0; i < e->n_fields; i++) {
    const struct pmon_event_field *f = &e->fields[i];
    size_t k = 0, n = strlen(filter);
    while (k < INTEL_FIELDS && (k == INTEL_THRESHOLD || strcasecmp(f->name, intel_fields[k].field) != 0))
      k++;
    if (k == INTEL_EXT_SEL || k == INTEL_EDGE || k == INTEL_INVERT) {
      snprintf(term, sizeof term, "%llu", (unsigned long long)f->value);
      json_text(o, intel_fields[k].key, term);
    } else if (k < INTEL_FIELDS) {
      perf_write_hex(o, intel_fields[k].key, f->value);
    } else {
      filter_term(x, f->name, term, sizeof term);
      snprintf(filter + n, sizeof filter - n, "%s%s=0x%llx", n ? "," : "", term, (unsigned long long)f->value);
    }
  }
  if (*filter)
    json_text(o, "Filter", filter);
}

/* Finds the number of the free-running counter. Returns false if it cannot be determined. */
static bool free_index(const struct export *x, const char *name, uint32_t *ret_index)
{
  struct pmon_event *event;
  struct pmon_image image;
  struct pmon_register_info r = {.size = sizeof r};
  if (pmon_event_resolve(x->cli->context, x->cli->platform, name, &event) != PMON_OK)
    return false;
  bool good = pmon_event_encode(event, 0, 0, 0, &image) == PMON_OK &&
              pmon_register_describe(x->cli->platform, image.counter_id.unit, image.counter_id.reg, &r) == PMON_OK;
  pmon_event_free(event);
  *ret_index = r.index + image.counter_id.index;
  return good;
}

static void perf_write_counter(struct out *o, const struct pmon_event_info *e, uint32_t free_counter)
{
  char text[96] = "";
  if (e->kind == PMON_EVENT_FIXED)
    snprintf(text, sizeof text, "FIXED");
  else if (e->kind == PMON_EVENT_FREERUNNING)
    snprintf(text, sizeof text, "%u", free_counter);
  for (unsigned i = 0; e->kind == PMON_EVENT_PROGRAMMED && i < 32; i++)
    if (e->counters >> i & 1)
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u", *text ? "," : "", i);
  json_text(o, "Counter", text);
  if (e->kind == PMON_EVENT_FREERUNNING)
    json_text(o, "CounterType", "FREERUN");
}

static void perf_write_row(struct export *x, const struct pmon_event_info *e)
{
  struct out *o = &x->cli->out;
  char name[512], unit[64];
  uint32_t index = 0, umask = 0;
  bool is_free = e->kind == PMON_EVENT_FREERUNNING;
  snprintf(name, sizeof name, "%s/%s/", x->unit.name, e->event);
  if (is_free && (!free_index(x, name, &index) || !(umask = perf_freerunning_umask(x->unit.perf, index))))
    return; /* no Linux PMU reads the counter */
  snprintf(name, sizeof name, "%s%s%s%s", x->unit.prefix, e->event, e->umask ? "." : "", e->umask ? e->umask : "");
  perf_unit_name(x, is_free, unit, sizeof unit);
  out_text(o, x->rows++ ? ",\n" : "[\n");
  o->comma = false;
  json_open(o, NULL, '{');
  json_text(o, "BriefDescription", e->brief);
  perf_write_counter(o, e, index);
  perf_write_hex(o, "EventCode", e->kind == PMON_EVENT_PROGRAMMED ? e->code : 0xff);
  json_text(o, "EventName", name);
  json_text(o, "PerPkg", "1");
  umask = e->kind == PMON_EVENT_PROGRAMMED ? 0 : umask;
  if (umask || e->umask_value || e->ext)
    perf_write_hex(o, "UMask", umask ? umask : e->umask_value | e->ext << 8);
  perf_write_fields(x, e);
  json_text(o, "Unit", unit);
  json_close(o, '}');
}

static bool perf_counter_is_listed(const struct pmon_platform *platform, uint32_t unit, const char *event)
{
  struct pmon_event_cursor c = {0};
  struct pmon_event_info e = {.size = sizeof e};
  while (pmon_event_next(platform, unit, &c, &e))
    if (strcasecmp(e.event, event) == 0)
      return true;
  return false;
}

/* Writes the events of a set, which is a unit without registers, under a unit that shares it: perf lists them under
 * each of these units. */
static void perf_write_shared(struct export *x, const struct cli_options *options, uint32_t set)
{
  struct cli *cli = x->cli;
  struct pmon_event_cursor c = {0};
  struct pmon_event_info e = {.size = sizeof e}, own = {.size = sizeof own};
  struct pmon_event *event;
  const char *last = NULL;
  bool listed = false;
  char name[512];
  while (pmon_event_next(cli->platform, set, &c, &e)) {
    if (e.event != last)
      listed = perf_counter_is_listed(cli->platform, x->number, e.event);
    last = e.event;
    event_name_format(x->unit.name, &e, name, sizeof name);
    if (listed || !describe_wanted(cli, &e, options) ||
        pmon_event_resolve(cli->context, cli->platform, name, &event) != PMON_OK)
      continue;
    if (pmon_event_describe(event, &own) == PMON_OK && strcmp(own.cite, e.cite) == 0)
      perf_write_row(x, &own);
    pmon_event_free(event);
  }
}

static void perf_write_unit(struct export *x, const struct cli_options *options)
{
  const struct pmon_platform *platform = x->cli->platform;
  struct pmon_event_cursor c = {0};
  struct pmon_event_info e = {.size = sizeof e};
  struct pmon_unit_info shared = {.size = sizeof shared};
  while (pmon_event_next(platform, x->number, &c, &e))
    if (describe_wanted(x->cli, &e, options))
      perf_write_row(x, &e);
  for (uint32_t i = 0; pmon_unit_describe(platform, i, &shared) == PMON_OK; i++)
    if (!shared.registers)
      perf_write_shared(x, options, i);
}

int perf_list(struct cli *cli, const struct cli_options *options, uint32_t unit)
{
  struct export x = {.cli = cli, .unit.size = sizeof x.unit};
  for (; pmon_unit_describe(cli->platform, x.number, &x.unit) == PMON_OK; x.number++)
    if (x.unit.registers && *x.unit.prefix && (unit == UINT32_MAX || unit == x.number))
      perf_write_unit(&x, options);
  if (!x.rows)
    return cli_fail(cli, "%s: Linux perf's event files cannot name these events; --format json lists them",
                    options->n ? options->args[0] : "all events");
  out_text(&cli->out, "\n]\n");
  return CLI_DONE;
}
