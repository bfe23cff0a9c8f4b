/* SPDX-License-Identifier: MIT */
#include "src/event/spelling.h"
#include "src/platform/context.h"

struct scanner {
  struct pmon_context *context;
  struct spelling *s;
  const char *at, *end;
};

static int fail(struct scanner *in, const char *at, const char *expected)
{
  uint32_t column = spelling_column(in->s, at);
  if (at < in->end)
    return context_fail(in->context, PMON_E_SYNTAX, column, "column %u, at \"%.*s\": %s", column,
                        (int)(in->end - at < 24 ? in->end - at : 24), at, expected);
  return context_fail(in->context, PMON_E_SYNTAX, column, "column %u, at the end: %s", column, expected);
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

static void skip_blanks(struct scanner *in)
{
  while (in->at < in->end && is_blank(*in->at))
    in->at++;
}

static bool is_one_of(char c, const char *stops)
{
  while (*stops && *stops != c)
    stops++;
  return *stops != 0;
}

/* The characters up to one of `stops` (or a blank); moves behind them. */
static struct text take_until(struct scanner *in, const char *stops)
{
  struct text t = { in->at, 0 };
  while (in->at < in->end && !is_blank(*in->at) && !is_one_of(*in->at, stops))
    in->at++;
  t.n = (size_t)(in->at - t.s);
  return t;
}

/* key[=value] up to one of `stops`; reg comes before the key's last dot where `dotted`. */
static int read_attr(struct scanner *in, const char *stops, bool dotted)
{
  if (in->s->n_attrs == SPELLING_ATTRS)
    return fail(in, in->at, "too many attributes");
  struct spelling_attr *a = &in->s->attrs[in->s->n_attrs];
  *a = (struct spelling_attr){ .key = take_until(in, stops) };
  const char *equals = memchr(a->key.s, '=', a->key.n);
  if (equals) {
    a->value.s = equals + 1;
    a->value.n = a->key.n - (size_t)(equals + 1 - a->key.s);
    a->key.n = (size_t)(equals - a->key.s);
    if (!a->value.n)
      return fail(in, a->value.s, "a value is expected behind \"=\"");
  }
  if (!a->key.n)
    return fail(in, a->key.s, "the name of an attribute is expected");
  const char *dot = dotted ? memrchr(a->key.s, '.', a->key.n) : NULL;
  if (dot) {
    a->reg = (struct text){ a->key.s, (size_t)(dot - a->key.s) };
    a->key = (struct text){ dot + 1, a->key.n - a->reg.n - 1 };
    if (!a->key.n)
      return fail(in, dot + 1, "the name of a field is expected behind \".\"");
  }
  in->s->n_attrs++;
  return PMON_OK;
}

/* Items separated by commas, up to `close` (0: the end of the word). */
static int read_attrs(struct scanner *in, char close, bool dotted)
{
  const char stops[] = { ',', close ? close : ',', 0 };
  for (;;) {
    skip_blanks(in);
    int status = read_attr(in, stops, dotted);
    if (status)
      return status;
    if (close)
      skip_blanks(in);
    if (in->at == in->end || *in->at != ',')
      return PMON_OK;
    in->at++;
  }
}

static void split_name(struct spelling *s, struct text name)
{
  const char *dot = memchr(name.s, '.', name.n);
  s->event = name;
  if (dot) {
    s->event.n = (size_t)(dot - name.s);
    s->umask = (struct text){ dot + 1, name.n - s->event.n - 1 };
    s->has_umask = true;
  }
}

static int read_braces(struct scanner *in)
{
  const char *open = in->at++;
  int status = read_attrs(in, '}', true);
  if (status)
    return status;
  if (in->at == in->end)
    return fail(in, open, "this brace is not closed");
  in->at++;
  return PMON_OK;
}

/* {..} and with:.. behind the event, up to the text's end. */
static int read_tails(struct scanner *in)
{
  for (;;) {
    skip_blanks(in);
    int status;
    if (in->at == in->end)
      return PMON_OK;
    if (*in->at == '{') {
      status = read_braces(in);
    } else if (in->end - in->at > 5 && text_same(in->at, "with:", 5)) {
      in->at += 5;
      status = read_attrs(in, 0, true);
    } else {
      return fail(in, in->at, "the event should end here; attributes stand in unit/EVENT,attribute=value/");
    }
    if (status)
      return status;
  }
}

static int read_name(struct scanner *in, const char *stops)
{
  struct text name = take_until(in, stops);
  if (!name.n)
    return fail(in, name.s, "the name of an event is expected");
  split_name(in->s, name);
  if (in->s->has_umask && !in->s->umask.n)
    return fail(in, name.s + name.n, "the name of a umask is expected behind \".\"");
  return PMON_OK;
}

/* Between the slashes. */
static int read_body(struct scanner *in)
{
  skip_blanks(in);
  const char *stop = in->at;
  while (stop < in->end && !is_one_of(*stop, ",/{") && *stop != '=')
    stop++;
  int status = PMON_OK;
  if (stop == in->end || *stop != '=') {
    status = read_name(in, ",/{");
    if (!status && in->at < in->end && *in->at == '{')
      status = read_braces(in);
    skip_blanks(in);
    if (status || in->at == in->end || *in->at != ',')
      return status;
    in->at++;
    if (in->at == in->end || *in->at == '/')       /* perf allows a comma behind the last item */
      return PMON_OK;
  }
  return read_attrs(in, '/', true);
}

static int read_parts(struct scanner *in)
{
  while (in->at < in->end && *in->at == ':') {
    in->at++;
    int status = read_attr(in, ":{,", false);
    if (status)
      return status;
    in->s->attrs[in->s->n_attrs - 1].part = true;
  }
  return PMON_OK;
}

/* Where the unit's name ends: at the first slash before any brace or blank, or at a double colon. */
static const char *unit_end(const struct scanner *in)
{
  for (const char *p = in->at; p < in->end && *p != '{' && !is_blank(*p); p++)
    if (*p == '/' || (*p == ':' && p + 1 < in->end && p[1] == ':'))
      return p;
  return NULL;
}

int spelling_parse(struct pmon_context *context, const char *text, struct spelling *ret_spelling)
{
  struct spelling *s = ret_spelling;
  s->text = text;
  s->unit = s->event = s->umask = (struct text){ text, 0 };
  s->has_umask = false;
  s->n_attrs = 0;
  struct scanner in = { context, s, text, text + strlen(text) };
  skip_blanks(&in);
  while (in.end > in.at && is_blank(in.end[-1]))
    in.end--;
  const char *stop = unit_end(&in);
  int status;
  if (stop) {
    s->unit = (struct text){ in.at, (size_t)(stop - in.at) };
    if (!s->unit.n)
      return fail(&in, in.at, "the name of a unit is expected");
  }
  if (stop && *stop == '/') {
    in.at = stop + 1;
    status = read_body(&in);
    if (!status && in.at < in.end && *in.at == '/')
      in.at++;
  } else {
    in.at = stop ? stop + 2 : in.at;
    status = read_name(&in, ",:{");
    if (!status)
      status = read_parts(&in);
  }
  return status ? status : read_tails(&in);
}
