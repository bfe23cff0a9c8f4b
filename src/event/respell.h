/* SPDX-License-Identifier: MIT */
/* An event's text with another event or umask in place of its own, as errors advise it: all else stays as it was
 * written. */
#ifndef PMON_EVENT_RESPELL_H
#define PMON_EVENT_RESPELL_H

#include "src/event/resolver.h"

/* How the umask is written: as the row's, in place of the text's; as the row's last one, beside those of the text; as
 * the number in the row's control value. Where the text has a number, all write one. */
enum respell_umask { RESPELL_OTHER, RESPELL_MORE, RESPELL_NUMBER };

struct respelling {
  const struct event_row *row; /* completed: the event, its umasks and their control value */
  enum respell_umask umask;
  const struct spelling_attr *without[4]; /* attributes to leave out; NULL: no more */
  const struct spelling_attr *behind;     /* behind this one, `zeros` get the value 0 */
  const char *zeros[4];                   /* names of fields; NULL: no more */
};

/* Writes the resolver's text so. False: it has no place for that, does not fit, or would not be that event. */
__attribute__((cold)) bool respell(const struct resolver *r, const struct respelling *to, char *text, size_t size);

#endif
