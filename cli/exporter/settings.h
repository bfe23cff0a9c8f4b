/* SPDX-License-Identifier: MIT */
/* Settings files in YAML: a table has the allowed keys, and each value has its position for messages. */
#ifndef CLI_EXPORTER_SETTINGS_H
#define CLI_EXPORTER_SETTINGS_H

#include "cli/common/cli.h"

/* A key that a file may have: "interval", or "otlp.endpoint" for one in a mapping; "basic_auth_users.*": any key in a
 * mapping. A list has one value for each of its items. */
struct setting_rule {
  const char *key;
  bool list;
};

/* A value: the index of its rule, the key that "*" stands for, and its position, from 1. */
struct setting {
  uint32_t rule;
  char *key, *text;
  unsigned line, column;
};

struct settings {
  const char *path;
  struct setting *items;
  uint32_t n;
};

/* Reads a file of at most 128 KiB with libyaml, which is loaded on demand. `rules` ends with key NULL; `path` must
 * outlive ret. CLI_DONE; else an exit code after printing an error with file, line and column, and there is nothing to
 * free. */
int settings_load(struct cli *cli, const char *path, const struct setting_rule *rules, struct settings *ret);
void settings_fini(struct settings *s);

/* Returns the first value of a rule after `after` (NULL: from the start), or NULL. */
const struct setting *settings_next(const struct settings *s, uint32_t rule, const struct setting *after);
/* Returns the text of a rule's first value; NULL: none. */
const char *settings_text(const struct settings *s, uint32_t rule);
/* Writes a value's position and key, as an option's name for messages: "FILE:LINE:COLUMN: KEY". */
const char *settings_place(const struct settings *s, const struct setting *item, char *text, size_t size);

#endif
