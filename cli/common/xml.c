/* SPDX-License-Identifier: MIT */
#include "cli/common/xml.h"

static void xml_text(struct out *out, const char *text)
{
  static const struct {
    char c;
    const char *is;
  } escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\n', "&#10;"}};
  for (; *text; text++) {
    const char *is = NULL;
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
      if (escapes[i].c == *text)
        is = escapes[i].is;
    if (is)
      out_text(out, is);
    else
      out_char(out, (unsigned char)*text < ' ' ? '?' : *text);
  }
}

void xml_attribute(struct out *out, const char *name, const char *value)
{
  out_char(out, ' ');
  out_text(out, name);
  out_text(out, "=\"");
  xml_text(out, value);
  out_char(out, '"');
}

void xml_element(struct out *out, const char *element, const char *message, const char *text)
{
  out_char(out, '<');
  out_text(out, element);
  if (message)
    xml_attribute(out, "message", message);
  out_char(out, '>');
  xml_text(out, text);
  out_text(out, "</");
  out_text(out, element);
  out_char(out, '>');
}
