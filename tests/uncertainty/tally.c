/* SPDX-License-Identifier: MIT */
#include "tests/uncertainty/tally.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* LEAST_CASES: shares of fewer cases are not checked. */
enum { TALLY_MEANT = 200, LEAST_CASES = 40, LONGEST_SHARE = 64 };

unsigned tally_least = 93;

static unsigned failures;

static void list_add(struct tally_list *list, double part)
{
  enum { GROWTH = 256 };
  if (list->n % GROWTH == 0 && !(list->part = realloc(list->part, (list->n + GROWTH) * sizeof *list->part)))
    abort();
  list->part[list->n++] = part;
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns a quantile in percent; 0 for an empty list. */
static double list_quantile(const struct tally_list *list, double part)
{
  if (!list->n)
    return 0;
  qsort(list->part, list->n, sizeof *list->part, by_size);
  return 100 * list->part[(size_t)(part * (double)(list->n - 1))];
}

static double list_mean(const struct tally_list *list)
{
  double sum = 0;
  for (size_t i = 0; i < list->n; i++)
    sum += list->part[i];
  return list->n ? 100 * sum / (double)list->n : 0;
}

static void list_merge(struct tally_list *into, const struct tally_list *from)
{
  for (size_t i = 0; i < from->n; i++)
    list_add(into, from->part[i]);
}

void tally_add(struct tally *t, const struct tally_case *one)
{
  const struct pmon_value *v = one->value;
  const unsigned class = one->truth <= 50 ? 0 : one->truth < 200 ? 1 : one->truth <= 1000 ? 2 : 3;
  const bool known = v->valid && !(v->flags & PMON_VALUE_UNCERTAIN);
  t->unknown_of[class] += !known;
  t->of_class[class] += known;
  t->held_of[class] += known && v->low <= one->truth && one->truth <= v->high;
  if (one->truth < TALLY_MEANT)
    return;
  if (one->has_plain) {
    t->plain++;
    t->plain_held += fabs(one->plain.number - one->truth) <= one->plain.half;
    list_add(&t->plain_error, fabs(one->plain.number - one->truth) / one->truth);
    list_add(&t->plain_width, one->plain.half / one->truth);
  }
  if (!known)
    return;
  list_add(&t->error, fabs(v->number - one->truth) / one->truth);
  list_add(&t->width, (v->high - v->low) / 2 / one->truth);
}

void tally_merge(struct tally *into, const struct tally *from)
{
  for (unsigned i = 0; i < TALLY_CLASSES; i++) {
    into->of_class[i] += from->of_class[i];
    into->held_of[i] += from->held_of[i];
    into->unknown_of[i] += from->unknown_of[i];
  }
  into->plain += from->plain;
  into->plain_held += from->plain_held;
  list_merge(&into->width, &from->width);
  list_merge(&into->error, &from->error);
  list_merge(&into->plain_width, &from->plain_width);
  list_merge(&into->plain_error, &from->plain_error);
}

void tally_fini(struct tally *t)
{
  free(t->width.part);
  free(t->error.part);
  free(t->plain_width.part);
  free(t->plain_error.part);
}

static unsigned total(const unsigned of_class[TALLY_CLASSES])
{
  unsigned sum = 0;
  for (unsigned i = 0; i < TALLY_CLASSES; i++)
    sum += of_class[i];
  return sum;
}

unsigned tally_cases(const struct tally *t)
{
  return total(t->of_class);
}

/* Computes the 95 % interval of a share, in percent, by Wilson's score: what the number of cases leaves open. */
static void share_interval(unsigned held, unsigned of, double ret_ends[2])
{
  const double z = 1.96, n = of, p = held / n, middle = p + z * z / (2 * n);
  const double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)), whole = 1 + z * z / n;
  ret_ends[0] = 100 * (middle - half) / whole;
  ret_ends[1] = 100 * (middle + half) / whole;
}

/* "95.1 % of 840 (93 to 96 %)"; judged by the share. */
static const char *held_text(unsigned held, unsigned of, char text[LONGEST_SHARE])
{
  const bool bad = of >= LEAST_CASES && 100 * held < tally_least * of;
  double ends[2];
  failures += bad;
  if (!of)
    return "-";
  share_interval(held, of, ends);
  snprintf(text, LONGEST_SHARE, "%.1f %% of %u (%.0f to %.0f %%)%s", 100.0 * held / of, of, ends[0], ends[1],
           bad ? " (!)" : "");
  return text;
}

void tally_print_head(bool table, const char *platform)
{
  printf(table
             ? "\n| %s | contained the truth | half width | error | unknown | plain scaling: contained | half width | "
               "error |\n|---|---|---|---|---|---|---|---|\n"
             : "%s\n",
         platform);
}

void tally_print(bool table, const char *name, const struct tally *t)
{
  char text[LONGEST_SHARE];
  const unsigned of = total(t->of_class), unknown = total(t->unknown_of);
  printf(table ? "| %s | %s | %.1f %% | %.1f %% | %.0f %% | %.0f %% | %.1f %% | %.1f %% |\n"
               : "%-24s %-32s half width %5.1f %%, error %5.1f %%, unknown %2.0f %%; plain: %3.0f %%, half width "
                 "%5.1f %%, error %5.1f %%\n",
         name, held_text(total(t->held_of), of, text), list_quantile(&t->width, 0.5), list_mean(&t->error),
         100.0 * unknown / fmax(1, of + unknown), 100.0 * t->plain_held / fmax(1, t->plain),
         list_quantile(&t->plain_width, 0.5), list_mean(&t->plain_error));
  fflush(stdout);
}

void tally_print_classes(const struct tally *t)
{
  static const char *const names[TALLY_CLASSES] = {"up to 50", "51 to 199", "200 to 1,000", "more"};
  char text[LONGEST_SHARE];
  for (unsigned i = 0; i < TALLY_CLASSES; i++)
    printf("%s counts: %s, %.0f %% unknown\n", names[i], held_text(t->held_of[i], t->of_class[i], text),
           100.0 * t->unknown_of[i] / fmax(1, t->of_class[i] + t->unknown_of[i]));
}

unsigned tally_failures(void)
{
  return failures;
}
