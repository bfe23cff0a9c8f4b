/* SPDX-License-Identifier: MIT */
/* The events and metrics that are measured, as the options give them. */
#ifndef CLI_STAT_WANTED_H
#define CLI_STAT_WANTED_H

#include "cli/target/hardware.h"

struct stat_wanted {
  struct pmon_plan *plan;
  bool given;    /* -e, -m or -g */
  char *waiting; /* -m: lists whose equations may use names of later lists; NULL: none */
};

/* Adds an option's list to the plan: 'e' events, 'm' metrics, 'g' metric groups. An enum cli_exit. */
int stat_wanted_add(struct cli *cli, const struct hardware *h, struct stat_wanted *w, int option, const char *list);
/* Does the same for an option that can be repeated (-m): equations that use those of later lists wait for
 * stat_wanted_add_waiting(), which is called after the last option. */
int stat_wanted_add_option(struct cli *cli, const struct hardware *h, struct stat_wanted *w, int option,
                           const char *list);
int stat_wanted_add_waiting(struct cli *cli, const struct hardware *h, struct stat_wanted *w);
/* Adds `list` to `*waiting`, if the plan refused it for a name that another list may define. */
bool stat_wanted_defer(const struct cli *cli, char **waiting, const char *list);

/* Adds the lists of options, each of which is a single text; NULL: not given. */
struct stat_lists {
  const char *events, *metrics, *groups;
};
int stat_wanted_add_lists(struct cli *cli, const struct hardware *h, struct stat_wanted *w,
                          const struct stat_lists *lists);

#endif
