/* SPDX-License-Identifier: MIT */
#include "cli/stat/times.h"

#include <stdlib.h>
#include <string.h>
#include "src/base/real.h"

bool stat_time_read(const char *text, uint64_t *ret_ns)
{
  static const struct {
    const char *name;
    double ns;
  } units[] = {{"", 1e6}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  char *end;
  double v = real_parse(text, &end);
  for (size_t i = 0; end != text && i < sizeof units / sizeof *units; i++)
    if (!strcmp(end, units[i].name) && v * units[i].ns >= 1 && v * units[i].ns <= 1e15) {
      *ret_ns = (uint64_t)(v * units[i].ns + 0.5); /* 1.001 * 1e6 is a little less than 1001000 */
      return true;
    }
  return false;
}

int stat_time_parse(const struct cli *cli, const char *option, const char *value, uint64_t *ret_ns)
{
  return stat_time_read(value, ret_ns) ? CLI_DONE : cli_fail_value(cli, option, value, STAT_TIME_FORM);
}

int stat_times_parse_every(struct cli *cli, const struct hardware *h, struct stat_wanted *w, struct stat_times *t,
                           const char *value)
{
  char *end;
  t->every_count = strtoull(value, &end, 10);
  if (end == value || *value == '-' || *end != ',' || !t->every_count)
    return cli_fail_value(cli, "--every", value, "N,EVENT");
  const char *const name = end + 1;
  int result = stat_wanted_add(cli, h, w, 'e', name);
  if (result != CLI_DONE)
    return result;
  struct pmon_event *event;
  if (pmon_event_resolve(cli->context, cli->platform, name, &event))
    return cli_fail_context(cli, name);
  for (t->every_event = 0; strcmp(pmon_event_name(pmon_plan_event(w->plan, t->every_event)), pmon_event_name(event));)
    t->every_event++;
  pmon_event_free(event);
  return CLI_DONE;
}
