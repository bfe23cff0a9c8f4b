/* SPDX-License-Identifier: MIT */
#include "cli/stat/names.h"

#include <time.h>
#include <unistd.h>
#include <pmon/record.h>
#include "src/base/real.h"

void stat_names_describe_command(struct stat_names *n, const struct target_options *target)
{
  const struct {
    const char *kind, *name;
  } inputs[] = {{"trace", target->trace},
                {"scenario", target->scenario},
                {"bundles", target->bundles},
                {"generated", target->generate}};
  size_t used = 0;
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    if (inputs[i].name)
      snprintf(n->command, sizeof n->command, "%s %s", inputs[i].kind, inputs[i].name);
  for (char **word = target->argv; word && *word && used < sizeof n->command; word++)
    used += (size_t)snprintf(n->command + used, sizeof n->command - used, "%s%s", used ? " " : "", *word);
}

void stat_names_take_machine(struct stat_names *n, const struct pmon_platform *platform, bool host)
{
  struct pmon_platform_info info = {.size = sizeof info};
  snprintf(n->backend, sizeof n->backend, "machine");
  if (!host && !pmon_platform_describe(platform, &info))
    snprintf(n->machine, sizeof n->machine, "%s", *info.base ? info.base : info.name);
}

void stat_names_take_host(struct stat_names *n)
{
  struct timespec now;
  char text[40];
  if (gethostname(n->host, sizeof n->host - 1))
    snprintf(n->host, sizeof n->host, "unknown");
  if (clock_gettime(CLOCK_REALTIME, &now))
    return;
  real_print(text, sizeof text, "%.6f", (double)now.tv_sec + (double)now.tv_nsec * 1e-9);
  n->time = real_parse(text, NULL);
}

void stat_names_format_place(const struct stat_names *n, const char *platform, char *text, size_t size)
{
  if (*n->machine)
    snprintf(text, size, "EMULATED: %s on pmon's %s machine", platform, n->machine);
  else
    snprintf(text, size, "%s on %s", platform, n->backend);
}

void stat_names_take_recording(struct stat_names *n, const struct pmon_recording_info *info)
{
  snprintf(n->backend, sizeof n->backend, "%s", info->backend);
  snprintf(n->machine, sizeof n->machine, "%s", info->machine);
  snprintf(n->command, sizeof n->command, "%s", info->command);
  snprintf(n->host, sizeof n->host, "%s", info->host);
  n->time = info->time;
}
