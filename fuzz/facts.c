/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as any of the toy platform's files: a refusal with a place, or tables with which everything is done that
 * users do. Seeds: tests/facts/refused/ and tests/facts/toy/. `meson setup B -Dfuzz=true` with clang builds it.
 */
#include <stdlib.h>
#include "fuzz/walk.h"
#include "src/platform/context.h"
#include "tests/engine/fake.h"
#include "tests/facts/toy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(struct db *db)
{
  struct pmon_context *c;
  struct fake fake;
  char changed[128] = "";
  if (pmon_context_new(&c) || context_add_tables(c, db, 0))
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const suffixes[] = { ".reg", ".unit", ".evt", ".met", ".rule", ".platform" };
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    struct toy toy = { .suffix = suffixes[i], .text = (const char *)data, .size = size };
    struct text_error error = { "", 0, 0, "" };
    struct db *db = NULL;
    int status = toy_load(&toy, &error, &db);
    if ((status == 0) != (db != NULL) || (status && !*error.text))
      abort();
    if (db)
      use(db);
  }
  return 0;
}
