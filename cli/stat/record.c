/* SPDX-License-Identifier: MIT */
/* The files that outlive a measurement: its recording, and the journal by which registers can be restored. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/record.h>
#include "cli/stat/stat.h"

/* Whether a file can be created in the folder of that file; false with errno. */
static bool folder_takes(const char *path)
{
  char *copy = strdup(path);
  const bool takes = copy && !faccessat(AT_FDCWD, dirname(copy), W_OK | X_OK, AT_EACCESS);
  free(copy);
  return takes;
}

/* It is wrong usage if the folder takes no new file, or the name is a folder's or a device's; a full disk is not. */
static int fail_record(const struct stat_run *s)
{
  struct stat is;
  const int result = cli_fail_context(s->cli, NULL);
  const char *name = strrchr(s->record_path, '/');
  const bool special = (name && !name[1]) || (!stat(s->record_path, &is) && !S_ISREG(is.st_mode));
  return folder_takes(s->record_path) && !special ? result : CLI_USAGE;
}

int stat_begin_record(struct stat_run *s, const struct pmon_session *session)
{
  struct pmon_record_head head = {.size = sizeof head,
                                  .backend = s->backend,
                                  .command = s->command_text,
                                  .machine = s->machine,
                                  .host = s->name,
                                  .time = s->time};
  if (s->record_path && pmon_record_new(session, s->record_path, &head, &s->record))
    return fail_record(s);
  s->recorded = s->record;
  return stat_record_devices(s);
}

int stat_choose_journal(struct stat_run *s)
{
  const bool unasked = s->host && !s->dry && strcmp(s->backend, "perf");
  char name[40];
  snprintf(name, sizeof name, "%s%d", s->host ? "" : "machine-", (int)getpid());
  if (*s->journal) /* given on the command line: wrong usage if it cannot be created */
    return folder_takes(s->journal) ? CLI_DONE : cli_fail(s->cli, "%s: cannot create: %s", s->journal, strerror(errno));
  if (!(s->journal_given || unasked) || journal_default_path(s->journal, sizeof s->journal, name))
    return CLI_DONE;
  *s->journal = 0;
  if (s->journal_given)
    return cli_fail(s->cli, "--journal: XDG_RUNTIME_DIR is not set; give --journal=FILE");
  cli_note(s->cli, "--journal: no default path, so registers cannot be restored after kill -9; set XDG_RUNTIME_DIR, or "
                   "give --journal=FILE");
  return CLI_DONE;
}
