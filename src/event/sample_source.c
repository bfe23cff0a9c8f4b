/* SPDX-License-Identifier: MIT */
/* Parses the text of a sample source. Lists of values in the facts have the names and codes of thresholds and TLBs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/sample.h>
#include "src/base/text.h"
#include "src/base/words.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"

/* How the text after a kind is parsed: as the name of a value in a list, or several of them joined. */
struct kind {
  const char *name, *event;
  const char *list;   /* list of values; NULL: none */
  const char *prefix; /* of names in the list; the text may omit it */
  const char *all;    /* the value if no text follows */
  bool joined;        /* bits of several may be joined by + */
};
static const struct kind kinds[PMON_SOURCE_N] = {
    [PMON_SOURCE_DATA_CACHE] = {"dcache", "DATA_EAR_EVENTS", "DEAR_LATENCY", "GE_", "GE_4", false},
    [PMON_SOURCE_DATA_TLB] = {"dtlb", "DATA_EAR_EVENTS", "DEAR_TLB_MISS", "", "ALL", true},
    [PMON_SOURCE_ALAT] = {"alat", "DATA_EAR_EVENTS", NULL, "", NULL, false},
    [PMON_SOURCE_CODE_CACHE] = {"icache", "L1I_EAR_EVENTS", "IEAR_LATENCY", "GE_", "ANY", false},
    [PMON_SOURCE_CODE_TLB] = {"itlb", "L1I_EAR_EVENTS", "IEAR_TLB_MISS", "", "ALL", true},
    [PMON_SOURCE_BRANCHES] = {"branches", "ETB_EVENT", "ETB_BRANCH", "", NULL, true},
    [PMON_SOURCE_ADDRESSES] = {"addresses", "CPU_OP_CYCLES.ALL", NULL, "", NULL, false}};

enum { DELAY_MOST = 255 }; /* PMC42.delay (Table 3-30) */

/* Words for branches (Table 3-26). Each narrows some of the masks; a mask without a word takes everything. */
enum { BRANCH_ALL = 0x3f, TM = 0x03, PTM = 0x0c, PPM = 0x30, BRT = 0xc0 };
static const struct {
  const char *word;
  uint64_t mask, value;
} branches[] = {{"taken", TM, 2},
                {"nottaken", TM, 1},
                {"wrongtarget", PTM, 1 << 2},
                {"wrongpath", PPM, 1 << 4},
                {"right", PTM | PPM, 2 << 2 | 2 << 4},
                {"iprel", BRT, 1 << 6},
                {"returns", BRT, 2 << 6},
                {"indirect", BRT, 3 << 6}};

const char *pmon_sample_source_name(uint32_t kind)
{
  return kind < PMON_SOURCE_N ? kinds[kind].name : NULL;
}

const char *pmon_sample_source_event(uint32_t kind)
{
  return kind < PMON_SOURCE_N ? kinds[kind].event : NULL;
}

/* Finds the platform's list of values by name. PMON_E_UNSUPPORTED. */
static int find_list(const struct pmon_platform *platform, const char *name, uint32_t *ret_list)
{
  struct pmon_values_info info = {.size = sizeof info};
  for (uint32_t i = 0; platform_get_values(platform, i, &info); i++)
    if (!strcmp(info.name, name)) {
      *ret_list = i;
      return 0;
    }
  return PMON_E_UNSUPPORTED;
}

static bool is_named(const char *name, const char *prefix, const char *word, size_t n)
{
  const size_t skip = strncmp(name, prefix, strlen(prefix)) ? 0 : strlen(prefix);
  if (strlen(name) == n && text_same(name, word, n))
    return true;
  return n && text_same(name + skip, word, n) && (!name[skip + n] || (!skip && name[n] == '_'));
}

/* Finds the value of one word in a list. */
static int find_word(const struct pmon_platform *platform, const struct kind *kind, const char *word, size_t n,
                     uint64_t *ret_value)
{
  struct pmon_value_info info = {.size = sizeof info};
  uint32_t list;
  int status = find_list(platform, kind->list, &list);
  for (uint32_t i = 0; !status && platform_get_value(platform, list, i, &info); i++)
    if (is_named(info.name, kind->prefix, word, n)) {
      *ret_value = info.value;
      return 0;
    }
  return status ? status : PMON_E_SYNTAX;
}

static int find_branch(const char *word, size_t n, uint64_t *value)
{
  for (size_t i = 0; i < sizeof branches / sizeof *branches; i++)
    if (strlen(branches[i].word) == n && text_same(branches[i].word, word, n)) {
      *value = (*value & ~branches[i].mask) | branches[i].value;
      return 0;
    }
  return PMON_E_SYNTAX;
}

static int read_which(const struct pmon_platform *platform, uint32_t number, const char *text,
                      struct pmon_sample_source *c)
{
  const struct kind *kind = &kinds[number];
  if (number == PMON_SOURCE_ADDRESSES && *text)
    return text_number(text_of(text), &c->value) && c->value <= DELAY_MOST ? 0 : PMON_E_SYNTAX;
  c->value = number == PMON_SOURCE_BRANCHES ? BRANCH_ALL : 0;
  if (!*text && kind->all)
    return find_word(platform, kind, kind->all, strlen(kind->all), &c->value);
  for (size_t n; *text; text += n + (text[n] == '+')) {
    uint64_t value = 0;
    n = kind->joined ? strcspn(text, "+") : strlen(text);
    int status = !kind->list                      ? PMON_E_SYNTAX
                 : number == PMON_SOURCE_BRANCHES ? find_branch(text, n, &c->value)
                                                  : find_word(platform, kind, text, n, &value);
    c->value |= value;
    if (status)
      return status;
  }
  return 0;
}

/* The words that can follow a kind: "a, b or c". */
static void list_words(const struct pmon_platform *platform, uint32_t number, char *text, size_t size)
{
  const struct kind *kind = &kinds[number];
  struct pmon_value_info info = {.size = sizeof info};
  char words[200] = "";
  struct writer w = {words, sizeof words, 0};
  uint32_t list;
  if (number == PMON_SOURCE_ADDRESSES) {
    snprintf(text, size, "0 to %d cycles", DELAY_MOST);
    return;
  }
  for (size_t i = 0; number == PMON_SOURCE_BRANCHES && i < sizeof branches / sizeof *branches; i++) {
    write_text(&w, branches[i].word);
    write_char(&w, ' ');
  }
  if (!w.n && kind->list && !find_list(platform, kind->list, &list))
    for (uint32_t i = 0; platform_get_value(platform, list, i, &info); i++) {
      write_text(&w, info.name + (strncmp(info.name, kind->prefix, strlen(kind->prefix)) ? 0 : strlen(kind->prefix)));
      write_char(&w, ' ');
    }
  write_end(&w);
  words_format_line(words, text, size);
}

/* The names of the sample sources: "a, b or c". */
static const char *source_names(char *text, size_t size)
{
  const char *names[PMON_SOURCE_N] = {NULL};
  for (uint32_t k = 1; k < PMON_SOURCE_N; k++)
    names[k] = kinds[k].name;
  return words_format(names, PMON_SOURCE_N, text, size);
}

int pmon_sample_source_parse(struct pmon_context *context, const struct pmon_platform *platform, const char *text,
                             struct pmon_sample_source *ret_source)
{
  const size_t n = strcspn(text, "=");
  struct pmon_sample_source c = {.size = sizeof c};
  char words[200];
  uint32_t list, k = 1;
  while (k < PMON_SOURCE_N && (strlen(kinds[k].name) != n || !text_same(kinds[k].name, text, n)))
    k++;
  if (k == PMON_SOURCE_N)
    return context_fail(context, PMON_E_SYNTAX, 0, "\"%.*s\" is not a sample source; expected %s", (int)n, text,
                        source_names(words, sizeof words));
  if (find_list(platform, "DEAR_MODE", &list))
    return context_fail(context, PMON_E_UNSUPPORTED, 0, "this platform has no sample source \"%s\"", kinds[k].name);
  c.kind = k;
  if (read_which(platform, k, text[n] ? text + n + 1 : "", &c) || (text[n] && !text[n + 1])) {
    list_words(platform, k, words, sizeof words);
    return context_fail(context, PMON_E_SYNTAX, 0,
                        *words ? "\"%s\": after %s=, expected %s" : "\"%s\": expected nothing after %s%s", text,
                        kinds[k].name, words);
  }
  return CONTEXT_FILL(context, ret_source, c);
}
