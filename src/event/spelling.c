/* SPDX-License-Identifier: MIT */
#include "src/base/text.h"
#include "src/event/spelling.h"
#include "src/platform/context.h"

/* Classes of characters in event texts. The end of the text is a class, so that no loop needs a separate test for
 * it. */
enum class { END = 1, BLANK = 2, COMMA = 4, SLASH = 8, COLON = 16, OPEN = 32, CLOSE = 64, EQUALS = 128, DOT = 256 };
#define WORD_END (END | BLANK)

static const uint16_t class_of[256] = {
    [0] = END,     [' '] = BLANK, ['\t'] = BLANK, [','] = COMMA,  ['/'] = SLASH,
    [':'] = COLON, ['{'] = OPEN,  ['}'] = CLOSE,  ['='] = EQUALS, ['.'] = DOT,
};

struct scanner {
  struct pmon_context *context;
  struct spelling *s;
  const char *at;
};

static inline unsigned class_at(const char *at)
{
  return class_of[(uint8_t)*at];
}

static const char *after_blanks(const char *at)
{
  while (class_at(at) == BLANK)
    at++;
  return at;
}

static bool is_end(const char *at)
{
  return class_at(after_blanks(at)) == END;
}

static int spelling_fail(struct scanner *in, const char *at, const char *expected)
{
  uint32_t column = spelling_column(in->s, at);
  size_t n = strlen(at);
  while (n && class_at(at + n - 1) == BLANK)
    n--;
  if (n)
    return context_fail_at(in->context, PMON_E_SYNTAX, column, ", at \"%.*s\": %s", (int)(n < 24 ? n : 24), at,
                           expected);
  return context_fail_at(in->context, PMON_E_SYNTAX, column, ", at the end: %s", expected);
}

/* Takes the characters up to one of `stops`, a blank or the end. */
static inline struct text take_until(struct scanner *in, unsigned stops)
{
  const char *begin = in->at, *at = begin;
  while (!(class_at(at) & (stops | WORD_END)))
    at++;
  in->at = at;
  return (struct text){begin, (size_t)(at - begin)};
}

/* Reads key[=value] up to one of `stops`; if `dotted`, reg is the part before the key's last dot. */
static int read_attr(struct scanner *in, unsigned stops, bool dotted)
{
  if (in->s->n_attrs == SPELLING_ATTRS)
    return spelling_fail(in, in->at, "too many attributes");
  struct spelling_attr *a = &in->s->attrs[in->s->n_attrs];
  const char *dot = NULL;
  a->reg = a->value = (struct text){NULL, 0};
  a->part = false;
  const char *at = in->at;
  for (; !(class_at(at) & (stops | EQUALS | WORD_END)); at++)
    if (class_at(at) == DOT)
      dot = at;
  a->key = (struct text){in->at, (size_t)(at - in->at)};
  in->at = at;
  if (class_at(at) == EQUALS) {
    in->at++;
    a->value = take_until(in, stops);
    if (!a->value.n)
      return spelling_fail(in, a->value.s, "a value is expected after \"=\"");
  }
  if (!a->key.n)
    return spelling_fail(in, a->key.s, "the name of an attribute is expected");
  if (dotted && dot) {
    a->reg = (struct text){a->key.s, (size_t)(dot - a->key.s)};
    a->key = (struct text){dot + 1, a->key.n - a->reg.n - 1};
    if (!a->key.n)
      return spelling_fail(in, dot + 1, "the name of a field is expected after \".\"");
  }
  in->s->n_attrs++;
  return PMON_OK;
}

/* Reads items separated by commas, up to `close` (0: the end of the word). */
static int read_attrs(struct scanner *in, unsigned close)
{
  for (;;) {
    in->at = after_blanks(in->at);
    int status = read_attr(in, COMMA | close, true);
    if (status)
      return status;
    if (close)
      in->at = after_blanks(in->at);
    if (class_at(in->at) != COMMA)
      return PMON_OK;
    in->at++;
  }
}

static int read_braces(struct scanner *in)
{
  const char *open = in->at++;
  int status = read_attrs(in, CLOSE);
  if (status)
    return status;
  if (is_end(in->at))
    return spelling_fail(in, open, "this brace is not closed");
  in->at++;
  return PMON_OK;
}

/* Reads {..} and with:.. after the event, up to the text's end. */
static int read_tails(struct scanner *in)
{
  for (;;) {
    in->at = after_blanks(in->at);
    int status;
    if (class_at(in->at) == END)
      return PMON_OK;
    if (class_at(in->at) == OPEN) {
      status = read_braces(in);
    } else if (text_same(in->at, "with:", 5) && !is_end(in->at + 5)) {
      in->at += 5;
      status = read_attrs(in, 0);
    } else {
      return spelling_fail(
          in, in->at, "expected the end of the event; attributes go between the slashes: unit/EVENT,attribute=value/");
    }
    if (status)
      return status;
  }
}

/* Reads one of the lists in {KEY,KEY}={VALUE,VALUE}: the keys become attributes, the values are theirs in order. */
static int read_list(struct scanner *in, uint32_t first, bool keys)
{
  struct spelling *s = in->s;
  for (uint32_t i = first;; i++) {
    in->at = after_blanks(in->at + 1);
    if (keys ? i == SPELLING_ATTRS : i == s->n_attrs)
      return spelling_fail(in, in->at, keys ? "too many attributes" : "as many values as attributes are expected");
    const struct text word = take_until(in, COMMA | CLOSE);
    if (!word.n)
      return spelling_fail(in, in->at, keys ? "the name of an attribute is expected" : "a value is expected");
    if (keys)
      s->attrs[s->n_attrs++] = (struct spelling_attr){.key = word};
    else
      s->attrs[i].value = word;
    in->at = after_blanks(in->at);
    if (class_at(in->at) == COMMA)
      continue;
    if (class_at(in->at) != CLOSE || (!keys && i + 1 != s->n_attrs))
      return spelling_fail(in, in->at, "as many values as attributes are expected, in braces");
    in->at++;
    return PMON_OK;
  }
}

/* Reads {KEY,KEY}={VALUE,VALUE}, as the guides write several attributes of an event. */
static int read_pairs(struct scanner *in)
{
  const uint32_t first = in->s->n_attrs;
  int status = read_list(in, first, true);
  if (status)
    return status;
  if (class_at(in->at) != EQUALS || class_at(in->at + 1) != OPEN)
    return spelling_fail(in, in->at, "values in braces are expected: {umask,opc}={0x1c,1}");
  in->at++;
  return read_list(in, first, false);
}

/* Reads EVENT[.UMASK] up to one of `stops`. */
static int read_name(struct scanner *in, unsigned stops)
{
  struct spelling *s = in->s;
  const char *begin = in->at, *at = begin, *dot = NULL;
  while (!(class_at(at) & (stops | DOT | WORD_END)))
    at++;
  if (class_at(at) == DOT)
    for (dot = at; !(class_at(at) & (stops | WORD_END)); at++)
      ;
  in->at = at;
  s->event = (struct text){begin, (size_t)((dot ? dot : in->at) - begin)};
  if (in->at == begin)
    return spelling_fail(in, begin, "the name of an event is expected");
  if (dot && dot + 1 == in->at && class_at(in->at) == OPEN)
    return read_pairs(in);
  if (dot) {
    s->umask = (struct text){dot + 1, (size_t)(in->at - dot - 1)};
    s->has_umask = true;
    if (!s->umask.n)
      return spelling_fail(in, in->at, "the name of a umask is expected after \".\"");
  }
  return PMON_OK;
}

/* Whether the first item between the slashes is an attribute and not a name: it has an equals sign. */
static bool is_attr(const char *at)
{
  while (!(class_at(at) & (COMMA | SLASH | OPEN | EQUALS | END)))
    at++;
  return class_at(at) == EQUALS;
}

/* Reads the text between the slashes. */
static int read_body(struct scanner *in)
{
  in->at = after_blanks(in->at);
  const char *begin = in->at;
  int status = read_name(in, COMMA | SLASH | OPEN | EQUALS);
  if (class_at(in->at) != SLASH && is_attr(in->at)) {
    in->at = begin;
    in->s->event = in->s->umask = (struct text){begin, 0};
    in->s->has_umask = false;
    return read_attrs(in, SLASH);
  }
  if (!status && class_at(in->at) == OPEN)
    status = read_braces(in);
  in->at = after_blanks(in->at);
  if (status || class_at(in->at) != COMMA)
    return status;
  in->at++;
  if (class_at(in->at) == SLASH || is_end(in->at)) /* perf allows a comma after the last item */
    return PMON_OK;
  return read_attrs(in, SLASH);
}

static int read_parts(struct scanner *in)
{
  while (class_at(in->at) == COLON) {
    in->at++;
    int status = read_attr(in, COLON | OPEN | COMMA, false);
    if (status)
      return status;
    in->s->attrs[in->s->n_attrs - 1].part = true;
  }
  return PMON_OK;
}

/* Reads perf's modifiers after the closing slash, as in cpu/event=0xc0/k. */
static int read_modifiers(struct scanner *in)
{
  static const char all[] = "ukhIGHpPSDWeb";
  const char *begin = in->at + (class_at(in->at) == COLON), *end = begin;
  while (*end && strchr(all, *end))
    end++;
  if (end == begin || !(class_at(end) & (OPEN | WORD_END)))
    return PMON_OK;
  if (strspn(begin, "uk") < (size_t)(end - begin))
    return spelling_fail(in, begin, "of perf's modifiers only u and k are known");
  if (in->s->n_attrs == SPELLING_ATTRS)
    return spelling_fail(in, begin, "too many attributes");
  in->s->attrs[in->s->n_attrs++] = (struct spelling_attr){.key = {begin, (size_t)(end - begin)}, .part = true};
  in->at = end;
  return PMON_OK;
}

/* Returns the end of the unit's name: the first slash before any brace or blank, or a double colon. NULL: no unit. */
static const char *unit_end(const char *at)
{
  for (;; at++) {
    unsigned stop = class_at(at) & (SLASH | COLON | OPEN | WORD_END);
    if (stop & SLASH || (stop & COLON && class_at(at + 1) == COLON))
      return at;
    if (stop & ~(unsigned)COLON)
      return NULL;
  }
}

int spelling_parse(struct pmon_context *context, const char *text, struct spelling *ret_spelling)
{
  struct spelling *s = ret_spelling;
  s->text = text;
  s->unit = s->event = s->umask = (struct text){text, 0};
  s->has_umask = false;
  s->n_attrs = 0;
  struct scanner in = {context, s, after_blanks(text)};
  const char *begin = in.at, *stop = unit_end(begin);
  int status;
  if (stop == begin)
    return spelling_fail(&in, begin, "the name of a unit is expected");
  if (stop)
    s->unit = (struct text){begin, (size_t)(stop - begin)};
  if (stop && *stop == '/') {
    in.at = stop + 1;
    status = read_body(&in);
    if (!status && class_at(in.at) == SLASH) {
      in.at++;
      status = read_modifiers(&in);
    }
  } else {
    in.at = stop ? stop + 2 : begin;
    status = read_name(&in, COMMA | COLON | OPEN);
    if (!status)
      status = read_parts(&in);
  }
  return status ? status : read_tails(&in);
}

bool spelling_is_joined(struct text t, const char *name)
{
  size_t i = 0;
  while (i < t.n && name[i] && (text_same(t.s + i, name + i, 1) || (t.s[i] == '_' && name[i] == '.')))
    i++;
  return i == t.n && !name[i];
}
