/* SPDX-License-Identifier: MIT */
#include "cli/facts/event_line.h"
#include <string.h>
#include "cli/facts/describe.h"

/* Writes code, umask and extension (0x35 0x01+0xc817fe), then the other fields that the row sets (0x00 0x02
 * ev_sel_ext=0x1). */
static void event_line_code(struct out *o, const struct pmon_event_info *e)
{
  static const char *const kinds[] = {"", "fixed counter", "free-running"};
  char text[256];
  size_t n;
  if (e->kind != PMON_EVENT_PROGRAMMED)
    snprintf(text, sizeof text, "%s", kinds[e->kind]);
  else if (e->ext)
    snprintf(text, sizeof text, "0x%02x 0x%02x+0x%llx", e->code, (unsigned)e->umask_value, (unsigned long long)e->ext);
  else
    snprintf(text, sizeof text, "0x%02x 0x%02x", e->code, (unsigned)e->umask_value);
  n = strlen(text);
  for (uint32_t i = 0; i < e->n_fields && n < sizeof text; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s=0x%llx", i ? "," : " ", e->fields[i].name,
                          (unsigned long long)e->fields[i].value);
  out_padded(o, text, 21);
  if (strlen(text) >= 21)
    out_char(o, ' ');
}

void event_line_header(struct out *o, size_t name_width, unsigned width)
{
  const bool narrow = width && width < EVENT_LINE_NARROW;
  out_style(o, OUT_DIM);
  out_padded(o, "event", narrow ? name_width : name_width + 1);
  out_padded(o, "code umask", 21);
  out_text(o, narrow ? "counters" : "counters: meaning");
  out_style(o, OUT_PLAIN);
  out_char(o, '\n');
}

void event_line_write(struct out *o, const struct pmon_event_info *e, size_t name_width, unsigned width)
{
  size_t n = describe_event_name_length(e);
  out_style(o, OUT_NAME);
  describe_event_name(o, e);
  out_style(o, OUT_PLAIN);
  if (width && width < EVENT_LINE_NARROW) {
    out_repeat(o, ' ', n < name_width ? name_width - n : 1);
    event_line_code(o, e);
    if (e->kind == PMON_EVENT_PROGRAMMED)
      out_mask(o, e->counters);
    out_text(o, "\n    ");
    out_wrapped(o, *e->brief ? e->brief : "-", 4, width);
    return;
  }
  out_repeat(o, ' ', n < name_width ? name_width - n + 1 : 1);
  event_line_code(o, e);
  if (e->kind == PMON_EVENT_PROGRAMMED)
    out_mask(o, e->counters);
  out_text(o, "  ");
  out_wrapped(o, *e->brief ? e->brief : "-", (n < name_width ? name_width : n) + 27, width);
}
