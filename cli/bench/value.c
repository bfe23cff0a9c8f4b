/* SPDX-License-Identifier: MIT */
/* Bench files of tools, and the judgement of a tool's output. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include "cli/bench/tool.h"
#include "src/base/real.h"

enum { NUMBER = 64 };
static const char blanks[] = " \t\r";
static const double ROUNDING = 1e-12;

static char *tool_word(char **at)
{
  char *word = *at + strspn(*at, blanks);
  *at = word + strcspn(word, blanks);
  if (**at)
    *(*at)++ = 0;
  return word;
}

static bool texts_add(struct tool_texts *t, const char *text)
{
  char **more = realloc(t->text, (t->n + 1) * sizeof *more);
  if (!more)
    return false;
  t->text = more;
  return (more[t->n] = strdup(text)) && ++t->n;
}

bool tool_number(const char *text, size_t size, double *ret)
{
  static const char scales[] = "KMGT";
  const char *const behind = text + size;
  char digits[NUMBER], *end;
  size_t n = 0;
  text += strspn(text, blanks);
  for (; text < behind && *text && n + 1 < sizeof digits && (isdigit((unsigned char)*text) || strchr("+-.,eE", *text));
       text++)
    if (*text != ',')
      digits[n++] = *text;
  digits[n] = 0;
  *ret = real_parse(digits, &end);
  text += strspn(text, blanks);
  const char *scale = *text && (!text[1] || !isalpha((unsigned char)text[1])) ? strchr(scales, *text) : NULL;
  for (const char *s = scales; scale && s <= scale; s++)
    *ret *= 1000;
  return end != digits;
}

static int value_refuse(struct cli *cli, const char *where, const char *why)
{
  return cli_fail(cli, "%s: %s; expected NAME COUNT TOLERANCE REGEX, such as reads 100 1%% 'CAS_COUNT *([0-9]+)'",
                  where, why);
}

/* Reads "0", or per cent. */
static bool read_tolerance(const char *word, double *ret)
{
  char *end;
  *ret = real_parse(word, &end) / 100;
  return end != word && *ret >= 0 && isfinite(*ret) && (!strcmp(end, "%") || (!*end && *ret == 0));
}

int tool_add_value(struct cli *cli, const char *where, const char *text, struct bench_tool *t)
{
  struct tool_value *more = realloc(t->value, (t->n + 1) * sizeof *more);
  char *copy = strdup(text), *at = copy, *end;
  regex_t regex;
  int result = CLI_DONE;
  if (more)
    t->value = more;
  if (!more || !copy) {
    free(copy);
    return cli_fail_memory(cli);
  }
  struct tool_value *v = &more[t->n];
  *v = (struct tool_value){.name = tool_word(&at)};
  const char *want = tool_word(&at), *tolerance = tool_word(&at);
  v->pattern = at + strspn(at, blanks);
  v->want = real_parse(want, &end);
  if (end == want || *end || !isfinite(v->want))
    result = value_refuse(cli, where, "the count is not a number");
  else if (!read_tolerance(tolerance, &v->tolerance))
    result = value_refuse(cli, where, "the tolerance is neither 0 nor a percentage");
  else if (!*v->pattern || regcomp(&regex, v->pattern, REG_EXTENDED | REG_NEWLINE))
    result = value_refuse(cli, where, "the regular expression is not valid");
  else {
    regfree(&regex);
    v->name = strdup(v->name);
    v->pattern = strdup(v->pattern);
    t->n++;
    result = v->name && v->pattern ? CLI_DONE : cli_fail_memory(cli);
  }
  free(copy);
  return result;
}

static bool set_text(char **text, const char *to)
{
  free(*text);
  return (*text = strdup(to));
}

/* Parses a line: a word, and the text after it. */
static int tool_parse_line(struct cli *cli, const char *where, char *at, struct bench_tool *t)
{
  const char *word = tool_word(&at), *text = at + strspn(at, blanks);
  bool good;
  if (!strcmp(word, "value"))
    return tool_add_value(cli, where, text, t);
  if (!strcmp(word, "wrong")) {
    if (!t->n || !*text)
      return cli_fail(cli, "%s: `wrong REASON` must follow a value", where);
    good = set_text(&t->value[t->n - 1].reason, text);
  } else if (!strcmp(word, "platform"))
    good = set_text(&t->platform, text);
  else if (!strcmp(word, "command"))
    good = set_text(&t->command, text);
  else if (!strcmp(word, "with"))
    good = texts_add(&t->with, text);
  else if (!strcmp(word, "scenario"))
    good = texts_add(&t->scenario, text);
  else if (!strcmp(word, "option")) {
    const char *name = tool_word(&at);
    good = texts_add(&t->options, name) && texts_add(&t->options, at + strspn(at, blanks));
  } else
    return cli_fail(cli, "%s: expected platform, option, with, scenario, command, value or wrong", where);
  return good ? CLI_DONE : cli_fail_memory(cli);
}

int tool_parse(struct cli *cli, const char *path, const char *text, struct bench_tool *t)
{
  char *copy = strdup(text), where[512];
  unsigned number = 0;
  int result = copy ? CLI_DONE : cli_fail_memory(cli);
  for (char *at = copy, *next; at && result == CLI_DONE; at = next) {
    if ((next = strchr(at, '\n')))
      *next++ = 0;
    snprintf(where, sizeof where, "%s:%u", path, ++number);
    at += strspn(at, blanks);
    if (*at && *at != '#')
      result = tool_parse_line(cli, where, at, t);
  }
  free(copy);
  return result;
}

static void texts_free(struct tool_texts *t)
{
  for (unsigned i = 0; i < t->n; i++)
    free(t->text[i]);
  free(t->text);
}

void tool_free(struct bench_tool *t)
{
  for (unsigned i = 0; i < t->n; i++) {
    free(t->value[i].name);
    free(t->value[i].pattern);
    free(t->value[i].reason);
  }
  free(t->value);
  free(t->platform);
  free(t->command);
  texts_free(&t->options);
  texts_free(&t->with);
  texts_free(&t->scenario);
  *t = (struct bench_tool){.n = 0};
}

static void value_judge(struct tool_value *v, const char *output)
{
  regmatch_t match[2];
  regex_t regex;
  v->verdict = TOOL_MISSING;
  if (regcomp(&regex, v->pattern, REG_EXTENDED | REG_NEWLINE))
    return;
  if (!regexec(&regex, output, 2, match, 0)) {
    const regmatch_t *number = &match[match[1].rm_so >= 0];
    if (tool_number(output + number->rm_so, (size_t)(number->rm_eo - number->rm_so), &v->got)) {
      /* 29 % of 100 is less than 29 in binary fractions. */
      const double most = fabs(v->want) * v->tolerance * (1 + ROUNDING);
      v->verdict = fabs(v->got - v->want) <= most ? TOOL_RIGHT : TOOL_WRONG;
    }
  }
  regfree(&regex);
}

void tool_judge(struct bench_tool *t, const char *output)
{
  for (unsigned i = 0; i < t->n; i++)
    value_judge(&t->value[i], output);
}

bool tool_passed(const struct bench_tool *t)
{
  bool passed = true;
  for (unsigned i = 0; i < t->n; i++)
    passed = passed && (t->value[i].verdict == TOOL_RIGHT) == !t->value[i].reason;
  return passed;
}
