/* SPDX-License-Identifier: MIT */
/* --fail-if: limits of changes, and the rows that exceed them. */
#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "cli/diff/diff.h"
#include "src/base/real.h"

#define BUDGET_FORM "NAME > +5%, NAME < -2e9 (a change), or NAME > 1e9 (a value)"

static const char *skip_blanks(const char *s)
{
  return s + strspn(s, " \t");
}

/* The operator is the first < or >: names of events contain other signs, such as = and /. */
int budget_parse(const struct cli *cli, const char *text, struct budget *ret_budget)
{
  const char *op = strpbrk(text, "<>"), *number, *rest;
  char *end;
  size_t n = op ? (size_t)(op - text) : 0;
  while (n && isspace((unsigned char)text[n - 1]))
    n--;
  const char *const name = skip_blanks(text);
  n -= (size_t)(name - text) < n ? (size_t)(name - text) : n;
  if (!op || !n)
    return cli_fail_value(cli, "--fail-if", text, BUDGET_FORM);
  number = skip_blanks(op + 1 + (op[1] == '='));
  const double limit = real_parse(*number == '+' ? number + 1 : number, &end);
  rest = skip_blanks(end);
  const bool is_change = *number == '+' || *number == '-', percent = *rest == '%';
  if (end == number || (*number == '+' && end == number + 1) || !isfinite(limit) || *skip_blanks(rest + percent) ||
      (percent && !is_change))
    return cli_fail_value(cli, "--fail-if", text, BUDGET_FORM);
  *ret_budget = (struct budget){.text = text,
                                .above = *op == '>',
                                .kind = percent     ? BUDGET_PERCENT
                                        : is_change ? BUDGET_CHANGE
                                                    : BUDGET_VALUE,
                                .limit = limit,
                                .name = strndup(name, n)};
  return ret_budget->name ? CLI_DONE : cli_fail_memory(cli);
}

/* The value to which the limit applies, and its 95 % interval. */
struct judged {
  double value, low, high;
};

static struct judged judged_of(const struct budget *budget, const struct pmon_comparison_row *row)
{
  const double scale = budget->kind == BUDGET_PERCENT ? 100 / fabs(row->a.number) : 1;
  if (budget->kind == BUDGET_VALUE)
    return (struct judged){row->b.number, row->b.low, row->b.high};
  return (struct judged){row->change * scale, row->low * scale, row->high * scale};
}

static const char *measure_of(const struct budget *budget, const struct pmon_comparison_row *row)
{
  return budget->kind == BUDGET_PERCENT ? "%" : row->unit;
}

/* Formats the part of the processor that a row is of, for a message; empty if the row is of all parts. */
static void format_scope(const struct cli *cli, const struct pmon_comparison_row *row, char *text, size_t size)
{
  struct pmon_platform_info platform = {.size = sizeof platform};
  text[0] = 0;
  if (row->package == PMON_ALL || pmon_platform_describe(cli->platform, &platform))
    return;
  if (row->instance == PMON_ALL)
    snprintf(text, size, " (%s %" PRIu32 ")", platform.package, row->package);
  else
    snprintf(text, size, " (%s %" PRIu32 ", %s %" PRIu32 ")", platform.package, row->package,
             row->instance_unit ? row->instance_unit : "instance", row->instance);
}

static int check_row(const struct cli *cli, const struct budget *budget, const struct pmon_comparison_row *row)
{
  char where[64], texts[3][32];
  format_scope(cli, row, where, sizeof where);
  if (row->method == PMON_NOT_COMPARED)
    return cli_fail(cli, "--fail-if %s: %s%s has no value on both sides: %s", budget->text, row->name, where,
                    row->a.valid ? row->b.reason : row->a.reason);
  if (budget->kind == BUDGET_PERCENT && row->a.number == 0)
    return cli_fail(cli,
                    "--fail-if %s: %s%s is 0 in the first measurement, so its change in percent is undefined; give a "
                    "change in its unit",
                    budget->text, row->name, where);
  const struct judged v = judged_of(budget, row);
  const bool beyond = budget->above ? v.value > budget->limit : v.value < budget->limit;
  const bool certain = budget->above ? v.low > budget->limit : v.high < budget->limit;
  const double numbers[] = {v.value, v.low, v.high};
  for (int i = 0; i < 3; i++)
    real_print(texts[i], sizeof texts[i], "%.4g", numbers[i]);
  if (!beyond)
    return CLI_DONE;
  cli_note(cli, "%s: --fail-if %s: %s%s %s %s%s%s (95 %% interval %s to %s)%s", certain ? "failed" : "not certain",
           budget->text, row->name, where, budget->kind == BUDGET_VALUE ? "is" : "changed by", texts[0],
           *measure_of(budget, row) ? " " : "", measure_of(budget, row), texts[1], texts[2],
           certain ? "" : "; the interval contains the limit, so this does not fail; measure longer, or more runs");
  return certain ? CLI_FAILED : CLI_DONE;
}

int budget_check(const struct cli *cli, const struct budget *budget, const struct pmon_comparison *comparison)
{
  struct pmon_comparison_row row = {.size = sizeof row};
  int result = CLI_DONE;
  bool found = false;
  for (uint32_t i = 0; !pmon_comparison_get(comparison, i, &row); i++) {
    if (fnmatch(budget->name, row.name, FNM_CASEFOLD))
      continue;
    const int one = check_row(cli, budget, &row);
    result = result ? result : one;
    found = true;
  }
  if (!found)
    return cli_fail(cli, "--fail-if %s: %s is not among the compared values; add it with -m or -e", budget->text,
                    budget->name);
  return result;
}
