/* SPDX-License-Identifier: MIT */
#include "cli/common/recording.h"
#include <inttypes.h>
#include <string.h>

/* Whether -p is compatible with this recording; a user-supplied platform is compatible with any. */
static bool is_of_platform(struct cli *cli, const char *recorded)
{
  struct pmon_platform_info meant = {.size = sizeof meant}, own = {.size = sizeof own};
  const struct pmon_platform *platform;
  if (pmon_platform_find(cli->context, recorded, &platform))
    return true;
  pmon_platform_describe(platform, &own);
  pmon_platform_describe(cli->platform, &meant);
  return !strcmp(own.base, meant.base);
}

/* Whether a recording of user-supplied files is read with the same files. Files that add to a compiled-in platform may
 * differ, because its events keep their meanings. */
static bool is_recorded_content(struct cli *cli, const struct pmon_recording_info *info)
{
  struct pmon_platform_info meant = {.size = sizeof meant}, one = {.size = sizeof one};
  const struct pmon_platform *p;
  pmon_platform_describe(cli->platform, &meant);
  if (!*info->content || !strcmp(info->content, meant.content))
    return true;
  for (uint32_t i = 0; (p = pmon_platform_get(cli->context, i)) && !pmon_platform_describe(p, &one); i++)
    if (!*one.content && !strcmp(one.name, info->platform))
      return true;
  return false;
}

/* Selects the platform of the recording. CLI_DONE, or an exit code after printing an error. */
static int take_platform(struct cli *cli, const char *path, const struct pmon_recording_info *info)
{
  const char *const first = cli->platform_file; /* of a comparison */
  if (cli_platform_of_file(cli, path, info->platform) != CLI_DONE || !cli_platform(cli))
    return CLI_USAGE;
  if (!is_recorded_content(cli, info))
    return cli_fail(cli,
                    "%s: platform %s was recorded with other files (SHA-256 %.16s...); add -p FILE with the platform "
                    "file of that time",
                    path, info->platform, info->content);
  if (!is_of_platform(cli, info->platform) && first)
    return cli_fail(cli, "%s: the recording is of platform %s, %s of another: they cannot be compared", path,
                    info->platform, first);
  if (!is_of_platform(cli, info->platform))
    return cli_fail(cli, "%s: the recording is of platform %s; omit -p, or add -p %s", path, info->platform,
                    info->platform);
  return CLI_DONE;
}

double recording_origin(const struct pmon_recording_info *info, const struct pmon_session *first)
{
  return strcmp(info->backend, "machine") ? (double)pmon_session_now_ns(first) * 1e-9 - pmon_session_seconds(first) : 0;
}

int recording_open(struct cli *cli, const char *path, struct pmon_recording **ret_recording)
{
  struct pmon_recording_info info = {.size = sizeof info};
  struct pmon_recording *r = NULL;
  if (!*path)
    return cli_fail_no_file(cli);
  if (pmon_recording_open(cli->context, path, &r))
    return cli_fail_file(cli);
  pmon_recording_describe(r, &info);
  if (!info.complete)
    cli_warn(cli, "%s: the recording was not completed, and ends after %.6f s with interval %" PRIu32, path,
             info.seconds, info.intervals);
  const int result = take_platform(cli, path, &info);
  if (result == CLI_DONE)
    *ret_recording = r;
  else
    pmon_recording_close(r);
  return result;
}
