/* SPDX-License-Identifier: MIT */
/* The text of an event with another event or umask, as error messages advise it; all else stays as it was written. */
#ifndef PMON_EVENT_RESPELL_H
#define PMON_EVENT_RESPELL_H

#include "src/event/resolver.h"

/* How the umask is written. RESPELL_OTHER: the row's umasks replace those of the text. RESPELL_MORE: the row's last
 * umask is added to those of the text. RESPELL_NUMBER: as the number in the row's control value. If the text has a
 * number, all three write a number. */
enum respell_umask { RESPELL_OTHER, RESPELL_MORE, RESPELL_NUMBER };

struct respelling {
  const struct event_row *row; /* completed: the event, its umasks and their control value */
  enum respell_umask umask;
  const struct spelling_attr *without[4]; /* attributes to leave out; NULL: no more */
  const struct spelling_attr *behind;     /* the attribute after which `zeros` get the value 0 */
  const char *zeros[4];                   /* names of fields; NULL: no more */
};

/* Writes the resolver's text with these changes. False: the text has no place for them, does not fit, or would not be
 * that event. */
__attribute__((cold)) bool respell(const struct resolver *r, const struct respelling *to, char *text, size_t size);

#endif
