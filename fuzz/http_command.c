/* SPDX-License-Identifier: MIT */
/* Stubs for the parts of the command that the exporter's readers use: messages are formatted, and written nowhere. */
#include <stdarg.h>
#include "cli/common/groups.h"
#include "cli/common/one_value.h"
#include "cli/stat/plan.h"
#include "cli/stat/run.h"

static int format_message(const char *format, va_list ap)
{
  char text[4096];
  return vsnprintf(text, sizeof text, format, ap) < 0 ? CLI_FAILED : CLI_USAGE;
}

int cli_fail(const struct cli *cli, const char *format, ...)
{
  va_list ap;
  (void)cli;
  va_start(ap, format);
  const int result = format_message(format, ap);
  va_end(ap);
  return result;
}

void cli_note(const struct cli *cli, const char *format, ...)
{
  va_list ap;
  (void)cli;
  va_start(ap, format);
  format_message(format, ap);
  va_end(ap);
}

int cli_fail_value(const struct cli *cli, const char *option, const char *value, const char *expected)
{
  return cli_fail(cli, "%s %s %s", option, value, expected);
}

int cli_fail_word(const struct cli *cli, const char *option, const char *value, const char *words)
{
  return cli_fail_value(cli, option, value, words);
}

int cli_fail_memory(const struct cli *cli)
{
  return cli_fail(cli, "out of memory");
}

int cli_fail_context(const struct cli *cli, const char *text)
{
  return cli_fail(cli, "%s: %s", text ? text : "", pmon_context_error(cli->context));
}

/* Stubs: times in a file, and the counting of its lists, are not tested. */
int stat_time_parse(const struct cli *cli, const char *option, const char *value, uint64_t *ret_ns)
{
  *ret_ns = 1000000;
  return *value ? CLI_DONE : cli_fail_value(cli, option, value, "a time");
}

bool stat_wanted_defer(const struct cli *cli, char **waiting, const char *list)
{
  (void)cli, (void)waiting, (void)list;
  return false;
}

int stat_wanted_add(struct cli *cli, const struct hardware *h, struct stat_wanted *w, int option, const char *list)
{
  return cli && h && w->plan && *list && option ? CLI_DONE : CLI_USAGE;
}

void one_value_warn(const struct cli *cli, const char *list)
{
  cli_fail(cli, "%s", list);
}

int stat_make_plan(struct stat_run *s)
{
  return s->wanted.plan ? CLI_DONE : CLI_USAGE;
}

bool groups_has(const struct cli *cli, const char *name)
{
  return cli->platform && *name;
}
