/* SPDX-License-Identifier: MIT */
#include "src/facts/vocabulary.h"
#include "src/facts/db.h"

#define VOCABULARY_NAME(id, name) name,
static const char *const space_names[] = {PMON_SPACES(VOCABULARY_NAME)};
static const char *const role_names[] = {PMON_ROLES(VOCABULARY_NAME)};
static const char *const access_names[] = {DB_ACCESSES(VOCABULARY_NAME)};

#define VOCABULARY_OF(names)                                                                                           \
  {                                                                                                                    \
    names, sizeof names / sizeof *names                                                                                \
  }
static const struct {
  const char *const *names;
  uint32_t n;
} lists[VOCABULARIES] = {[VOCABULARY_SPACES] = VOCABULARY_OF(space_names),
                         [VOCABULARY_ROLES] = VOCABULARY_OF(role_names),
                         [VOCABULARY_ACCESSES] = VOCABULARY_OF(access_names)};

uint32_t vocabulary_count(enum vocabulary list)
{
  return lists[list].n;
}

const char *vocabulary_name(enum vocabulary list, uint32_t value)
{
  return value < lists[list].n ? lists[list].names[value] : NULL;
}

bool vocabulary_find(enum vocabulary list, struct text name, uint32_t *ret_value)
{
  for (uint32_t i = 0; i < lists[list].n; i++)
    if (text_is(name, lists[list].names[i])) {
      *ret_value = i;
      return true;
    }
  return false;
}
