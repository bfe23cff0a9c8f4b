/* SPDX-License-Identifier: MIT */
/* Descriptions that stand alone, composed of an event's text and its umasks'. */
#ifndef PMON_FACTS_COMPOSE_H
#define PMON_FACTS_COMPOSE_H

#include <stddef.h>
#include "src/facts/builder.h"

/* Writes the sentence that describes `event` with all of the `n` umasks into `text`, and returns its length, which may
 * be `size` or more if the text was cut (like snprintf()). The first clause of the event's text (to `: `, `; ` or its
 * end, without a last `, by ...`) is followed by the texts of the umasks, joined by ` + `; the rest of the event's text
 * follows as a sentence of its own. A umask's text that ends in a period is a sentence already and is taken alone. */
size_t compose_sentence(char *text, size_t size, const char *event, const char *const *umasks, size_t n);

/* Fills the column `sentence` of all umasks. b->no_memory is set when there is none left. */
void compose_umasks(struct builder *b);

#endif
