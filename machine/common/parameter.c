/* SPDX-License-Identifier: MIT */
#include "machine/common/parameter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "src/base/text.h"
#include "src/base/words.h"

/* Returns the position of `word` in a blank-separated list; -1: it is not there. */
static int word_find(const char *words, const char *word)
{
  size_t length = strlen(word);
  for (int i = 0; *words; i++) {
    size_t n = strcspn(words, " ");
    if (n == length && text_same(words, word, n))
      return i;
    words += n;
    words += strspn(words, " ");
  }
  return -1;
}

/* Parses a decimal number and multiplies it by `scale`, exact to the scale's last digit. */
static int decimal_parse(const char *text, uint64_t scale, const char **ret_end, uint64_t *ret_value)
{
  if (*text < '0' || *text > '9')
    return PMON_E_SYNTAX;
  char *end;
  errno = 0;
  uint64_t whole = strtoull(text, &end, 0), part = 0;
  if (errno || whole > UINT64_MAX / scale - 1)
    return PMON_E_RANGE;
  if (*end == '.' && scale > 1) {
    uint64_t digit = scale;
    for (end++; *end >= '0' && *end <= '9'; end++) {
      digit /= 10;
      part += digit * (uint64_t)(*end - '0');
    }
  }
  *ret_end = end;
  *ret_value = whole * scale + part;
  return PMON_OK;
}

static int value_parse(const struct config_parameter *p, const char *text, uint64_t *ret_value)
{
  static const uint64_t scales[] = {[KIND_GHZ] = 1000, [KIND_NS] = 1000, [KIND_MILLI] = 1000};
  const char *end = "";
  int word, status = PMON_OK;
  switch (p->kind) {
  case KIND_WORD:
    if ((word = word_find(p->words, text)) < 0)
      return PMON_E_UNKNOWN;
    *ret_value = (uint64_t)word;
    return PMON_OK;
  case KIND_NUMA:
    if ((word = word_find("first_touch interleave", text)) >= 0)
      *ret_value = (uint64_t)word;
    else if (strlen(text) > 5 && text_same(text, "bind:", 5) && !(status = decimal_parse(text + 5, 1, &end, ret_value)))
      *ret_value += *ret_value < UINT64_MAX - 2 ? 2 : 0;
    else
      return status ? status : PMON_E_UNKNOWN;
    break;
  case KIND_COUNT:
  case KIND_SIZE:
    status = decimal_parse(text, 1, &end, ret_value);
    if (!status && p->kind == KIND_SIZE && *end && strchr("kKmMgG", *end)) {
      unsigned shift = strchr("kK", *end) ? 10 : strchr("mM", *end) ? 20 : 30;
      if (*ret_value >> (64 - shift))
        return PMON_E_RANGE;
      *ret_value <<= shift;
      end++;
    }
    break;
  case KIND_GHZ:
  case KIND_NS:
  case KIND_MILLI: status = decimal_parse(text, scales[p->kind], &end, ret_value); break;
  }
  return status ? status : *end ? PMON_E_SYNTAX : PMON_OK;
}

void parameter_format(const struct config_parameter *p, uint64_t value, char *text, size_t text_size)
{
  static const char suffix[] = {0, 'K', 'M', 'G'};
  const char *word = p->words;
  unsigned shift = 0;
  switch (p->kind) {
  case KIND_WORD:
    for (uint64_t i = 0; i < value; i++)
      word += strcspn(word, " ") + 1;
    snprintf(text, text_size, "%.*s", (int)strcspn(word, " "), word);
    break;
  case KIND_NUMA:
    if (value < 2)
      snprintf(text, text_size, "%s", value ? "interleave" : "first_touch");
    else
      snprintf(text, text_size, "bind:%" PRIu64, value - 2);
    break;
  case KIND_SIZE:
    while (shift < 3 && value && !(value & 1023)) {
      value >>= 10;
      shift++;
    }
    snprintf(text, text_size, shift ? "%" PRIu64 "%c" : "%" PRIu64, value, suffix[shift]);
    break;
  case KIND_COUNT: snprintf(text, text_size, "%" PRIu64, value); break;
  case KIND_GHZ:
  case KIND_NS:
  case KIND_MILLI: snprintf(text, text_size, "%" PRIu64 ".%03" PRIu64, value / 1000, value % 1000); break;
  }
}

int parameter_parse(const struct parameter_list *list, const char *text, struct parameter_value *ret, char *error,
                    size_t error_size)
{
  const size_t length = strcspn(text, "=");
  unsigned i = 0;
  while (i < list->n &&
         (strlen(list->parameter[i].name) != length || !text_same(list->parameter[i].name, text, length)))
    i++;
  if (i == list->n) {
    snprintf(error, error_size, "%s: the machine has no such parameter", text);
    return PMON_E_UNKNOWN;
  }
  const struct config_parameter *p = &list->parameter[i];
  const char *value_text = text + length + (text[length] == '=');
  uint64_t value = 0;
  int status = value_parse(p, value_text, &value);
  if (!status && (value < p->least || value > p->most))
    status = PMON_E_RANGE;
  if (!status) {
    *ret = (struct parameter_value){.index = i, .value = value};
  } else if (p->kind == KIND_WORD || p->kind == KIND_NUMA) {
    char words[160];
    snprintf(error, error_size, "%s=%s: expected %s", p->name, value_text,
             words_format_line(p->kind == KIND_NUMA ? "first_touch interleave bind:0 bind:1" : p->words, words,
                               sizeof words));
  } else {
    char least[32], most[32];
    parameter_format(p, p->least, least, sizeof least);
    parameter_format(p, p->most, most, sizeof most);
    snprintf(error, error_size, "%s=%s: expected a number from %s to %s", p->name, value_text, least, most);
  }
  return status;
}
