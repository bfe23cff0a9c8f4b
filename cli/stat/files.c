/* SPDX-License-Identifier: MIT */
#include "cli/stat/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/record.h>
#include "cli/common/paths.h"
#include "cli/stat/by_device.h"
#include "cli/stat/run.h"

int stat_files_open_log(const struct cli *cli, struct stat_files *f)
{
  const int fd = f->log_path ? path_open_write(cli, f->log_path) : -1;
  if (f->log_path && (fd < 0 || !(f->log = fdopen(fd, "w"))))
    return cli_fail(cli, "%s: cannot be written: %s", f->log_path, strerror(errno));
  return CLI_DONE;
}

bool stat_files_close_log(const struct cli *cli, struct stat_files *f)
{
  if (!f->log)
    return true;
  const bool failed = ferror(f->log) != 0;
  if (!fclose(f->log) && !failed)
    return true;
  cli_fail(cli, "%s: cannot be written: %s", f->log_path, strerror(errno));
  return false;
}

int stat_files_parse_journal(const struct cli *cli, struct stat_files *f, const char *path)
{
  f->journal_given = true;
  if (path && (size_t)snprintf(f->journal, sizeof f->journal, "%s", path) >= sizeof f->journal)
    return cli_fail(cli, "--journal: the path is too long; give --journal=FILE");
  return CLI_DONE;
}

/* Whether a file can be created in the folder of that file; false with errno. */
static bool folder_takes(const char *path)
{
  char *copy = strdup(path);
  const bool takes = copy && !faccessat(AT_FDCWD, dirname(copy), W_OK | X_OK, AT_EACCESS);
  free(copy);
  return takes;
}

/* It is wrong usage if the folder takes no new file, or the name is a folder's or a device's; a full disk is not. */
static int fail_record(const struct cli *cli, const char *path)
{
  struct stat is;
  const int result = cli_fail_context(cli, NULL);
  const char *name = strrchr(path, '/');
  const bool special = (name && !name[1]) || (!stat(path, &is) && !S_ISREG(is.st_mode));
  return folder_takes(path) && !special ? result : CLI_USAGE;
}

int stat_files_begin_record(struct stat_run *s, const struct pmon_session *session)
{
  struct pmon_record_head head = {.size = sizeof head,
                                  .backend = s->names.backend,
                                  .command = s->names.command,
                                  .machine = s->names.machine,
                                  .host = s->names.host,
                                  .time = s->names.time};
  if (s->files.record_path && pmon_record_new(session, s->files.record_path, &head, &s->files.record))
    return fail_record(s->cli, s->files.record_path);
  s->files.recorded = s->files.record;
  return stat_devices_record(s->cli, &s->devices, s->files.record);
}

int stat_files_choose_journal(struct stat_run *s)
{
  const bool unasked = s->source.host && !s->source.dry && strcmp(s->names.backend, "perf");
  char name[40];
  snprintf(name, sizeof name, "%s%d", s->source.host ? "" : "machine-", (int)getpid());
  if (*s->files.journal) /* given on the command line: wrong usage if it cannot be created */
    return folder_takes(s->files.journal)
               ? CLI_DONE
               : cli_fail(s->cli, "%s: cannot create: %s", s->files.journal, strerror(errno));
  if (!(s->files.journal_given || unasked) || journal_default_path(s->files.journal, sizeof s->files.journal, name))
    return CLI_DONE;
  *s->files.journal = 0;
  if (s->files.journal_given)
    return cli_fail(s->cli, "--journal: XDG_RUNTIME_DIR is not set; give --journal=FILE");
  cli_note(s->cli, "--journal: no default path, so registers cannot be restored after kill -9; set XDG_RUNTIME_DIR, or "
                   "give --journal=FILE");
  return CLI_DONE;
}
