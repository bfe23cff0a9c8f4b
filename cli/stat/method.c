/* SPDX-License-Identifier: MIT */
#include "cli/stat/method.h"

#include <string.h>
#include "cli/common/value.h"
#include "cli/stat/times.h"

enum { VERIFY_NS = 1000000000 };

int stat_method_parse_freeze(const struct cli *cli, struct stat_method *m, const char *text)
{
  static const char *const names[] = {[PMON_FREEZE_GLOBAL] = "global",
                                      [PMON_FREEZE_BOX] = "box",
                                      [PMON_FREEZE_NONE] = "none",
                                      [PMON_FREEZE_BOUNDARIES] = "boundaries"};
  const struct value_words words = {names, sizeof names / sizeof *names};
  return value_parse_word(cli, "--freeze", text, &words, &m->freeze);
}

int stat_method_parse_witness(const struct cli *cli, struct stat_method *m, const char *text)
{
  static const char *const names[] = {"off", "on"};
  const struct value_words words = {names, sizeof names / sizeof *names};
  uint32_t on = 0;
  const int result = value_parse_word(cli, "--witness", text, &words, &on);
  m->no_witness = !on;
  return result;
}

int stat_method_parse_verify(const struct cli *cli, struct stat_method *m, const char *text)
{
  m->verify_given = true;
  if (strcmp(text, "0") && !stat_time_read(text, &m->verify_ns))
    return cli_fail_value(cli, "--verify", text, "0, " STAT_TIME_FORM);
  return CLI_DONE;
}

uint64_t stat_method_verify_ns(const struct stat_method *m, bool has_intervals, bool emulated)
{
  if (m->verify_given)
    return m->verify_ns;
  return has_intervals && !emulated ? VERIFY_NS : 0;
}
