/* SPDX-License-Identifier: MIT */
/* Words for flags, kinds of freezing and methods of comparison. */
#include "src/output/compare.h"
#include "src/output/report.h"

const char *report_flag_name(unsigned bit)
{
  static const char *const names[] = {"wrapped",     "scaled",    "lost",    "unavailable", "stolen",
                                      "backwards",   "uncertain", "stuck",   "vanished",    "unknown",
                                      "implausible", "silent",    "sampled", "witness",     "partial"};
  return bit < sizeof names / sizeof *names ? names[bit] : NULL;
}

const char *report_freeze_name(uint32_t freeze)
{
  static const char *const names[] = {[PMON_FREEZE_GLOBAL] = "global",
                                      [PMON_FREEZE_BOX] = "box",
                                      [PMON_FREEZE_NONE] = "none",
                                      [PMON_FREEZE_BOUNDARIES] = "boundaries"};
  return freeze < sizeof names / sizeof *names && names[freeze] ? names[freeze] : "";
}

const char *comparison_method_name(uint32_t method)
{
  static const char *const names[] = {[PMON_COMPARED_BY_RUNS] = "runs",
                                      [PMON_COMPARED_BY_INTERVALS] = "intervals",
                                      [PMON_COMPARED_BY_ERRORS] = "errors",
                                      [PMON_NOT_COMPARED] = "none"};
  return method < sizeof names / sizeof *names ? names[method] : "";
}
