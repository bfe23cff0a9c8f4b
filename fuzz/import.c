/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the event files of `pmon import`, with the base that it chooses and with none: the input is refused, or gives
 * fact files that the library reads, and that are used in all the ways in which users do.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "cli/facts/describe.h"
#include "cli/import/import.h"
#include "cli/target/hardware.h"
#include "fuzz/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The command's messages are not tested. */
int cli_fail(const struct cli *cli, const char *format, ...)
{
  (void)cli;
  return *format ? CLI_USAGE : CLI_DONE;
}

void cli_note(const struct cli *cli, const char *format, ...)
{
  (void)cli, (void)format;
}

int cli_fail_value(const struct cli *cli, const char *option, const char *value, const char *expected)
{
  return cli_fail(cli, "%s %s %s", option, value, expected);
}

int cli_fail_word(const struct cli *cli, const char *option, const char *value, const char *words)
{
  return cli_fail(cli, "%s %s %s", option, value, words);
}

int cli_fail_missing(const struct cli *cli, const char *argument)
{
  return cli_fail(cli, "%s", argument);
}

int cli_fail_unexpected(const struct cli *cli, const char *argument)
{
  return cli_fail(cli, "%s", argument);
}

int cli_fail_memory(const struct cli *cli)
{
  return cli_fail(cli, "out of memory");
}

/* The processor of the host, which `--host` reads, is no input. */
int hardware_take_root(struct cli *cli, struct hardware *h, const char *root)
{
  (void)h;
  return cli_fail(cli, "%s", root);
}

bool cli_platform_folder(char *name, size_t size)
{
  return name && !size;
}

/* The library has refused the written fact files, which is a failure. */
int cli_fail_context(const struct cli *cli, const char *text)
{
  fprintf(stderr, "%s: %s\n", text ? text : "written", pmon_context_error(cli->context));
  abort();
}

void cli_help(const struct cli *cli)
{
  (void)cli;
}

/* Stubs of functions that the import of an event file does not call, but that its source files refer to. */
bool describe_wanted(const struct cli *cli, const struct pmon_event_info *e, const struct cli_options *o)
{
  return cli && e && o;
}

static char folder[] = "/tmp/pmon-import-XXXXXX";

static void remove_folder(void)
{
  static const char *const suffixes[] = {"platform", "reg", "unit", "evt", "met", "rule"};
  char path[64];
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    snprintf(path, sizeof path, "%s/x.%s", folder, suffixes[i]);
    unlink(path);
  }
  rmdir(folder);
}

static void fuzz_import_try(char *file, char *base)
{
  char *argv[] = {"import", "--name", "x", "-o", folder, file, "--as", base, NULL};
  struct cli cli = {.command = &import_command};
  if (pmon_context_new(&cli.context))
    abort();
  const struct pmon_platform *const known = pmon_platform_get(cli.context, 0);
  if (import_command.run(&cli, base ? 8 : 6, argv) == CLI_DONE) {
    const struct pmon_platform *p = pmon_platform_get(cli.context, 0);
    if (p == known)
      abort();
    walk_units(cli.context, p);
    walk_events(cli.context, p);
  }
  pmon_context_free(cli.context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static int fd = -1;
  char path[64];
  if (fd < 0 && (!mkdtemp(folder) || atexit(remove_folder) || (fd = memfd_create("events", 0)) < 0))
    abort();
  if (size > 1 << 14 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
    return 0;
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  fuzz_import_try(path, NULL);
  fuzz_import_try(path, "none");
  return 0;
}
