/* SPDX-License-Identifier: MIT */
#include "src/facts/compose.h"
#include <string.h>
#include "src/base/writer.h"

#define LONGEST_SENTENCE 1024 /* bytes; a longer one is cut */

static bool is_sentence(const char *text)
{
  size_t n = strlen(text);
  return n && text[n - 1] == '.';
}

/* The length of the event's first clause; *ret_rest: what follows it, or "". */
static size_t compose_split(const char *event, const char **ret_rest)
{
  size_t end = strlen(event), n = 0;
  if (is_sentence(event))
    end--;
  while (n < end && !((event[n] == ':' || event[n] == ';' || event[n] == '.') && event[n + 1] == ' '))
    n++;
  *ret_rest = n < end ? event + n + 2 : "";
  for (size_t i = n; i > 5; i--)
    if (event[i - 1] == ',') {
      if (!strncmp(event + i, " by ", 4))
        n = i - 1;
      break;
    }
  return n;
}

/* Writes a text with a capital first letter. A first word with capitals or digits (tRCD, msg2) is a name and stays. */
static void write_capital(struct writer *w, const char *text)
{
  bool plain = *text >= 'a' && *text <= 'z';
  for (const char *s = text; plain && *s && *s != ' '; s++)
    plain = !((*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') || *s == '_');
  write_char(w, plain ? (char)(*text - 'a' + 'A') : *text);
  write_text(w, text + 1);
}

size_t compose_sentence(char *text, size_t size, const char *event, const char *const *umasks, size_t n)
{
  struct writer w = {text, size, 0};
  const char *rest = "";
  if (n && is_sentence(umasks[0])) {
    write_text(&w, umasks[0]);
  } else {
    write_bytes(&w, event, compose_split(event, &rest));
    for (size_t i = 0; i < n; i++) {
      write_text(&w, i ? " + " : ": ");
      write_text(&w, umasks[i]);
    }
    write_char(&w, '.');
  }
  for (size_t i = 1; i < n && is_sentence(umasks[0]); i++) {
    write_char(&w, ' ');
    write_capital(&w, umasks[i]);
    write_text(&w, is_sentence(umasks[i]) ? "" : ".");
  }
  if (*rest) {
    write_char(&w, ' ');
    write_capital(&w, rest);
    write_text(&w, is_sentence(rest) ? "" : ".");
  }
  return write_end(&w);
}

void compose_umasks(struct builder *b)
{
  char text[LONGEST_SENTENCE];
  for (uint32_t e = 0; e < build_count(b, ROWS_events); e++) {
    const struct db_event event = *build_events(b, e);
    for (uint32_t u = event.umasks.first; u < event.umasks.first + event.umasks.n; u++) {
      const char *umask = build_text(b, build_umasks(b, u)->brief);
      const size_t n = compose_sentence(text, sizeof text, build_text(b, event.brief), &umask, 1);
      build_umasks(b, u)->sentence = builder_intern(b, (struct text){text, n < sizeof text ? n : sizeof text - 1});
    }
  }
}
