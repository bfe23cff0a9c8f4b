/* SPDX-License-Identifier: MIT */
/* Patterns in lists of events: each is replaced by the names that it matches. */
#include <inttypes.h>
#include <stdio.h>
#include "src/base/bits.h"
#include "src/base/glob.h"
#include "src/base/nearest.h"
#include "src/base/writer.h"
#include "src/platform/context.h"
#include "src/event/event.h"

/* A pattern `UNIT/EVENT.UMASK,ATTRIBUTES/`, whose unit and attributes may be missing. */
struct event_pattern {
  struct text unit, name, attributes; /* unit.s NULL: none; attributes with the comma or brace before them */
};

static struct event_pattern pattern_split(struct text t)
{
  struct event_pattern p = {.unit = {NULL, 0}, .name = t};
  const char *slash = memchr(t.s, '/', t.n);
  if (slash) {
    p.unit = (struct text){t.s, (size_t)(slash - t.s)};
    p.name = (struct text){slash + 1, t.n - p.unit.n - 1};
    p.name.n -= p.name.n && p.name.s[p.name.n - 1] == '/';
  }
  size_t n = 0;
  while (n < p.name.n && !strchr(",{ ", p.name.s[n]))
    n++;
  p.attributes = (struct text){p.name.s + n, p.name.n - n};
  p.name.n = n;
  return p;
}

/* Whether the pattern matches the row's name or, if it begins like that of an event file, the name with the unit's
 * prefix. */
static bool pattern_matches(const struct event_pattern *p, const char *prefix, const struct pmon_event_info *e)
{
  char name[400];
  const int n =
      snprintf(name, sizeof name, "%s%s%s%s", prefix, e->event, e->umask ? "." : "", e->umask ? e->umask : "");
  const size_t skip = strlen(prefix);
  if (n < 0 || n >= (int)sizeof name)
    return false;
  return glob_matches(p->name, text_of(name + skip)) ||
         (p->name.n > 4 && text_same(p->name.s, "UNC_", 4) && glob_matches(p->name, text_of(name)));
}

/* The list being written, and its number of names. */
struct expansion {
  const struct pmon_platform *platform;
  struct writer w;
  uint32_t n;
  bool grouped; /* the element is in a group */
  bool any;     /* also rows that do not count with the pattern's attributes, or only in a group */
};

static bool event_is_dependent(const struct pmon_event_info *e)
{
  for (uint32_t i = 0; i < e->n_attrs; i++)
    if (!strcmp(e->attrs[i].key, "follows"))
      return true;
  return false;
}

/* Whether the row counts with the pattern's attributes: its filters are set, and each filter that is set acts on it. */
static bool attributes_fit(const struct expansion *x, const struct event_pattern *p, const struct pmon_event_info *e)
{
  char name[600];
  struct pmon_event *event = NULL;
  const int n = snprintf(name, sizeof name, "%s/%s%s%s%.*s/", e->unit, e->event, e->umask ? "." : "",
                         e->umask ? e->umask : "", (int)p->attributes.n, p->attributes.s);
  if (!p->attributes.n)
    return !strchr(e->filters, '!');
  if (n >= (int)sizeof name)
    return true;
  const int status = pmon_event_resolve(NULL, x->platform, name, &event);
  pmon_event_free(event);
  return status != PMON_E_CONFLICT;
}

/* Writes the events of a unit that match; `prefix`: the unit as it was written; s NULL: the row's. */
static void expand_unit(struct expansion *x, const struct event_pattern *p, uint32_t unit, struct text prefix)
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info e = {.size = sizeof e};
  const struct db *db = x->platform->db;
  const char *file = db_text(db, db->units[x->platform->row->units.first + unit].prefix);
  while (event_next_counted(x->platform, unit, &at, &e)) {
    if (!pattern_matches(p, file, &e))
      continue;
    if (!x->any && ((event_is_dependent(&e) && !x->grouped) || !attributes_fit(x, p, &e)))
      continue;
    write_text(&x->w, x->n++ ? "," : "");
    if (prefix.s)
      write_bytes(&x->w, prefix.s, prefix.n);
    else
      write_text(&x->w, e.unit);
    write_char(&x->w, '/');
    write_text(&x->w, e.event);
    write_text(&x->w, e.umask ? "." : "");
    write_text(&x->w, e.umask ? e.umask : "");
    write_bytes(&x->w, p->attributes.s, p->attributes.n);
    write_char(&x->w, '/');
  }
}

/* Whether the pattern matches the PMU's name, with or without its prefix, as in perf. */
static bool pmu_matches(struct text pattern, const char *name)
{
  static const struct text uncore = {"uncore_", 7};
  return glob_matches(pattern, text_of(name)) ||
         (text_same(name, uncore.s, uncore.n) && glob_matches(pattern, text_of(name + uncore.n)));
}

/* Returns the instances of the unit whose PMU has a name that the pattern matches: `base`, with the instance's number
 * if there are several. */
static uint64_t matching_pmus(struct text pattern, const char *base, uint32_t instances)
{
  char name[96];
  uint64_t found = 0;
  for (uint32_t i = 0; i < instances && i < 64; i++) {
    snprintf(name, sizeof name, "%s_%" PRIu32, base, i);
    if (pmu_matches(pattern, name) || (instances == 1 && pmu_matches(pattern, base)))
      found |= UINT64_C(1) << i;
  }
  return found;
}

/* Writes the name of the unit's PMUs that the pattern matches, such as uncore_imc_0+2; false: it matches none. Those of
 * free-running counters have other numbers, so that all of them are written or none. */
static bool format_pmus(struct text pattern, const struct pmon_unit_info *u, bool free_running, char *text, size_t size)
{
  char base[80];
  snprintf(base, sizeof base, "%s%s%s", *u->perf ? "" : "uncore_", *u->perf ? u->perf : u->name,
           free_running ? "_free_running" : "");
  const uint64_t found = matching_pmus(pattern, base, u->instances);
  const bool all = found == bits_below(u->instances);
  struct writer w = {text, size, 0};
  write_text(&w, base);
  for (uint32_t i = 0, n = 0; !all && i < 64; i++)
    if (found >> i & 1) {
      char number[8];
      snprintf(number, sizeof number, "%c%" PRIu32, n++ ? '+' : '_', i);
      write_text(&w, number);
    }
  return write_end(&w) < size && (free_running ? all && u->instances : found != 0);
}

/* Writes `PMUS/NAME,ATTRIBUTES/` for a name that is no pattern, if the PMUs have the event. */
static void expand_plain(struct expansion *x, const struct event_pattern *p, const char *pmus, bool free_running)
{
  char text[600];
  struct pmon_event *event = NULL;
  const int n = snprintf(text, sizeof text, "%s/%.*s%.*s/", pmus, (int)p->name.n, p->name.s, (int)p->attributes.n,
                         p->attributes.s);
  if (n < 0 || n >= (int)sizeof text || pmon_event_resolve(NULL, x->platform, text, &event))
    return;
  const bool has = free_running == (pmon_event_get_kind(event) == PMON_EVENT_FREERUNNING);
  pmon_event_free(event);
  if (!has)
    return;
  write_text(&x->w, x->n++ ? "," : "");
  write_text(&x->w, text);
}

/* Writes the events of all PMUs of the kernel that match: `uncore_imc_*` is no unit's name. */
static void expand_pmus(struct expansion *x, const struct event_pattern *p)
{
  struct pmon_unit_info u = {.size = sizeof u};
  char pmus[300];
  for (uint32_t i = 0; platform_get_unit(x->platform, i, &u); i++)
    for (int free_running = 0; free_running < 2; free_running++) {
      if (!format_pmus(p->unit, &u, free_running, pmus, sizeof pmus))
        continue;
      if (glob_is_pattern(p->name))
        expand_unit(x, p, i, text_of(pmus));
      else
        expand_plain(x, p, pmus, free_running);
    }
}

static void expand_units(struct expansion *x, const struct event_pattern *p)
{
  struct pmon_unit_info u = {.size = sizeof u};
  struct platform_unit_name found;
  const bool many = !p->unit.s || glob_is_pattern(p->unit);
  if (!many && platform_find_unit(x->platform, p->unit, &found))
    expand_unit(x, p, found.unit - x->platform->row->units.first, p->unit);
  for (uint32_t i = 0; many && platform_get_unit(x->platform, i, &u); i++)
    if (u.instances && (!p->unit.s || glob_matches(p->unit, text_of(u.name))))
      expand_unit(x, p, i, (struct text){NULL, 0});
}

/* Fails with the names whose beginning is near to that of the pattern. */
static int fail_no_match(const struct pmon_platform *platform, struct text whole, const struct event_pattern *p,
                         uint32_t column)
{
  const struct text beginning = glob_beginning(p->name);
  struct nearest near = {.name = beginning};
  struct pmon_event_cursor at = {0};
  struct pmon_event_info e = {.size = sizeof e};
  char hint[300];
  while (beginning.n > 1 && pmon_event_next(platform, UINT32_MAX, &at, &e))
    nearest_add_beginning(&near, text_of(e.event), 0, 0);
  nearest_format(&near, hint, sizeof hint);
  return context_fail(platform->context, PMON_E_UNKNOWN, column, "no event matches \"%.*s\"%s",
                      (int)(whole.n > 200 ? 200 : whole.n), whole.s, *hint ? hint : "; `pmon list` lists the events");
}

/* Expands one element of a list, at `column`. */
static int expand_element(struct expansion *x, struct text element, uint32_t column)
{
  const struct event_pattern p = pattern_split(element);
  if (!glob_is_pattern(p.name) && !(p.unit.s && glob_is_pattern(p.unit))) {
    write_text(&x->w, x->n++ ? "," : "");
    write_bytes(&x->w, element.s, element.n);
    return PMON_OK;
  }
  const uint32_t before = x->n;
  expand_units(x, &p);
  if (x->n == before && p.unit.s && glob_is_pattern(p.unit))
    expand_pmus(x, &p);
  x->any = x->n == before; /* nothing is left: the caller's text gets the reason of the first row that matches */
  if (x->any)
    expand_units(x, &p);
  x->any = false;
  return x->n > before ? PMON_OK : fail_no_match(x->platform, element, &p, column);
}

static struct text trim(const char *s, size_t n)
{
  while (n && s[n - 1] == ' ')
    n--;
  return (struct text){s, n};
}

/* Expands the elements of list[0..length); `first`: the column of list[0]. */
static int expand_list(struct expansion *x, const char *list, size_t length, uint32_t first)
{
  int status = PMON_OK;
  for (size_t at = 0, n; !status && at < length; at += n) {
    n = 1;
    if (list[at] == ',' || list[at] == ' ')
      continue;
    n = pmon_event_text_length(list + at);
    n = n > length - at ? length - at : n ? n : 1;
    const char *close = list[at] == '{' ? memrchr(list + at, '}', n) : NULL;
    if (!close) {
      status = expand_element(x, trim(list + at, n), first + (uint32_t)at);
      continue;
    }
    const size_t group = (size_t)(close - list) - at + 1; /* perf's modifiers may follow it */
    write_text(&x->w, x->n ? ",{" : "{");
    x->n = 0;
    x->grouped = true;
    status = expand_list(x, list + at + 1, group - 2, first + (uint32_t)at + 1);
    x->grouped = false;
    write_bytes(&x->w, close, n - group + 1);
    x->n = 1;
  }
  return status;
}

int pmon_event_expand(const struct pmon_platform *platform, const char *list, char *names, size_t size,
                      size_t *ret_length)
{
  struct expansion x = {.platform = platform, .w = {names, size, 0}};
  const int status = expand_list(&x, list, strlen(list), 1);
  const size_t length = write_end(&x.w);
  if (!status)
    *ret_length = length;
  return status;
}
