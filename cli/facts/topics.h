/* SPDX-License-Identifier: MIT */
/* Results of `pmon search` besides facts: manual pages and their options, sections of documents, example scenarios. */
#ifndef CLI_FACTS_TOPICS_H
#define CLI_FACTS_TOPICS_H

#include <stddef.h>
#include <stdbool.h>

struct cli;

struct topic {
  const char *kind; /* manual, document, scenario */
  const char *name; /* "pmon-stat(1): --csv", "docs/tutorial.md, Which channel", "examples/scenarios/emr-server.scn" */
  const char *brief;
};

/* Made by gen/topics.py. */
extern const struct topic topics[];
extern const size_t n_topics;

/* Prints the few topics that match a query best. Returns how many. */
size_t topics_search(struct cli *cli, const char *query, bool json);

#endif
