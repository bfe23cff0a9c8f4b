/* SPDX-License-Identifier: MIT */
#include "cli/vm/baseline.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include "vm/file.h"

static const char blanks[] = " \t\r";

/* Returns the next word of the line, terminated by a NUL; "" at the end of the line. */
static char *baseline_word(char **at)
{
  char *word = *at + strspn(*at, blanks);
  *at = word + strcspn(word, blanks);
  if (**at)
    *(*at)++ = 0;
  return word;
}

static int baseline_refuse(struct cli *cli, const char *path, unsigned number, const char *why)
{
  return cli_fail(cli, "%s:%u: %s; expected RULE REGISTER BITS REASON, such as sw.reserved HA_* 0x3 reset bits", path,
                  number, why);
}

static int baseline_parse_line(struct cli *cli, const char *path, char *text, struct baseline_line *l)
{
  char *bits, *end = NULL;
  l->rule = baseline_word(&text);
  l->pattern = baseline_word(&text);
  bits = baseline_word(&text);
  l->reason = text + strspn(text, blanks);
  l->bits = UINT64_MAX;
  if (!*l->reason)
    return baseline_refuse(cli, path, l->number, "the reason is missing");
  if (!strcmp(bits, "-"))
    return CLI_DONE;
  errno = 0;
  l->bits = strtoull(bits, &end, 16);
  return *end || *bits == '-' || errno || !l->bits
             ? baseline_refuse(cli, path, l->number, "the bits are neither a hexadecimal number nor -")
             : CLI_DONE;
}

static int baseline_parse(struct cli *cli, const char *path, struct baseline *b)
{
  unsigned number = 0;
  for (char *at = b->text, *next; at; at = next) {
    if ((next = strchr(at, '\n')))
      *next++ = 0;
    number++;
    at += strspn(at, blanks);
    if (!*at || *at == '#')
      continue;
    struct baseline_line *more = realloc(b->line, (b->n + 1) * sizeof *more);
    if (!more)
      return cli_fail_memory(cli);
    b->line = more;
    b->line[b->n] = (struct baseline_line){.number = number};
    const int result = baseline_parse_line(cli, path, at, &b->line[b->n++]);
    if (result != CLI_DONE)
      return result;
  }
  return CLI_DONE;
}

int baseline_load(struct cli *cli, const char *path, struct baseline *ret)
{
  struct file file = {.n = 0};
  *ret = (struct baseline){.n = 0};
  if (!file_read(path, &file))
    return cli_fail(cli, "%s: %s", path, file_read_error(errno));
  ret->text = calloc(1, file.n + 1);
  if (ret->text && file.n)
    memcpy(ret->text, file.bytes, file.n);
  file_free(&file);
  return ret->text ? baseline_parse(cli, path, ret) : cli_fail_memory(cli);
}

void baseline_free(struct baseline *b)
{
  free(b->line);
  free(b->text);
  *b = (struct baseline){.n = 0};
}

const struct baseline_line *baseline_find(struct baseline *b, const struct check_finding *f)
{
  for (size_t i = 0; i < b->n; i++) {
    struct baseline_line *l = &b->line[i];
    if (strcmp(l->rule, f->rule) || fnmatch(l->pattern, f->name, 0) || (l->bits != UINT64_MAX && f->bits & ~l->bits))
      continue;
    l->used = true;
    return l;
  }
  return NULL;
}
