/* SPDX-License-Identifier: MIT */
/* Numbers as people read them. */
#include <math.h>
#include <string.h>
#include "src/base/real.h"
#include "src/output/report.h"

/* 1234567 -> 1,234,567, in front of any fraction. */
static void group_digits(const char *plain, char *text, size_t size)
{
  const char *digits = plain + (*plain == '-');
  size_t whole = strspn(digits, "0123456789"), n = 0;
  if (*plain == '-' && n + 1 < size)
    text[n++] = '-';
  for (size_t i = 0; digits[i] && n + 2 < size; i++) {
    if (i && i < whole && (whole - i) % 3 == 0)
      text[n++] = ',';
    text[n++] = digits[i];
  }
  text[n] = 0;
}

/* Writes four significant digits, or all of a whole number below 10^15. */
static void plain_number(double number, char *text, size_t size)
{
  char plain[64];
  double a = fabs(number);
  if (a >= 1e15)
    real_print(plain, sizeof plain, "%.6e", number);
  else if (number == floor(number) || a >= 1000)
    real_print(plain, sizeof plain, "%.0f", number);
  else if (a >= 0.001) /* the limits are where rounding gives a further digit: 0.99999 is 1.000 */
    real_print(plain, sizeof plain, "%.*f", a >= 99.995 ? 1 : a >= 9.9995 ? 2 : a >= 0.99995 ? 3 : 4, number);
  else
    real_print(plain, sizeof plain, "%.3e", number);
  group_digits(plain, text, size);
}

/* How a unit's numbers are printed: multiplied by `factor`, followed by `suffix`. */
struct scale {
  double factor;
  char suffix[48];
};

static struct scale scale_of(double number, const char *unit)
{
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  struct scale s = {.factor = 1};
  unsigned p = 0;
  if (!strcmp(unit, "ratio"))
    return (struct scale){100, " %"};
  if (!strcmp(unit, "Hz") || (!strncmp(unit, "bytes", 5) && (!unit[5] || unit[5] == '/'))) {
    for (; fabs(number * s.factor) >= 1000 && p < 5; p++)
      s.factor /= 1000;
    real_print(s.suffix, sizeof s.suffix, " %s%s%s", prefixes[p], *unit == 'H' ? "Hz" : "B",
               *unit == 'H' ? "" : unit + 5);
  } else if (*unit) {
    real_print(s.suffix, sizeof s.suffix, " %s", unit);
  }
  return s;
}

void report_number(double number, const char *unit, char *text, size_t size)
{
  const struct scale s = scale_of(number, unit);
  char plain[40];
  plain_number(number * s.factor, plain, sizeof plain);
  real_print(text, size, "%s%s", plain, s.suffix);
}

void pmon_report_time_text(double seconds, char text[PMON_REPORT_TEXT])
{
  static const struct {
    double least, factor;
    const char *unit;
  } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}};
  size_t i = 0;
  while (units[i].least > 0 && !(seconds >= units[i].least))
    i++;
  report_number(seconds * units[i].factor, units[i].unit, text, PMON_REPORT_TEXT);
}

/* `place`: the power of ten of the last digit. */
static void rounded_number(double number, int place, char *text, size_t size)
{
  const double step = pow(10, place > 0 ? place : 0), whole = round(number / step) * step;
  char plain[64];
  real_print(plain, sizeof plain, fabs(number) >= 1e15 ? "%.*e" : "%.*f",
             fabs(number) >= 1e15 ? 6
             : place < 0          ? -place
                                  : 0,
             place > 0 ? whole : number);
  group_digits(plain[0] == '-' && !plain[strspn(plain, "-0.")] ? plain + 1 : plain, text, size);
}

/* Writes ±4,600; +11,000 -5,600; +7 or -57 if the other side is 0. One number for both sides is written only up to
 * `most`. */
static size_t interval_text(double below, double above, double most, int place, char *text, size_t size)
{
  char up[48], down[48];
  rounded_number(above, place, up, sizeof up);
  rounded_number(below, place, down, sizeof down);
  const double step = above > 0 && below > 0 && place >= 0 ? pow(10, place) : 0, widest = fmax(above, below);
  if (fabs(above - below) <= fmax(0.25 * widest, step) && (widest <= most || above == below))
    return (size_t)real_print(text, size, "±%s", above > below ? up : down);
  if (above > 0 && below > 0)
    return (size_t)real_print(text, size, "+%s -%s", up, down);
  return (size_t)real_print(text, size, "%s%s", above > 0 ? "+" : "-", above > 0 ? up : down);
}

/* A number that is scaled by a witness can lie at an end of its interval by time, or beyond it (sample_weigh()). Then
 * no limit is known in that direction: +? -4,600. A count, however, is at least the number counted, and a share at most
 * 100 %. */
enum open_side { OPEN_NONE, OPEN_ABOVE, OPEN_BELOW };
static enum open_side open_side(const struct report_row *row, double below, double above, int place)
{
  const struct pmon_value *v = &row->value;
  const double least = 0.5 * pow(10, place), seen = v->number * row->share;
  if (!(v->flags & PMON_VALUE_WITNESS) || (below < least) == (above < least))
    return OPEN_NONE;
  if (above < least)
    return !strcmp(row->unit, "ratio") && v->high >= 1 ? OPEN_NONE : OPEN_ABOVE;
  return v->low <= seen * (1 + 1e-9) ? OPEN_NONE : OPEN_BELOW;
}

/* Returns the distance from the value to the nearer impossible one: below 0, or a share beyond 100 %. */
static double report_room(const struct report_row *row)
{
  const struct pmon_value *v = &row->value;
  const double down = v->low >= 0 ? v->number : INFINITY;
  const double up = !strcmp(row->unit, "ratio") && v->high <= 1 ? 1 - v->number : INFINITY;
  return fmin(down, up);
}

void report_estimate(const struct report_row *row, bool whole, bool deviates, char *value, char *after, size_t size)
{
  const struct pmon_value *v = &row->value;
  const double number = whole ? round(v->number) : v->number;
  const struct scale s = scale_of(number != 0 ? number : v->high, row->unit);
  double below = fmax(0, number - v->low) * s.factor, above = fmax(0, v->high - number) * s.factor;
  const double widest = fmax(below, above) > 0 ? fmax(below, above) : row->deviation * s.factor;
  char text[48];
  if (widest <= 0) {
    report_number(number, row->unit, value, size);
    real_print(after, size, "±0%s", deviates ? "  sd 0" : "");
    return;
  }
  /* The uncertainty has two significant digits, and the number ends at the same place. */
  int place = (int)floor(log10(widest) + 1e-9) - 1;
  place = whole && place < 0 ? 0 : place < -6 ? -6 : place;
  if (whole) { /* part of a count stands for a whole one */
    below = ceil(below - 1e-9);
    above = ceil(above - 1e-9);
  }
  rounded_number(number * s.factor, place, text, sizeof text);
  real_print(value, size, "%s%s", text, s.suffix);
  const enum open_side open = open_side(row, below, above, place);
  size_t n;
  if (open) {
    rounded_number(fmax(below, above), place, text, sizeof text);
    n = (size_t)real_print(after, size, open == OPEN_ABOVE ? "+? -%s" : "+%s -?", text);
  } else {
    n = interval_text(below, above, report_room(row) * s.factor, place, after, size);
  }
  if (deviates && n < size) {
    rounded_number(row->deviation * s.factor, place, text, sizeof text);
    real_print(after + n, size - n, "  sd %s", text);
  }
}
