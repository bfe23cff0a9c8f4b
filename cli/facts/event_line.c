/* SPDX-License-Identifier: MIT */
#include "cli/facts/event_line.h"
#include <stdio.h>
#include <string.h>
#include "cli/facts/describe.h"

enum { CODES = 21, MASK = 3, MEANING = 4 }; /* columns of the codes, of most counters, and before a meaning below */

/* Formats code, umask and extension: 0x35 0x01+0xc817fe. */
static void event_line_codes(const struct pmon_event_info *e, char text[64])
{
  static const char *const kinds[] = {"", "fixed counter", "free-running"};
  if (e->kind != PMON_EVENT_PROGRAMMED)
    snprintf(text, 64, "%s", kinds[e->kind]);
  else if (e->ext)
    snprintf(text, 64, "0x%02x 0x%02x+0x%llx", e->code, (unsigned)e->umask_value, (unsigned long long)e->ext);
  else
    snprintf(text, 64, "0x%02x 0x%02x", e->code, (unsigned)e->umask_value);
}

/* Formats the other fields that the row sets: ev_sel_ext=0x1,MATCH0.MC=0xe. */
static void event_line_fields(const struct pmon_event_info *e, const char *separator, char *text, size_t size)
{
  size_t n = 0;
  *text = 0;
  for (uint32_t i = 0; i < e->n_fields && n < size; i++)
    n += (size_t)snprintf(text + n, size - n, "%s%s=0x%llx", i ? separator : "", e->fields[i].name,
                          (unsigned long long)e->fields[i].value);
}

/* Writes all columns in one line of any length, for scripts. */
static void event_line_write_long(struct out *o, const struct pmon_event_info *e)
{
  char codes[64], fields[256], text[sizeof codes + sizeof fields];
  event_line_codes(e, codes);
  event_line_fields(e, ",", fields, sizeof fields);
  snprintf(text, sizeof text, "%s%s%s", codes, *fields ? " " : "", fields);
  out_padded(o, text, CODES);
  if (strlen(text) >= CODES)
    out_char(o, ' ');
  if (e->kind == PMON_EVENT_PROGRAMMED)
    out_mask(o, e->counters);
  out_text(o, "  ");
  out_text(o, *e->brief ? e->brief : "-");
  out_char(o, '\n');
}

size_t event_line_name_width(size_t widest, unsigned width)
{
  enum { LONGEST = 64, COUNTERS = sizeof "counters" - 1 };
  const size_t most = width && width < EVENT_LINE_NARROW ? width - CODES - COUNTERS : LONGEST;
  return widest < most ? widest : most;
}

void event_line_header(struct out *o, size_t name_width, unsigned width)
{
  const bool narrow = width && width < EVENT_LINE_NARROW;
  out_style(o, OUT_DIM);
  out_padded(o, "event", narrow ? name_width : name_width + 1);
  out_padded(o, "code umask", CODES);
  out_text(o, narrow ? "counters" : "counters: meaning");
  out_style(o, OUT_PLAIN);
  out_char(o, '\n');
}

void event_line_write(struct out *o, const struct pmon_event_info *e, size_t name_width, unsigned width)
{
  const bool narrow = width && width < EVENT_LINE_NARROW;
  const size_t n = describe_event_name_length(e), column = narrow ? name_width : name_width + 1;
  char text[64], meaning[1024];
  out_style(o, OUT_NAME);
  describe_event_name(o, e);
  out_style(o, OUT_PLAIN);
  if (!width) {
    out_repeat(o, ' ', n < name_width ? column - n : 1);
    event_line_write_long(o, e);
    return;
  }
  if (n >= column)
    out_char(o, '\n');
  out_repeat(o, ' ', n < column ? column - n : column);
  event_line_codes(e, text);
  out_padded(o, text, CODES);
  const size_t mask = e->kind == PMON_EVENT_PROGRAMMED ? out_mask(o, e->counters) : 0;
  event_line_fields(e, ", ", meaning, sizeof meaning);
  const size_t fields = strlen(meaning);
  snprintf(meaning + fields, sizeof meaning - fields, "%s%s", fields ? ": " : "", *e->brief ? e->brief : "-");
  if (narrow) {
    out_char(o, '\n');
    out_repeat(o, ' ', MEANING);
    out_wrapped(o, meaning, MEANING, width);
    return;
  }
  out_repeat(o, ' ', 2 + (mask < MASK ? MASK - mask : 0));
  out_wrapped_from(o, meaning, column + CODES + (mask < MASK ? MASK : mask) + 2, column + CODES + MASK + 2, width);
}
