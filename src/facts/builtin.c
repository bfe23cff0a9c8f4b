/* SPDX-License-Identifier: MIT */
/* Loads files on top of the compiled-in tables; not in load.c, because the compiler of those tables has none. */
#include "src/facts/facts.h"

int facts_load(const char *platform_file, struct text_error *error, struct db **ret_db)
{
  const struct facts_input input = {.files = &platform_file, .n = 1, .base = &db_builtin};
  return facts_load_all(&input, error, ret_db);
}
