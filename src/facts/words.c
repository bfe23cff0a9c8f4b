/* SPDX-License-Identifier: MIT */
#include "src/facts/words.h"
#include "src/facts/db.h"

#define WORD_NAME(id, name) name,
static const char *const space_names[] = {PMON_SPACES(WORD_NAME)};
static const char *const role_names[] = {PMON_ROLES(WORD_NAME)};
static const char *const access_names[] = {DB_ACCESSES(WORD_NAME)};

#define WORD_LIST(names)                                                                                               \
  {                                                                                                                    \
    names, sizeof names / sizeof *names                                                                                \
  }
static const struct {
  const char *const *names;
  uint32_t n;
} lists[WORD_LISTS] = {[WORDS_SPACES] = WORD_LIST(space_names),
                       [WORDS_ROLES] = WORD_LIST(role_names),
                       [WORDS_ACCESSES] = WORD_LIST(access_names)};

uint32_t words_count(enum word_list list)
{
  return lists[list].n;
}

const char *words_name(enum word_list list, uint32_t value)
{
  return value < lists[list].n ? lists[list].names[value] : NULL;
}

bool words_find(enum word_list list, struct text name, uint32_t *ret_value)
{
  for (uint32_t i = 0; i < lists[list].n; i++)
    if (text_is(name, lists[list].names[i])) {
      *ret_value = i;
      return true;
    }
  return false;
}
