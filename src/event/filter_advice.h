/* SPDX-License-Identifier: MIT */
/* Advice for a filter that does not act on its event: the umasks and events on which it acts, and the user's text with
 * one of them. */
#ifndef PMON_EVENT_FILTER_ADVICE_H
#define PMON_EVENT_FILTER_ADVICE_H

#include "src/event/respell.h"

/* "A, B and C": `text` has the names before the last one, `last` the last one. */
struct name_list {
  char text[256], last[96];
  uint32_t n;
};

void list_add(struct name_list *list, const char *name);
const char *list_end(struct name_list *list);

/* A search for advice: its input, and its result. The caller zeroes it and fills the members up to `without`. */
struct advice {
  const struct resolver *r;
  struct event_setting setting;           /* the filter's */
  const struct spelling_attr *attr;       /* as it was written; NULL: no text is advised */
  const struct spelling_attr *without[4]; /* attributes that exclude the filter; NULL: no more */
  struct name_list names;
  char use[512]; /* the advised text, or "" */
  int cost;      /* of `use`; the smallest is advised */
};

/* Finds the umasks of the resolver's event on which the filter acts. Advises the one that differs from the text's
 * umasks in the fewest bits; a umask that the hardware can add to them is preferred. */
__attribute__((cold)) void advice_find_umasks(struct advice *a);

/* Finds the events of the unit on which the filter acts, except those that set it themselves. Advises the first one. */
__attribute__((cold)) void advice_find_events(struct advice *a);

#endif
