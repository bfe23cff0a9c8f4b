/* SPDX-License-Identifier: MIT */
#include "cli/facts/perf_spelling.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Returns the kernel's name of a field: without the name of the register, and for some fields a different name. */
static const char *perf_term(const char *field)
{
  static const char *const terms[][2] = {{"edge_det", "edge"}, {"invert", "inv"}, {"occ_edge_det", "occ_edge"}};
  const char *dot = strrchr(field, '.');
  field = dot ? dot + 1 : field;
  for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
    if (!strcasecmp(field, terms[i][0]))
      return terms[i][1];
  return field;
}

/* Adds perf's modifier, which follows the terms, for the privilege levels that do not count. Returns false if the
 * setting is a different one. */
static bool perf_take_modifier(const char *key, const char *value, char modifiers[3])
{
  const bool user = !strcasecmp(key, "exclude_user");
  if (!user && strcasecmp(key, "exclude_kernel") != 0)
    return false;
  if (strtoull(value, NULL, 0) && strlen(modifiers) < 2)
    strcat(modifiers, user ? "k" : "u");
  return true;
}

/* Converts the settings in the name of an event, UNIT/EVENT,KEY=VALUE,.../, to terms of the kernel, and to the
 * modifiers that follow them. Returns false for a setting that the kernel names differently. */
static bool perf_settings(const char *name, char *text, size_t size, char modifiers[3])
{
  static const char *const same[] = {"thresh", "cmask", "edge_det", "invert", "occ_edge_det", "config1", "config2"};
  size_t n = 0;
  *text = *modifiers = 0;
  for (const char *at = strchr(name, ','); at && at[1]; at = strchr(at + 1, ',')) {
    char key[64] = "", value[64] = "";
    bool known = false;
    if (sscanf(at, ",%63[^=,/]=%63[^,/]", key, value) != 2)
      return false;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
      known |= !strcasecmp(key, same[i]);
    if (!known && perf_take_modifier(key, value, modifiers))
      continue;
    if (!known)
      return false;
    if (n < size)
      n += (size_t)snprintf(text + n, size - n, ",%s=%s", perf_term(key), value);
  }
  return true;
}

/* Writes the kernel's PMU for the instances that the event's name chooses: uncore_cha, or uncore_cha_3 for cha3.
 * Returns false for several instances, but not all: perf names one or all. */
static bool perf_pmu(const struct pmon_unit_info *u, const char *name, char *text, size_t size)
{
  const size_t unit = strlen(u->name), length = strcspn(name, "/");
  const char *const chosen = length > unit ? name + unit : "/";
  const int digits = (int)strspn(chosen, "0123456789");
  if (chosen[digits] != '/')
    return false;
  const bool one = digits && u->instances > 1;
  snprintf(text, size, "%s%s%.*s", u->perf, one ? "_" : "", one ? digits : 0, chosen);
  return true;
}

bool perf_spelling(const struct pmon_unit_info *u, const struct pmon_event_info *e, const char *name, char *text,
                   size_t size)
{
  char settings[256], modifiers[3], pmu[96];
  if (!perf_settings(name, settings, sizeof settings, modifiers) || !perf_pmu(u, name, pmu, sizeof pmu))
    return false;
  uint64_t code = e->code;
  for (uint32_t i = 0; i < e->n_fields; i++)
    code |= !strcasecmp(e->fields[i].name, "ev_sel_ext") ? e->fields[i].value << 8 : 0;
  const uint64_t umask = e->ext << 8 | e->umask_value;
  size_t n = (size_t)snprintf(text, size, "%s/event=0x%llx", pmu, (unsigned long long)code);
  if (umask && n < size)
    n += (size_t)snprintf(text + n, size - n, ",umask=0x%llx", (unsigned long long)umask);
  for (uint32_t i = 0; i < e->n_fields && n < size; i++)
    if (strcasecmp(e->fields[i].name, "ev_sel_ext") && strcasecmp(e->fields[i].name, "umask_ext"))
      n += (size_t)snprintf(text + n, size - n, ",%s=0x%llx", perf_term(e->fields[i].name),
                            (unsigned long long)e->fields[i].value);
  if (n < size)
    snprintf(text + n, size - n, "%s/%s", settings, modifiers);
  return true;
}
