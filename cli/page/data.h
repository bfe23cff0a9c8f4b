/* SPDX-License-Identifier: MIT */
/* The contents of a page, as JSON. */
#ifndef CLI_PAGE_DATA_H
#define CLI_PAGE_DATA_H

#include <jansson.h>
#include "cli/page/page.h"

/* Returns the recordings' values and their comparisons. NULL after printing an error, whose exit code is in
 * *ret_exit. */
json_t *page_data(struct cli *cli, const struct page_request *request, int *ret_exit);

#endif
