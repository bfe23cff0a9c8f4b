/* SPDX-License-Identifier: MIT */
#include "cli/common/findings.h"

#include <inttypes.h>
#include <stdio.h>

static void finding_format(const struct check_finding *f, char *text, size_t size)
{
  char address[64], times[40] = "";
  pmon_address_format(&f->address, address, sizeof address);
  if (f->times > 1)
    snprintf(times, sizeof times, ", %" PRIu64 " times", f->times);
  snprintf(text, size,
           "%s %s%s%s = 0x%" PRIx64 " (package %" PRIu32 ", %s; access %" PRIu64 " at %" PRIu64 " ns%s)\n"
           "       %s%s%s [%s; %s]\n",
           f->advice ? "advice" : "error ", f->name, *f->field ? " " : "", f->field, f->value, f->address.package,
           address, f->access, f->time_ns, times, f->brief, *f->missing ? ": " : "", f->missing, f->rule, f->cite);
}

void finding_write_rule(struct out *out, const struct check_finding *f)
{
  json_text(out, "rule", f->rule);
  json_text(out, "brief", f->brief);
  json_text(out, "cite", f->cite);
}

void finding_write_register(struct out *out, const struct check_finding *f)
{
  char address[64];
  pmon_address_format(&f->address, address, sizeof address);
  json_text(out, "register", f->name);
  json_text(out, "field", *f->field ? f->field : NULL);
  json_text(out, "missing", *f->missing ? f->missing : NULL);
  json_number(out, "value", f->value);
  json_number(out, "bits", f->bits);
  json_number(out, "package", f->address.package);
  json_text(out, "address", address);
}

static void finding_write_json(struct out *out, const struct check_finding *f)
{
  json_open(out, NULL, '{');
  json_text(out, "level", f->advice ? "advice" : "error");
  finding_write_rule(out, f);
  finding_write_register(out, f);
  json_number(out, "access", f->access);
  json_number(out, "time_ns", f->time_ns);
  json_number(out, "times", f->times);
  json_close(out, '}');
  json_end_line(out);
}

void findings_format_counts(const struct findings_counts *counts, char *text, size_t size)
{
  snprintf(text, size, "%" PRIu64 " access%s%s %zu violation%s, %zu advisor%s", counts->accesses,
           counts->accesses == 1 ? "" : "es", counts->checked ? " checked:" : ",", counts->violations,
           counts->violations == 1 ? "" : "s", counts->advisories, counts->advisories == 1 ? "y" : "ies");
}

void findings_write(struct out *out, struct checker *c, bool json)
{
  const struct check_finding *list;
  check_end(c);
  size_t n = check_findings(c, &list);
  char text[1200], counts[120];
  for (size_t i = 0; i < n; i++) {
    if (json) {
      finding_write_json(out, &list[i]);
      continue;
    }
    finding_format(&list[i], text, sizeof text);
    out_text(out, text);
  }
  if (json)
    return;
  findings_format_counts(&(struct findings_counts){check_accesses(c), check_errors(c), n - check_errors(c), false},
                         counts, sizeof counts);
  snprintf(text, sizeof text, "%s%s%s\n", counts,
           check_unknown(c) ? "; some accesses were not to monitoring registers" : "",
           check_incomplete(c) ? "; out of memory: findings may be missing" : "");
  out_text(out, text);
}

int findings_print(struct cli *cli, struct checker *c)
{
  const struct check_finding *list;
  check_end(c);
  size_t n = check_findings(c, &list);
  char text[1200];
  for (size_t i = 0; i < n; i++) {
    finding_format(&list[i], text, sizeof text);
    cli_print_error("%s", text);
  }
  findings_format_counts(&(struct findings_counts){check_accesses(c), check_errors(c), n - check_errors(c), true}, text,
                         sizeof text);
  cli_note(cli, "%s", text);
  return check_errors(c) || check_incomplete(c) ? CLI_FAILED : CLI_DONE;
}
