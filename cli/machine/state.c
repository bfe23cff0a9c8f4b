/* SPDX-License-Identifier: MIT */
#include "cli/machine/state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/machine.h"
#include "machine/pmon/save.h"
#include "machine/trace/source.h"

#define STATE_MAX (16u << 20)

/* Reads a whole file, and returns its length in *ret_n. */
static char *read_file(const char *path, size_t *ret_n)
{
  FILE *f = fopen(path, "re");
  char *text = malloc(STATE_MAX);
  size_t n = f && text ? fread(text, 1, STATE_MAX, f) : 0;
  const int failed = f && text && !ferror(f) ? 0 : errno;

  if (f)
    fclose(f);
  errno = failed ? failed : n == STATE_MAX ? EFBIG : 0;
  *ret_n = n;
  if (!errno)
    return text;
  free(text);
  return NULL;
}

int state_load_file(struct cli *cli, const char *path, const struct target *t)
{
  char error[TRACE_ERROR_SIZE] = "";
  size_t n;
  char *text = read_file(path, &n);
  int status;

  if (!text)
    return cli_fail(cli, "%s: cannot be read: %s", path, strerror(errno));
  status = t->core ? montecito_machine_state_load(t->core, text, n, error, sizeof error)
                   : machine_state_load(t->machine, text, n, error, sizeof error);
  free(text);
  return status ? cli_fail(cli, "%s: %s", path, error) : CLI_DONE;
}

int state_save_file(struct cli *cli, const char *path, const struct target *t)
{
  FILE *f = fopen(path, "we");
  if (!f)
    return cli_fail(cli, "%s: cannot be written: %s", path, strerror(errno));
  int status = t->core ? montecito_machine_state_save(t->core, f) : machine_state_save(t->machine, f);

  if (fclose(f))
    status = PMON_E_IO;
  if (!status)
    return CLI_DONE;
  cli_fail(cli, "%s: cannot be written: %s", path, strerror(errno));
  return CLI_FAILED;
}
