/* SPDX-License-Identifier: MIT */
#include "tests/facts/toy.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>

char *toy_read(const char *name, size_t *ret_size)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", FACTS_DIR, name);
  FILE *f = fopen(path, "rb");
  if (!f)
    return NULL;
  char *text = malloc(1 << 16);
  *ret_size = text ? fread(text, 1, 1 << 16, f) : 0;
  fclose(f);
  return text;
}

static int read_toy(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  const struct toy *toy = context;
  const char *name = strrchr(path, '/'), *suffix = strrchr(path, '.');
  name = name ? name + 1 : path;
  if (strncmp(name, "toy.", 4) || !suffix)
    return PMON_E_IO;
  if (toy->suffix && !strcmp(suffix, toy->suffix)) {
    *ret_text = malloc(toy->size + 1);
    memcpy(*ret_text, toy->text, toy->size);
    *ret_size = toy->size;
    return 0;
  }
  char local[64];
  snprintf(local, sizeof local, "toy/%s", name);
  *ret_text = toy_read(local, ret_size);
  return *ret_text ? 0 : PMON_E_IO;
}

int toy_load(const struct toy *toy, struct text_error *error, struct db **ret_db)
{
  struct toy copy = *toy;
  const char *file = "toy.platform";
  struct facts_reader reader = {read_toy, &copy};
  struct facts_input input = {.files = &file, .n = 1, .reader = &reader, .base = toy->base};
  return facts_load_all(&input, error, ret_db);
}
