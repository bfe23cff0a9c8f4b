/* SPDX-License-Identifier: MIT */
#include "cli/common/http.h"
#include <dlfcn.h>

const struct http_library *http_load(struct cli *cli, const char *what)
{
  static struct http_library http;
  static bool loaded;
  const struct {
    const char *name;
    void **function;
  } wanted[] = {{"curl_global_init", (void **)&http.global_init}, {"curl_easy_init", (void **)&http.init},
                {"curl_easy_cleanup", (void **)&http.cleanup},    {"curl_easy_setopt", (void **)&http.setopt},
                {"curl_easy_perform", (void **)&http.perform},    {"curl_easy_getinfo", (void **)&http.getinfo},
                {"curl_easy_strerror", (void **)&http.error},     {"curl_slist_append", (void **)&http.append}};
  if (loaded)
    return &http;
  void *const library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  loaded = library != NULL;
  for (size_t i = 0; loaded && i < sizeof wanted / sizeof *wanted; i++)
    loaded = (*wanted[i].function = dlsym(library, wanted[i].name)) != NULL;
  if (!loaded)
    cli_fail(cli, "%s needs libcurl (Debian: libcurl4): %s", what, dlerror());
  else if (http.global_init(CURL_GLOBAL_DEFAULT)) {
    cli_fail(cli, "%s: libcurl cannot be initialised", what);
    loaded = false;
  }
  return loaded ? &http : NULL;
}
