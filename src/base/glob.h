/* SPDX-License-Identifier: MIT */
/* Shell patterns for names: `*` is any text, `?` any character, `[abc]`, `[a-z]` and `[!a-z]` one character of a set.
 * Case and locale are ignored. */
#ifndef PMON_BASE_GLOB_H
#define PMON_BASE_GLOB_H

#include "src/base/text.h"

/* True if a text has a wildcard. */
bool glob_is_pattern(struct text t);
/* True if the whole name matches. A `[` without its `]` is literal. */
bool glob_matches(struct text pattern, struct text name);
/* Returns the beginning of a pattern, up to its first wildcard. */
struct text glob_beginning(struct text pattern);

#endif
