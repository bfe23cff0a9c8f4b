/* SPDX-License-Identifier: MIT */
/* Resolves -p: a platform's name, a user-supplied file, a platform with additional files, or this host's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/common/cli.h"
#include "machine/model.h"

static bool ends_in(const char *name, const char *suffix)
{
  size_t n = strlen(name), k = strlen(suffix);
  return n >= k && !strcmp(name + n - k, suffix);
}

/* A platform's name has neither slashes nor a suffix. */
static bool is_platform_file(const char *name)
{
  return strchr(name, '/') || ends_in(name, ".platform");
}

static bool is_fact_file(const char *name)
{
  static const char *const suffixes[] = {".met", ".rule", ".evt", ".reg", ".unit"};
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
    if (ends_in(name, suffixes[i]))
      return true;
  return false;
}

const char *cli_default_platform(struct cli *cli)
{
  struct pmon_cpu cpu = cli->root_cpu;
  struct pmon_platform_info info = {.size = sizeof info};
  const struct pmon_platform *platform;
  if ((!cli->has_root && !pmon_cpu_read(&cpu)) ||
      pmon_platform_find_cpu(cli->context, cpu.vendor, cpu.signature, &platform) != PMON_OK)
    return model_default()->name;
  pmon_platform_describe(platform, &info);
  return info.name;
}

/* `NAME,FILE...` or `FILE...`: a platform with user-supplied files. */
static int extend_platform(struct cli *cli, const char *name, const char *files)
{
  char *platform = files > name ? strndup(name, (size_t)(files - name - 1)) : strdup(cli_default_platform(cli));
  int status = platform ? pmon_context_extend(cli->context, platform, files) : PMON_E_MEMORY;
  if (status)
    cli_fail_context(cli, NULL);
  free(platform);
  return status;
}

bool cli_platform_is_user_supplied(const struct cli *cli)
{
  return cli->platform_name && strpbrk(cli->platform_name, "./,");
}

int cli_platform_of_file(struct cli *cli, const char *path, const char *name)
{
  const struct pmon_platform *platform;
  const bool plain = name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")] == 0;
  if (cli->platform_name || cli->platform)
    return CLI_DONE;
  if (!plain || pmon_platform_find(cli->context, name, &platform))
    return cli_fail(cli, "%s: its platform%s%.60s is user-supplied; add -p FILE with the file of that platform", path,
                    plain ? " " : "", plain ? name : "");
  cli->platform_name = name;
  return CLI_DONE;
}

/* Whether the list begins with a platform, or with the first file of facts. */
static bool names_platform(const char *list)
{
  char first[4096];
  const size_t n = strcspn(list, ",");
  if (!list[n])
    return false;
  snprintf(first, sizeof first, "%.*s", (int)n, list);
  return !is_fact_file(first);
}

const struct pmon_platform *cli_platform(struct cli *cli)
{
  if (cli->platform)
    return cli->platform;
  const char *name = cli->platform_name ? cli->platform_name : cli_default_platform(cli);
  const char *comma = strchr(name, ',');
  bool loaded = true;
  int status;
  if (comma || is_fact_file(name))
    status = extend_platform(cli, name, names_platform(name) ? comma + 1 : name);
  else if (is_platform_file(name))
    status = pmon_context_load(cli->context, name) == PMON_OK ? 0 : cli_fail_context(cli, NULL);
  else if ((status = pmon_platform_find(cli->context, name, &cli->platform)) != PMON_OK)
    cli_fail_context(cli, NULL);
  else
    loaded = false;
  if (!status && loaded)
    cli->platform = pmon_platform_get(cli->context, 0); /* the platform loaded last comes first */
  return cli->platform;
}
