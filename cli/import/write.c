/* SPDX-License-Identifier: MIT */
/* Writes the contents of an event file as fact files (docs/formats.md). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/import/import.h"

static bool has_metrics(const struct import *im)
{
  return im->metrics || import_has_other_pmus(im);
}

static void import_write_platform(FILE *f, const struct import *im)
{
  struct pmon_platform_info info = {.size = sizeof info};
  fprintf(f, CLI_IMPORT_LINE ", format %d; pmon -p FILE loads it.\nplatform %s\ntitle ", CLI_IMPORT_FORMAT, im->name);
  import_write_text(f, im->title ? im->title : im->source, "-");
  fputs("cite ", f);
  import_write_text(f, im->source, "-");
  fputs(im->cpus, f);
  if (im->base_path) {
    import_copy_clocks(f, im);
  } else if (im->base) {
    pmon_platform_describe(im->base, &info);
    fprintf(f, "import %s registers\n", info.name);
  }
  if (import_has_kernel_units(im) || im->base_path)
    fprintf(f, "file %s.reg\nfile %s.unit\n", im->name, im->name);
  fprintf(f, "file %s.evt\n", im->name);
  if (has_metrics(im))
    fprintf(f, "file %s.met\n", im->name);
}

static int import_write_file(const struct import *im, const char *folder, const char *suffix,
                             void (*write)(FILE *f, const struct import *im))
{
  char path[4096];
  if ((size_t)snprintf(path, sizeof path, "%s%s%s", folder, im->name, suffix) >= sizeof path)
    return cli_fail(im->cli, "%s: the name is too long", folder);
  FILE *f = fopen(path, "we");
  if (!f) {
    cli_fail(im->cli, "%s: %s", path, strerror(errno));
    return CLI_FAILED;
  }
  write(f, im);
  bool good = !ferror(f);
  if (fclose(f) != 0 || !good) {
    cli_fail(im->cli, "%s: %s", path, strerror(errno));
    remove(path);
    return CLI_FAILED;
  }
  return CLI_DONE;
}

int import_write(struct import *im, const char *folder)
{
  int result = import_write_file(im, folder, ".evt", import_write_events);
  if (!result && (import_has_kernel_units(im) || im->base_path)) {
    result = import_write_file(im, folder, ".reg", import_write_registers);
    result = result ? result : import_write_file(im, folder, ".unit", import_write_units);
  }
  if (!result && has_metrics(im))
    result = import_write_file(im, folder, ".met", import_write_metrics);
  return result ? result : import_write_file(im, folder, ".platform", import_write_platform);
}
