/* SPDX-License-Identifier: MIT */
#include "cli/stat/separator.h"

#include <stdlib.h>
#include <string.h>

/* Letters, digits and signs are parts of values and names. */
static bool separator_is_usable(const char *text)
{
  for (; *text; text++) {
    const unsigned char c = (unsigned char)*text;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || strchr("\"+-._", c) || (c < ' ' && c != '\t') || c == 127)
      return false;
  }
  return true;
}

int separator_take(const struct cli *cli, struct separator *s, const char *option, const char *text)
{
  const char *const is = strcmp(text, "\\t") ? text : "\t";
  const size_t n = strlen(is);
  if (!n || n > SEPARATOR_MOST || !separator_is_usable(is))
    return cli_fail_value(cli, option, text,
                          "1 to 8 characters that separate columns, such as ';', ':' or '\\t'; no letters, digits, "
                          "quotes, or signs of numbers");
  memcpy(s->text, is, n + 1);
  return CLI_DONE;
}

/* Whether a field can be taken for more than one, or for a part of one. Any character of the separator is sufficient:
 * the end of a field and the beginning of the separator may look like a separator, too. */
static bool separator_needs_quotes(const struct separator *s)
{
  return s->field.n && (strpbrk(s->field.data, s->text) || strpbrk(s->field.data, "\"\r\n"));
}

static void separator_end_field(struct separator *s)
{
  const bool quotes = separator_needs_quotes(s);
  if (quotes)
    buffer_add_bytes(&s->lines, "\"", 1);
  for (size_t i = 0; i < s->field.n; i++)
    buffer_add_bytes(&s->lines, s->field.data[i] == '"' ? "\"\"" : &s->field.data[i], s->field.data[i] == '"' ? 2 : 1);
  if (quotes)
    buffer_add_bytes(&s->lines, "\"", 1);
  s->field.n = 0;
  s->quoted = s->closing = false;
}

static void separator_take_byte(struct separator *s, char c)
{
  if (c == '"' && !s->quoted) {
    s->quoted = true;
  } else if (c == '"' && !s->closing) {
    s->closing = true;
  } else if (c == ',' && s->quoted == s->closing) {
    separator_end_field(s);
    buffer_add_bytes(&s->lines, s->text, strlen(s->text));
  } else if ((c == '\r' || c == '\n') && s->quoted == s->closing) {
    if (s->field.n || s->quoted)
      separator_end_field(s);
    buffer_add_bytes(&s->lines, &c, 1);
  } else {
    buffer_add_bytes(&s->field, &c, 1);
    s->closing = false;
  }
}

int separator_write(struct separator *s, const char *bytes, size_t n, pmon_sink sink, void *user)
{
  for (size_t i = 0; i < n; i++)
    separator_take_byte(s, bytes[i]);
  if (s->field.failed || s->lines.failed)
    return PMON_E_MEMORY;
  const int status = s->lines.n ? sink(user, s->lines.data, s->lines.n) : 0;
  s->lines.n = 0;
  return status;
}

void separator_fini(struct separator *s)
{
  free(s->field.data);
  free(s->lines.data);
  *s = (struct separator){0};
}
