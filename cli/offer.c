/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <pmon/sample.h>
#include "cli/offer.h"
#include "machine/config.h"
#include "machine/model.h"

void complete_offer(const struct completing *c, const char *text, const char *end)
{
  const char *begun = c->word + c->kept;
  if (strncasecmp(begun, text, strlen(begun)) != 0)
    return;
  out_bytes(&c->cli->out, c->before, c->before_n);
  out_bytes(&c->cli->out, c->word, c->kept);
  out_text(&c->cli->out, text);
  out_text(&c->cli->out, end);
  out_char(&c->cli->out, '\n');
}

static void offer_platforms(const struct completing *c)
{
  const struct pmon_platform *p;
  struct pmon_platform_info info = {.size = sizeof info};
  for (uint32_t i = 0; (p = pmon_platform_get(c->cli->context, i)) != NULL; i++)
    if (pmon_platform_describe(p, &info) == PMON_OK)
      complete_offer(c, info.name, "");
}

static void offer_units(const struct completing *c, const char *end)
{
  struct pmon_unit_info u = {.size = sizeof u};
  for (uint32_t i = 0; pmon_unit_describe(c->cli->platform, i, &u) == PMON_OK; i++)
    complete_offer(c, u.name, end);
}

static void offer_metrics(const struct completing *c)
{
  struct pmon_metric_info m = {.size = sizeof m};
  for (uint32_t i = 0; pmon_metric_describe(c->cli->platform, i, &m) == PMON_OK; i++)
    if (!*m.stale)
      complete_offer(c, m.name, "");
}

static void offer_registers(const struct completing *c)
{
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_unit_info u = {.size = sizeof u};
  for (uint32_t i = 0; pmon_unit_describe(c->cli->platform, i, &u) == PMON_OK; i++)
    for (uint32_t k = 0; pmon_register_describe(c->cli->platform, i, k, &r) == PMON_OK; k++) {
      char name[96];
      struct pmon_register_id id = {i, k, 0, 0};
      for (id.index = 0; id.index < r.count; id.index++) {
        pmon_register_name(c->cli->platform, &id, name, sizeof name);
        complete_offer(c, name, "=");
      }
    }
}

static bool has_registers(const struct pmon_platform *p, uint32_t unit)
{
  struct pmon_register_info r = {.size = sizeof r};
  return pmon_register_describe(p, unit, 0, &r) == PMON_OK;
}

/* Offers the event names of a unit (with `.` if the event needs a umask), or the umasks of `event` if it is not NULL.
 * Units without counters share their events with other units, which do not list them. */
static void offer_events(const struct completing *c, uint32_t unit, const char *event, size_t event_n)
{
  struct pmon_event_cursor at = {0};
  struct pmon_event_info e = {.size = sizeof e};
  const char *last = "";
  while (pmon_event_next(c->cli->platform, UINT32_MAX, &at, &e)) {
    if (at.unit != unit && has_registers(c->cli->platform, at.unit))
      continue;
    if (event) {
      if (e.umask && strlen(e.event) == event_n && strncasecmp(e.event, event, event_n) == 0)
        complete_offer(c, e.umask, "/");
    } else if (strcmp(e.event, last) != 0) {
      complete_offer(c, e.event, e.has_umasks ? "." : "/");
      last = e.event;
    }
  }
}

/* Offers fields of the unit's control and filter registers. */
static void offer_attributes(const struct completing *c, uint32_t unit)
{
  struct pmon_register_info r = {.size = sizeof r};
  struct pmon_field_info f = {.size = sizeof f};
  for (uint32_t k = 0; pmon_register_describe(c->cli->platform, unit, k, &r) == PMON_OK; k++) {
    if (r.role != PMON_ROLE_CTL && r.role != PMON_ROLE_FILTER)
      continue;
    for (uint32_t i = 0; pmon_field_describe(c->cli->platform, unit, k, i, &f) == PMON_OK; i++)
      if (strcmp(f.name, "-") != 0 && strcmp(f.access, "rw") == 0)
        complete_offer(c, f.name, f.hi == f.lo ? "" : "=");
  }
}

/* Whether the event resolves without its unit. */
static bool event_has_one_unit(struct cli *cli, const struct pmon_event_info *e)
{
  char text[200];
  struct pmon_event *event = NULL;
  snprintf(text, sizeof text, "%s%s%s", e->event, e->umask ? "." : "", e->umask ? e->umask : "");
  if (pmon_event_resolve(cli->context, cli->platform, text, &event) != PMON_OK)
    return false;
  pmon_event_free(event);
  return true;
}

/* Offers the events that only one unit has, without the unit's name, and their umasks. Offers nothing for an empty
 * word: there are thousands. */
static void offer_unitless_events(struct completing *c)
{
  const char *begun = c->word + c->kept, *dot = strchr(begun, '.');
  const size_t name_n = dot ? (size_t)(dot - begun) : 0;
  struct pmon_event_cursor at = {0};
  struct pmon_event_info e = {.size = sizeof e};
  char last[96] = "";
  if (!*begun || strpbrk(begun, "{/:"))
    return;
  while (pmon_event_next(c->cli->platform, UINT32_MAX, &at, &e)) {
    char text[200];
    if (dot && (!e.umask || strlen(e.event) != name_n || strncasecmp(e.event, begun, name_n) != 0))
      continue;
    if (!dot && (!strcmp(e.event, last) || strncasecmp(e.event, begun, strlen(begun)) != 0))
      continue;
    snprintf(last, sizeof last, "%s", e.event);
    snprintf(text, sizeof text, "%s%s%s", e.event, dot ? "." : "", dot ? e.umask : "");
    if (event_has_one_unit(c->cli, &e))
      complete_offer(c, text, !dot && e.has_umasks ? "." : "");
  }
}

/* Offers an event, which begins at character `kept`. */
static void offer_event(struct completing *c)
{
  const char *begun = c->word + c->kept, *slash = strchr(begun, '/'), *comma = slash ? strrchr(slash, ',') : NULL;
  if (!slash) {
    offer_units(c, "/");
    offer_unitless_events(c);
    return;
  }
  char name[64];
  uint32_t unit;
  snprintf(name, sizeof name, "%.*s", (int)(slash - begun), begun);
  if (pmon_unit_find(c->cli->platform, name, &unit) != PMON_OK)
    return;
  const char *dot = comma ? NULL : strchr(slash, '.');
  c->kept = (size_t)((comma ? comma : dot ? dot : slash) + 1 - c->word);
  if (comma)
    offer_attributes(c, unit);
  else
    offer_events(c, unit, dot ? slash + 1 : NULL, dot ? (size_t)(dot - slash - 1) : 0);
}

/* Offers the last event of a list separated by commas. */
static void offer_event_list(struct completing *c)
{
  for (;;) {
    size_t n = pmon_event_text_length(c->word + c->kept);
    if (!c->word[c->kept + n])
      break;
    c->kept += n + 1;
  }
  offer_event(c);
}

/* Keeps the part before the last comma of a list of metrics or groups. */
static void find_last_of_list(struct completing *c)
{
  const char *comma = strrchr(c->word, ',');
  c->kept = comma ? (size_t)(comma + 1 - c->word) : 0;
}

/* Offers the last metric of a list separated by commas. */
static void offer_metric_list(struct completing *c)
{
  find_last_of_list(c);
  offer_metrics(c);
}

/* Offers the last metric group of a list. */
static void offer_groups(struct completing *c)
{
  struct pmon_metric_group_info g = {.size = sizeof g};
  find_last_of_list(c);
  for (uint32_t i = 0; pmon_metric_group_describe(c->cli->platform, i, &g) == PMON_OK; i++)
    if (g.metrics)
      complete_offer(c, g.name, "");
}

/* Offers words separated by blanks. */
static void offer_words(const struct completing *c, const char *words, const char *end)
{
  for (size_t n; *words; words += n + strspn(words + n, " ")) {
    char word[64];
    n = strcspn(words, " ");
    snprintf(word, sizeof word, "%.*s", (int)n, words);
    complete_offer(c, word, end);
  }
}

/* Offers NAME=, or after it the words that the parameter accepts. */
static void offer_settings(struct completing *c)
{
  const struct processor_model *model = c->cli->platform_name ? model_find(c->cli->platform_name) : NULL;
  const struct parameter_list *list = model && model->parameters ? model->parameters : &machine_config_parameters;
  const char *equals = strchr(c->word, '=');
  for (unsigned i = 0; i < list->n; i++) {
    const struct config_parameter *p = &list->parameter[i];
    if (!equals) {
      complete_offer(c, p->name, "=");
    } else if (strlen(p->name) == (size_t)(equals - c->word) && !strncasecmp(p->name, c->word, strlen(p->name))) {
      c->kept = (size_t)(equals + 1 - c->word);
      offer_words(c, p->words, "");
      for (uint64_t value = p->least; p->kind == KIND_NUMA && value <= p->most; value++) {
        char text[32];
        parameter_format(p, value, text, sizeof text);
        complete_offer(c, text, "");
      }
    }
  }
}

/* Offers a sample source; after =, its limits, joined by +. */
static void offer_sources(struct completing *c)
{
  static const char *const filters[PMON_SOURCE_N] = {
      [PMON_SOURCE_DATA_CACHE] = "4 8 16 32 64 128 256 512 1024 2048 4096",
      [PMON_SOURCE_DATA_TLB] = "L2DTLB VHPT FAULT",
      [PMON_SOURCE_CODE_CACHE] = "4 8 16 32 128 256 1024 4096 RAB",
      [PMON_SOURCE_CODE_TLB] = "L2TLB VHPT FAULT",
      [PMON_SOURCE_BRANCHES] = "taken nottaken wrongpath wrongtarget right iprel returns indirect",
  };
  const char *equals = strchr(c->word, '='), *plus = strrchr(c->word, '+');
  for (uint32_t kind = PMON_SOURCE_NOTHING + 1; kind < PMON_SOURCE_N; kind++) {
    const char *name = pmon_sample_source_name(kind);
    if (!equals) {
      complete_offer(c, name, "");
    } else if (filters[kind] && strlen(name) == (size_t)(equals - c->word) &&
               !strncasecmp(name, c->word, strlen(name))) {
      c->kept = (size_t)((plus ? plus : equals) + 1 - c->word);
      offer_words(c, filters[kind], "");
    }
  }
}

void complete_offer_options(const struct completing *c, const struct cli_command *command, const char *action)
{
  const struct cli_option *rows[CLI_OPTIONS];
  const size_t n = cli_options_of(command, action, rows);
  for (size_t i = 0; i < n; i++) {
    char option[64];
    snprintf(option, sizeof option, "--%s", rows[i]->name);
    complete_offer(c, option, "");
  }
}

void complete_offer_value(struct completing *c, enum cli_value value, const char *words)
{
  switch (value) {
  case CLI_TEXT:
  case CLI_FILE:
  case CLI_NEW_FILE: break; /* the shell offers files when pmon offers nothing */
  case CLI_WORDS: offer_words(c, words, ""); break;
  case CLI_PLATFORM: offer_platforms(c); break;
  case CLI_UNIT: offer_units(c, ""); break;
  case CLI_EVENT: offer_event(c); break;
  case CLI_EVENTS: offer_event_list(c); break;
  case CLI_METRIC: offer_metrics(c); break;
  case CLI_METRICS: offer_metric_list(c); break;
  case CLI_GROUPS: offer_groups(c); break;
  case CLI_REGISTER: offer_registers(c); break;
  case CLI_NAME:
    if (!strchr(c->word, '/'))
      offer_metrics(c);
    offer_event(c);
    break;
  case CLI_SETTING: offer_settings(c); break;
  case CLI_SOURCE: offer_sources(c); break;
  }
}
