/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as any of the toy platform's files: a refusal with a place, or whole tables. Seeds: tests/facts/refused/
 * and tests/facts/toy/. `meson setup B -Dfuzz=true` with clang builds it.
 */
#include <stdlib.h>
#include "tests/facts/toy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    facts_free(db);
  }
  return 0;
}
