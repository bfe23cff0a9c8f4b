/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the parser of fact files: the input is one of the toy platform's files, or a file that extends it. It is
 * refused, or its tables are used in all the ways in which users do. Seeds: tests/facts/refused/ and tests/facts/toy/.
 * `meson setup B -Dfuzz=true` with clang builds it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fuzz/walk.h"
#include "src/platform/context.h"
#include "tests/engine/fake.h"
#include "tests/facts/toy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Adds the tables to a context, which owns them, and uses the platform in their row `first`. */
static void use_platform(struct db *db, uint32_t first)
{
  struct pmon_context *c;
  struct fake fake;
  char changed[128] = "";
  if (pmon_context_new(&c) || context_add_tables(c, db, first))
    abort();
  const struct pmon_platform *p = pmon_platform_get(c, 0);
  walk_units(c, p);
  walk_events(c, p);
  walk_equations(c, p);
  walk_rules(p);
  fake_init(&fake, p);
  walk_session(c, p, &fake.backend);
  if (fake_changed(&fake, changed, sizeof changed))
    abort();
  pmon_context_free(c);
}

/* Reads the files of `-p toy,mine.SUFFIX`. */
static int read_extended(void *user, const char *path, char **ret_text, size_t *ret_size)
{
  const struct toy *mine = user;
  char text[128];
  snprintf(text, sizeof text, "platform toy\ntitle t\ncite t\nimport toy\nfile mine%s\n", mine->suffix);
  const bool platform = strstr(path, ".platform") != NULL;
  *ret_size = platform ? strlen(text) : mine->size;
  *ret_text = malloc(*ret_size + 1);
  memcpy(*ret_text, platform ? text : mine->text, *ret_size);
  return 0;
}

static int extend(struct toy *mine, struct text_error *error, struct db **ret_db)
{
  static struct db *toy;
  const char *file = "mine.platform";
  if (!toy && toy_load(&(struct toy){0}, error, &toy))
    abort();
  const struct facts_reader reader = {read_extended, mine};
  const struct facts_input input = {.files = &file, .n = 1, .reader = &reader, .base = toy};
  return facts_load_all(&input, error, ret_db);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = {".reg", ".unit", ".evt", ".met", ".rule", ".platform"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    struct toy toy = {.suffix = suffixes[i], .text = (const char *)data, .size = size};
    struct text_error error = {"", 0, 0, ""};
    struct db *db = NULL;
    for (uint32_t own = 0; own < 2; own++) {
      int status = own ? extend(&toy, &error, &db) : toy_load(&toy, &error, &db);
      if ((status == 0) != (db != NULL) || (status && !*error.text))
        abort();
      if (db)
        use_platform(db, own);
      db = NULL;
    }
  }
  return 0;
}
