/* SPDX-License-Identifier: MIT */
/* A list of limits, and their names. */
#include "cli/target/limits.h"

#include <string.h>

void limits_add(struct limit_list *list, const char *name, uint32_t package, double number)
{
  uint32_t i = 0;
  if (!(number > 0))
    return;
  while (i < list->n && (list->limit[i].package != package || strcmp(list->limit[i].name, name)))
    i++;
  if (i == sizeof list->limit / sizeof *list->limit)
    return;
  if (i == list->n)
    list->limit[list->n++] = (struct pmon_limit){name, package, number};
  else if (number > list->limit[i].number)
    list->limit[i].number = number;
}

const char *limits_name(const char *name)
{
  static const char *const names[] = {"ddr", "channels", "link", "lanes", "stack", "uncore", "core", "bus"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], name))
      return names[i];
  return NULL;
}
