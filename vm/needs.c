/* SPDX-License-Identifier: MIT */
#include "vm/needs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "vm/file.h"

/* examples/vm/guest.config (gen/embed.py). */
extern const char needs_options[];
static const char group[] = "# for ", every_guest[] = "every guest";

static const char *next_line(const char *at)
{
  const char *end = strchr(at, '\n');
  return end ? end + 1 : at + strlen(at);
}

/* Returns the first letter of an option's value in a configuration; 0: it lacks the option. */
static char config_value(const char *config, const char *option, size_t n)
{
  for (const char *at = config; *at; at = next_line(at))
    if (!strncmp(at, option, n) && at[n] == '=')
      return at[n + 1];
  return 0;
}

/* An option that a configuration lacks. Each text ends at the end of its line. */
struct need {
  const char *what; /* what needs it, after "# for " */
  const char *line; /* CONFIG_NAME=VALUE */
};

/* Returns the next option after *at (NULL: the first) that the configuration lacks; an option whose value is m may be
 * y. False: there is no other one. */
static bool needs_next(const char *config, const char **at, struct need *ret)
{
  for (const char *line = *at ? next_line(*at) : needs_options; *line; line = next_line(line)) {
    const size_t n = strcspn(line, "=\n");
    if (strncmp(line, "CONFIG_", 7) || line[n] != '=')
      continue;
    const char wanted = line[n + 1], value = config_value(config, line, n);
    if (value == wanted || (wanted == 'm' && value == 'y'))
      continue;
    *at = ret->line = line;
    ret->what = "";
    for (const char *before = needs_options; before < line; before = next_line(before))
      if (!strncmp(before, group, sizeof group - 1))
        ret->what = before + sizeof group - 1;
    return true;
  }
  return false;
}

void needs_text(const char *config, bool every, char *text, size_t size)
{
  const char *at = NULL, *what = NULL;
  struct need need;
  size_t n = 0;
  *text = 0;
  while (needs_next(config, &at, &need) && n < size) {
    if (!strncmp(need.what, every_guest, sizeof every_guest - 1) != every)
      continue;
    if (what && what != need.what && n < size)
      n += (size_t)snprintf(text + n, size - n, " (for %.*s)", (int)strcspn(what, "\n"), what);
    if (n < size)
      n += (size_t)snprintf(text + n, size - n, "%s%.*s", n ? ", " : "", (int)strcspn(need.line, "\n"), need.line);
    what = every ? NULL : need.what;
  }
  if (what && n < size)
    snprintf(text + n, size - n, " (for %.*s)", (int)strcspn(what, "\n"), what);
}

static char *config_read(const char *path)
{
  struct file f;
  if (!file_read(path, &f))
    return NULL;
  char *text = strndup(f.n ? (const char *)f.bytes : "", f.n);
  file_free(&f);
  return text;
}

char *needs_config(const char *kernel, const char *release)
{
  static const char image[] = "arch/x86/boot/bzImage";
  const char *slash = strrchr(kernel, '/');
  const size_t length = strlen(kernel), tail = sizeof image - 1;
  char *path, *text;
  if (asprintf(&path, "%.*s/config-%s", slash ? (int)(slash - kernel) : 1, slash ? kernel : ".", release) < 0)
    return NULL;
  text = config_read(path);
  free(path);
  if (text || length < tail || strcmp(kernel + length - tail, image))
    return text;
  if (asprintf(&path, "%.*s.config", (int)(length - tail), kernel) < 0)
    return NULL;
  text = config_read(path);
  free(path);
  return text;
}

bool needs_built_in(const char *config, const char *option)
{
  return config_value(config, option, strlen(option)) == 'y';
}
