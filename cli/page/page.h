/* SPDX-License-Identifier: MIT */
/*
 * A page to send: recordings and their comparison as one file of HTML that needs no network. page.c writes the file,
 * data.c its contents as JSON; the scripts and page.css show them, with dygraphs for values over time.
 */
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include "cli/common/cli.h"

/* The sources of a page. */
struct page_request {
  const char *const *paths; /* of recordings; the first one is compared with each of the others */
  uint32_t n_paths;
  const char *events, *metrics, *groups; /* lists; NULL: those of the recordings */
  bool unnamed;                          /* the paths are temporary: the page does not show them */
};

/* Checks that a file may be written: it must not be one of the recordings. CLI_DONE, or CLI_USAGE after printing an
 * error. */
int page_check_path(const struct cli *cli, const struct page_request *request, const char *path);

/* Writes the page to a file, or to standard output if `path` is "-". CLI_DONE, or an exit code after printing an error;
 * then no incomplete file is left behind. */
int page_write(struct cli *cli, const struct page_request *request, const char *path);

#endif
