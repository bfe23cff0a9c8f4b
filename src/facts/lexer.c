/* SPDX-License-Identifier: MIT */
/* Reads the words of lines: names, numbers, pairs, texts; and reports what was expected. */
#include "src/facts/parser.h"

enum {
  MAX_NAME = 127, /* it makes one text with a unit's and a umask's */
  MAX_NAMES = 255 /* together; they are searched in order */
};

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct parser *p)
{
  while (p->rest.n && is_blank(*p->rest.s))
    p->rest.s++, p->rest.n--;
}

struct facts_pos parse_pos(const struct parser *p)
{
  return (struct facts_pos){p->file, p->line, p->w.column};
}

int parse_fail(struct parser *p, int status, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  builder_vfail(p->b, status, parse_pos(p), format, ap);
  va_end(ap);
  return status;
}

/* Whether the line has another word. A word that begins with '#' ends the line, as a comment. */
bool parse_more(struct parser *p)
{
  skip_blanks(p);
  return p->rest.n && *p->rest.s != '#';
}

static int quoted_word(struct parser *p)
{
  size_t n = 0, i = 1;
  for (; i < p->rest.n && p->rest.s[i] != '"'; i++) {
    if (p->rest.s[i] == '\\' && i + 1 < p->rest.n)
      i++;
    if (n == sizeof p->quoted)
      return parse_fail(p, PMON_E_SYNTAX, "a quoted word of at most %zu characters expected", sizeof p->quoted);
    p->quoted[n++] = p->rest.s[i];
  }
  if (i >= p->rest.n)
    return parse_fail(p, PMON_E_SYNTAX, "closing quote expected");
  p->w.t = (struct text){p->quoted, n};
  p->rest.s += i + 1, p->rest.n -= i + 1;
  return 0;
}

int parse_word(struct parser *p, const char *expected)
{
  bool more = parse_more(p);
  p->w.column = (uint32_t)(p->rest.s - p->line_start) + 1;
  if (!more) {
    p->w.t = (struct text){"", 0};
    return parse_fail(p, PMON_E_SYNTAX, "%s expected, the line ends", expected);
  }
  if (*p->rest.s == '"')
    return quoted_word(p);
  size_t n = 0;
  while (n < p->rest.n && !is_blank(p->rest.s[n]))
    n++;
  p->w.t = (struct text){p->rest.s, n};
  p->rest.s += n, p->rest.n -= n;
  return 0;
}

int parse_number(struct parser *p, const char *expected, uint64_t max, uint64_t *ret_value)
{
  int status = parse_word(p, expected);
  if (status)
    return status;
  if (!text_number(p->w.t, ret_value))
    return parse_fail(p, PMON_E_SYNTAX, "%s expected, not '%.*s'", expected, (int)p->w.t.n, p->w.t.s);
  if (*ret_value > max)
    return parse_fail(p, PMON_E_RANGE, "%s of at most %llu expected", expected, (unsigned long long)max);
  return 0;
}

int parse_name(struct parser *p, const char *expected, db_str *ret_name)
{
  int status = parse_word(p, expected);
  if (status)
    return status;
  *ret_name = builder_intern(p->b, p->w.t);
  return *ret_name ? 0 : parse_fail(p, PMON_E_SYNTAX, "%s expected", expected);
}

int parse_names(struct parser *p, const char *expected, db_str *ret_names)
{
  int status = parse_name(p, expected, ret_names);
  if (!status && p->w.t.n > MAX_NAMES)
    return parse_fail(p, PMON_E_RANGE, "names of at most %d characters in all expected, these have %zu", MAX_NAMES,
                      p->w.t.n);
  return status;
}

int parse_new_name(struct parser *p, const char *expected, db_str *ret_name)
{
  int status = parse_name(p, expected, ret_name);
  const struct text t = p->w.t;
  if (!status && t.n > MAX_NAME)
    return parse_fail(p, PMON_E_RANGE, "%s of at most %d characters expected, this one has %zu", expected, MAX_NAME,
                      t.n);
  for (size_t i = 0; !status && i < t.n; i++)
    if ((unsigned char)t.s[i] <= ' ' || t.s[i] == 0x7f || strchr("/,={}()|~`\"", t.s[i]))
      status = parse_fail(p, PMON_E_SYNTAX, "%s without blanks and / , = { } ( ) | ~ ` expected, not '%.*s'", expected,
                          (int)t.n, t.s);
  return status;
}

int parse_free_line(struct parser *p, const char *expected, struct text *ret_text)
{
  skip_blanks(p);
  p->w.column = (uint32_t)(p->rest.s - p->line_start) + 1;
  while (p->rest.n && is_blank(p->rest.s[p->rest.n - 1]))
    p->rest.n--;
  if (!p->rest.n)
    return parse_fail(p, PMON_E_SYNTAX, "%s expected, the line ends", expected);
  *ret_text = p->rest;
  p->rest.s += p->rest.n, p->rest.n = 0;
  return 0;
}

int parse_free_text(struct parser *p, const char *expected, db_str *ret_text)
{
  struct text text;
  int status = parse_free_line(p, expected, &text);
  if (status)
    return status;
  *ret_text = builder_intern(p->b, text);
  return p->b->no_memory ? PMON_E_MEMORY : 0;
}

int parse_end(struct parser *p)
{
  if (!parse_more(p))
    return 0;
  int status = parse_word(p, "a word");
  return status ? status : parse_fail(p, PMON_E_SYNTAX, "end of line expected, not '%.*s'", (int)p->w.t.n, p->w.t.s);
}

bool parse_pair(const struct word *w, struct text *ret_key, struct text *ret_value)
{
  const char *eq = memchr(w->t.s, '=', w->t.n);
  if (!eq || eq == w->t.s)
    return false;
  *ret_key = (struct text){w->t.s, (size_t)(eq - w->t.s)};
  *ret_value = (struct text){eq + 1, w->t.n - ret_key->n - 1};
  return true;
}

/* `0-3`, `0,2-3`, `-` for none. */
int parse_counters(struct parser *p, uint32_t *ret_mask)
{
  int status = parse_word(p, "list of counters");
  if (status)
    return status;
  uint32_t mask = 0;
  struct text t = p->w.t;
  if (text_is(t, "-")) {
    *ret_mask = 0;
    return 0;
  }
  for (size_t at = 0; at <= t.n;) {
    size_t n = 0;
    while (at + n < t.n && t.s[at + n] != ',')
      n++;
    const char *dash = memchr(t.s + at, '-', n);
    size_t low = dash ? (size_t)(dash - (t.s + at)) : n;
    uint64_t first, last;
    bool good = text_number((struct text){t.s + at, low}, &first);
    last = first;
    good = good && (!dash || text_number((struct text){dash + 1, n - low - 1}, &last));
    if (!good || last < first || last > 31)
      return parse_fail(p, PMON_E_SYNTAX, "list of counters such as 0-3 or 0,2-3 expected, not '%.*s'", (int)t.n, t.s);
    for (uint64_t i = first; i <= last; i++)
      mask |= 1u << i;
    at += n + 1;
  }
  *ret_mask = mask;
  return 0;
}
