/* SPDX-License-Identifier: MIT */
/* A captured machine's limits (struct pmon_limit). */
#include <string.h>
#include <pmon/platform.h>
#include "src/base/text.h"
#include "src/platform/address.h"
#include "src/base/writer.h"
#include "src/capture/capture.h"

/* Maximum values; a line with a higher one is damaged. */
enum { LIMITS_MAX = 512 };
#define NUMBER_MOST 1e15

static int add_limit(struct pmon_capture *c, const struct captured_limit *row)
{
  if ((row->package != UINT32_MAX && row->package >= c->n_packages) || c->limits.n == LIMITS_MAX ||
      !(row->number > 0) || row->number > NUMBER_MOST)
    return PMON_E_RANGE;
  for (uint32_t i = 0; i < c->limits.n; i++) {
    const struct captured_limit *other = vec_at(&c->limits, i);
    if (other->package == row->package && !strcmp(other->name, row->name))
      return PMON_E_CONFLICT;
  }
  return vec_append(&c->limits, row, 1) ? 0 : PMON_E_MEMORY;
}

/* Copies a name of lower-case letters; false: it is not one, or is too long. */
static bool copy_limit_name(char *to, size_t size, const char *from, size_t n)
{
  if (!n || n >= size || strspn(from, "abcdefghijklmnopqrstuvwxyz") < n)
    return false;
  memcpy(to, from, n);
  return true;
}

int pmon_capture_add_machine_limit(struct pmon_capture *c, const struct pmon_limit *limit)
{
  if (!c || !limit || !limit->name)
    return PMON_E_INVALID;
  struct captured_limit row = {.package = limit->package, .number = limit->number};
  return copy_limit_name(row.name, sizeof row.name, limit->name, strlen(limit->name)) ? add_limit(c, &row)
                                                                                      : PMON_E_RANGE;
}

int pmon_capture_machine_limit(const struct pmon_capture *c, uint32_t i, struct pmon_limit *limit)
{
  if (i >= c->limits.n)
    return PMON_E_RANGE;
  const struct captured_limit *row = vec_at(&c->limits, i);
  *limit = (struct pmon_limit){row->name, row->package, row->number};
  return 0;
}

const char *capture_take_limit(struct pmon_capture *c, struct text *rest, struct text *ret_got, int *ret_status)
{
  struct captured_limit row = {.package = UINT32_MAX};
  uint64_t number = 0;
  *ret_status = PMON_E_SYNTAX;
  *ret_got = text_take_word(rest);
  if (!copy_limit_name(row.name, sizeof row.name, ret_got->s, ret_got->n))
    return "the name of a limit";
  *ret_got = text_take_word(rest);
  if (!text_is(*ret_got, "-")) {
    if (!ret_got->n || !text_number(*ret_got, &number) || number >= c->n_packages)
      return "the number of an earlier package, or -";
    row.package = (uint32_t)number;
  }
  *ret_got = text_take_word(rest);
  if (!ret_got->n || !text_number(*ret_got, &number))
    return "a number";
  row.number = (double)number;
  *ret_status = add_limit(c, &row);
  switch (*ret_status) {
  case 0: return NULL;
  case PMON_E_RANGE: return "a number from 1 to 1000000000000000, and at most 512 limits";
  case PMON_E_CONFLICT: return "a limit that no earlier line has";
  default: return "no memory";
  }
}

/* Writes a limit as a whole number: hertz, transfers per second, channels. */
void capture_put_limit(struct writer *w, const struct captured_limit *l)
{
  write_text(w, "limit ");
  write_text(w, l->name);
  write_char(w, ' ');
  if (l->package == UINT32_MAX)
    write_char(w, '-');
  else
    write_decimal(w, l->package);
  write_char(w, ' ');
  write_decimal(w, (uint64_t)(l->number + 0.5));
  write_char(w, '\n');
}
