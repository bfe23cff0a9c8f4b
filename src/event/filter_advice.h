/* SPDX-License-Identifier: MIT */
/* For a filter that does not act on the event that it was written with: the umasks and the events on which it acts, and
 * one of them in the user's own text. */
#ifndef PMON_EVENT_FILTER_ADVICE_H
#define PMON_EVENT_FILTER_ADVICE_H

#include "src/event/respell.h"

/* "A, B and C": names one by one, of which the writer has all but the last. */
struct name_list {
  char text[256], last[96];
  uint32_t n;
};

void list_add(struct name_list *list, const char *name);
const char *list_end(struct name_list *list);

/* What is looked for, and what was found. Zero it, and fill the first members. */
struct advice {
  const struct resolver *r;
  struct event_setting setting;           /* the filter's */
  const struct spelling_attr *attr;       /* as it was written; NULL: there is nothing to advise */
  const struct spelling_attr *without[4]; /* attributes that exclude it; NULL: no more */
  struct name_list names;
  char use[512]; /* "", or the text to use */
  int cost;      /* of that text; smaller is better */
};

/* The umasks of the resolver's event. Advised is the one that has the fewest other bits, beside those of the text where
 * the hardware adds them up. */
__attribute__((cold)) void advice_find_umasks(struct advice *a);

/* The events of its unit, except those that set the filter themselves. Advised is the first one. */
__attribute__((cold)) void advice_find_events(struct advice *a);

#endif
