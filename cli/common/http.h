/* SPDX-License-Identifier: MIT */
/* libcurl, loaded by the commands that use HTTP. */
#ifndef CLI_COMMON_HTTP_H
#define CLI_COMMON_HTTP_H

#include <curl/curl.h>
#include "cli/common/cli.h"

struct http_library {
  __typeof__(curl_global_init) *global_init;
  __typeof__(curl_easy_init) *init;
  __typeof__(curl_easy_cleanup) *cleanup;
  __typeof__(curl_easy_setopt) *setopt;
  __typeof__(curl_easy_perform) *perform;
  __typeof__(curl_easy_getinfo) *getinfo;
  __typeof__(curl_easy_strerror) *error;
  __typeof__(curl_slist_append) *append;
};

/* Loads it once; it is never unloaded. NULL after printing an error: `what` needs it. Call it before there are
 * threads. */
const struct http_library *http_load(struct cli *cli, const char *what);

#endif
