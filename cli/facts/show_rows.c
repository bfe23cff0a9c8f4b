/* SPDX-License-Identifier: MIT */
#include "cli/facts/show_rows.h"
#include <stdio.h>
#include <string.h>
#include "cli/common/event_name.h"
#include "cli/facts/describe.h"

void show_rows_counters(struct cli *cli, const struct pmon_event_info *e, uint32_t unit)
{
  struct pmon_event_cursor c = {0};
  struct pmon_event_info row = {.size = sizeof row};
  struct pmon_unit_info u = {.size = sizeof u};
  bool code = e->kind == PMON_EVENT_PROGRAMMED, counters = code;
  char text[256];
  while (pmon_event_next(cli->platform, unit, &c, &row))
    if (strcmp(row.event, e->event) == 0) {
      code &= row.code == e->code;
      counters &= row.counters == e->counters;
    }
  if (code)
    describe_format(&cli->out, "selected by", "event 0x%02x", e->code);
  if (counters && pmon_unit_describe(cli->platform, unit, &u) == PMON_OK) {
    describe_mask(e->counters, text, sizeof text);
    describe_format(&cli->out, "counters", "%s of %u, %u bit", text, u.counters, u.width_bits);
  }
}

void show_rows_umasks(struct cli *cli, const struct pmon_event_info *e, uint32_t unit)
{
  struct pmon_event_cursor c = {0};
  struct pmon_event_info u = {.size = sizeof u};
  bool any = false;
  while (pmon_event_next(cli->platform, unit, &c, &u)) {
    if (strcmp(u.event, e->event) != 0 || !u.umask)
      continue;
    if (!any)
      out_text(&cli->out, "  umasks\n");
    any = true;
    out_text(&cli->out, "    ");
    out_style(&cli->out, OUT_NAME);
    out_padded(&cli->out, u.umask, 28);
    out_style(&cli->out, OUT_PLAIN);
    char code[48];
    snprintf(code, sizeof code, u.ext ? " 0x%02x+0x%llx" : " 0x%02x", (unsigned)u.umask_value,
             (unsigned long long)u.ext);
    out_padded(&cli->out, code, 18);
    struct pmon_event_cursor at = c;
    at.umask--; /* the cursor is after the row that was returned */
    out_wrapped(&cli->out,
                u.is_default ? "(the default: the name without a umask)" : pmon_event_umask_brief(cli->platform, &at),
                52, cli_width());
  }
}

void show_rows_elsewhere(struct cli *cli, const struct pmon_event_info *e)
{
  struct pmon_unit_info u = {.size = sizeof u};
  struct pmon_event *event;
  char text[512] = "", name[160];
  size_t n = 0;
  for (uint32_t i = 0; pmon_unit_describe(cli->platform, i, &u) == PMON_OK; i++) {
    event_name_format(u.name, e, name, sizeof name);
    if (!u.instances || n >= sizeof text || pmon_event_resolve(cli->context, cli->platform, name, &event) != PMON_OK)
      continue;
    pmon_event_free(event);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? ", " : "", name);
  }
  if (n)
    describe_line(&cli->out, "counted as", text);
  else
    describe_format(&cli->out, "not counted", "the register addresses of %s are not documented", e->unit);
}
