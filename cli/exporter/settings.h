/* SPDX-License-Identifier: MIT */
/* Files of settings in YAML: what is allowed is a table of keys, and each value has its place for messages. */
#ifndef CLI_EXPORTER_SETTINGS_H
#define CLI_EXPORTER_SETTINGS_H

#include "cli/common/cli.h"

/* A key that a file may have: "interval", or "otlp.endpoint" for one in a mapping; "basic_auth_users.*": any key in a
 * mapping. A list has an entry for each of its items. */
struct setting_rule {
  const char *key;
  bool list;
};

/* A value: of the rule with this index, with the key that "*" stands for, and its place from 1. */
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

/* Reads a file of at most 128 KiB by libyaml, which is loaded on use. `rules` ends with key NULL; `path` must outlive
 * ret. CLI_DONE; else an exit code after printing an error with file, line and column, and there is nothing to free. */
int settings_load(struct cli *cli, const char *path, const struct setting_rule *rules, struct settings *ret);
void settings_fini(struct settings *s);

/* The first value of a rule after `after` (NULL: from the start), or NULL. */
const struct setting *settings_next(const struct settings *s, uint32_t rule, const struct setting *after);
/* The text of a rule's first value; NULL: none. */
const char *settings_text(const struct settings *s, uint32_t rule);
/* Its place and key as an option's name for messages: "FILE:LINE:COLUMN: KEY". */
const char *settings_place(const struct settings *s, const struct setting *item, char *text, size_t size);

#endif
