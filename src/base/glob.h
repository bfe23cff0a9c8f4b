/* SPDX-License-Identifier: MIT */
/* Patterns of names as shells have them: `*` is any text, `?` any character, `[abc]`, `[a-z]` and `[!a-z]` one of a
 * set. Case is ignored, and so is the locale. */
#ifndef PMON_BASE_GLOB_H
#define PMON_BASE_GLOB_H

#include "src/base/text.h"

/* Whether a text has one of these signs. */
bool glob_is_pattern(struct text t);
/* Whether the whole name matches. A `[` without its `]` is itself. */
bool glob_matches(struct text pattern, struct text name);
/* The beginning of a pattern up to its first sign. */
struct text glob_beginning(struct text pattern);

#endif
