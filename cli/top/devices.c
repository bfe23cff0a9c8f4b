/* SPDX-License-Identifier: MIT */
/* Draws I/O devices: those at the ports of I/O stacks, with the values of these ports. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/top/view.h"

enum { TEXT = 256, VALUE = 13 };

/* Whether a row is of the ports that a device is behind. */
static bool view_is_behind(const struct pmon_device *device, const struct top_row *row)
{
  return row->of && row->package == device->package && row->instance == device->instance &&
         !strcmp(row->of, device->unit) && row->ports &&
         (device->port == PMON_ALL ? (row->ports & (row->ports - 1)) != 0
                                   : device->port < 32 && row->ports >> device->port & 1);
}

const struct pmon_device *view_device(const struct top *t, const char *unit, uint32_t package, uint32_t at)
{
  const struct device_list *list = &t->stat.devices;
  for (uint32_t i = 0; i < list->n; i++)
    if (list->devices[i].package == package && !strcmp(list->devices[i].unit, unit) && !at--)
      return &list->devices[i];
  return NULL;
}

static void view_format_device(const struct pmon_device *device, char *text, size_t size)
{
  char port[16] = "";
  if (device->port < 26)
    snprintf(port, sizeof port, ", port %c", 'A' + device->port);
  snprintf(text, size, "%s %s (socket %u, stack %u%s)", device->address, device->name ? device->name : "",
           device->package, device->instance, port);
}

/* Describes what is missing for values of devices, and the remedy. Returns NULL if nothing is missing. */
static const char *missing_of(const struct top *t, bool any_port)
{
  if (!t->stat.devices.n)
    return t->path                ? "the source contains no device names"
           : !t->stat.source.host ? "the emulated machine has no named devices: `device` lines of a scenario name them"
           : t->stat.devices.denied
               ? "the kernel does not name the root buses of I/O stacks; root (CAP_SYS_ADMIN) can read them"
               : "no device is behind a root bus whose I/O stack is known";
  return any_port ? NULL : "no value is counted at ports of I/O stacks: start pmon top with -g IO_PORTS";
}

/* Draws, below a device, the values of its ports that were above 0 or are missing. Returns the next line. */
static int draw_values(struct top *t, const struct pmon_device *device, double most, int line, int end)
{
  char text[TEXT], value[PMON_REPORT_TEXT];
  const int first = line;
  for (uint32_t i = 0; i < t->history.n && line < end; i++) {
    const struct top_row *row = &t->history.rows[i];
    if (!view_is_behind(device, row) || (row->most <= 0 && history_shown(row)))
      continue;
    view_value(row, value, sizeof value);
    snprintf(text, sizeof text, "  %-34s %*s", row->name, VALUE, value);
    view_draw_bar(t, row, most, line++, text);
  }
  if (line == first && line < end)
    screen_text(t->screen, line++, 1, (int)sizeof text, SCREEN_DIM, "  no traffic so far");
  return line;
}

void view_draw_devices(struct top *t, int lines, int columns)
{
  const struct device_list *list = &t->stat.devices;
  char text[TEXT];
  bool any_port = false;
  uint32_t skipped = 0;
  double most = 0; /* common to all devices, so that their bars can be compared */
  int line = 3;
  screen_text(t->screen, 1, 1, columns, SCREEN_BOLD, "I/O devices");
  for (uint32_t i = 0; i < t->history.n; i++)
    if (t->history.rows[i].ports && t->history.rows[i].instance != PMON_ALL) {
      any_port = true;
      most = fmax(most, t->history.rows[i].most);
    }
  const char *missing = missing_of(t, any_port);
  if (missing)
    screen_text(t->screen, line++, 1, columns - 1, SCREEN_DIM, missing);
  for (uint32_t d = 0; d < list->n; d++) {
    if (line >= lines - 2) {
      skipped++;
      continue;
    }
    view_format_device(&list->devices[d], text, sizeof text);
    screen_text(t->screen, line++, 1, columns - 1, SCREEN_BOLD, text);
    if (any_port)
      line = draw_values(t, &list->devices[d], most, line, lines - 2);
  }
  if (skipped) {
    snprintf(text, sizeof text, "and %u more: enlarge the terminal, or use pmon stat --by device", skipped);
    screen_text(t->screen, lines - 2, 1, columns, SCREEN_WARN, text);
  }
}
