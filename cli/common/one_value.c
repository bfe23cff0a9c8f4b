/* SPDX-License-Identifier: MIT */
#include "cli/common/one_value.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/base/glob.h"

/* Returns the names, UNIT/NAME, that a list matches; NULL if it matches none, or if there is no memory. The caller
 * frees them. */
static char *names_of(const struct cli *cli, const char *list)
{
  size_t n;
  if (pmon_metric_expand(cli->platform, list, NULL, 0, &n))
    return NULL;
  char *names = malloc(n + 1);
  if (names)
    pmon_metric_expand(cli->platform, list, names, n + 1, &n);
  return names;
}

/* Whether the names contain the metric, with or without a value. */
static bool has_metric(const char *names, const char *name)
{
  for (const char *at = names; at && *at; at += strspn(at, ",")) {
    const size_t n = strcspn(at, ","), unit = strcspn(at, "/,") < n ? strcspn(at, "/") + 1 : 0;
    const char *end = at + unit + strlen(name);
    if (!strncmp(at + unit, name, strlen(name)) && (!*end || *end == ',' || *end == '.'))
      return true;
    at += n;
  }
  return false;
}

/* Whether a pattern of the list matches the metric's name. */
static bool is_matched(const char *list, const struct pmon_metric_info *m)
{
  char whole[256];
  snprintf(whole, sizeof whole, "%s/%s", m->unit, m->name);
  for (const char *at = list; *at; at += strspn(at, ", \t")) {
    const struct text element = {at, strcspn(at, ",")};
    const char *name = memchr(at, '/', element.n) ? whole : m->name;
    if (glob_is_pattern(element) && !memchr(at, '=', element.n) && glob_matches(element, text_of(name)))
      return true;
    at += element.n;
  }
  return false;
}

const char *one_value_example(const struct pmon_metric_info *m, char *text, size_t size)
{
  snprintf(text, size, "%s.%u", m->name, m->param_lo + (m->param_hi - m->param_lo) / 2);
  return text;
}

void one_value_warn(const struct cli *cli, const char *list)
{
  struct pmon_metric_info m = {.size = sizeof m};
  char *const names = list[strcspn(list, "*?[")] ? names_of(cli, list) : NULL;
  char left[400] = "", example[128] = "";
  for (uint32_t i = 0; names && pmon_metric_describe(cli->platform, i, &m) == PMON_OK; i++) {
    const size_t n = strlen(left);
    if (!pmon_metric_takes_one_value(cli->platform, i) || *m.stale || !is_matched(list, &m) ||
        has_metric(names, m.name))
      continue;
    snprintf(left + n, sizeof left - n, "%s%s", n ? ", " : "", m.name);
    if (!*example)
      one_value_example(&m, example, sizeof example);
  }
  if (*left)
    cli_note(cli, "omitted, because each of them needs one value per session (for example -m %s): %s", example, left);
  free(names);
}
