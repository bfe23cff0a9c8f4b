/* SPDX-License-Identifier: MIT */
#include "cli/stat/dry.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_OF_NAMES = 48 };

/* Writes "cha3 Cn_MSR_PMON_CTL0". */
static void dry_register_name(const struct cli *cli, const struct pmon_register_id *id, char *text, size_t size)
{
  struct pmon_unit_info u = {.size = sizeof u};
  char name[96];
  pmon_unit_describe(cli->platform, id->unit, &u);
  pmon_register_name(cli->platform, id, name, sizeof name);
  snprintf(text, size, u.instances > 1 ? "%s%" PRIu32 " %s" : "%s %.0" PRIu32 "%s", u.name, id->instance, name);
}

static void dry_write_named(struct cli *cli, const char *line, const struct pmon_register_id *id)
{
  struct out *o = &cli->out;
  char name[160];
  out_padded(o, line, COLUMN_OF_NAMES);
  if (id) {
    dry_register_name(cli, id, name, sizeof name);
    out_style(o, OUT_DIM);
    out_text(o, "# ");
    out_text(o, name);
    out_style(o, OUT_PLAIN);
  }
  out_char(o, '\n');
}

/* Finds the register of a line `write PACKAGE SPACE PLACE WIDTH VALUE`. */
static bool dry_find_register(const struct cli *cli, const char *line, struct pmon_register_id *ret_id)
{
  struct pmon_register_match m = {.size = sizeof m};
  char space[16], place[64], offset[32], text[128];
  const int words = sscanf(line, "write %*u %15s %63s %31s", space, place, offset);
  if (words != 3)
    return false;
  if (strcmp(space, "pci") == 0)
    snprintf(text, sizeof text, "pci:%s:%s", place, offset);
  else
    snprintf(text, sizeof text, "%s:%s", space, place);
  int status = pmon_register_resolve(cli->platform, text, &m);
  if (status != PMON_OK && strcmp(space, "pci") == 0) { /* the upper dword of a pair */
    snprintf(text, sizeof text, "pci:%s:0x%lx", place, strtoul(offset, NULL, 0) - 4);
    status = pmon_register_resolve(cli->platform, text, &m);
  }
  if (status != PMON_OK)
    return false;
  *ret_id = m.id;
  return true;
}

void dry_print_write(struct cli *cli, const char *line)
{
  struct pmon_register_id id;
  dry_write_named(cli, line, dry_find_register(cli, line, &id) ? &id : NULL);
}

/* Prints the writes that select the event of a slot, in all its instances. */
static void dry_print_slot(struct cli *cli, const struct pmon_event *event, const struct pmon_plan_slot_info *slot,
                           uint32_t packages)
{
  struct pmon_image image;
  char place[64], line[160];
  for (uint32_t package = 0; package < packages; package++)
    for (uint32_t instance = 0; instance < 64; instance++) {
      if (!(slot->instances >> instance & 1) ||
          pmon_event_encode(event, package, instance, slot->counter, &image) != PMON_OK)
        continue;
      for (uint32_t i = 0; i < image.n; i++) {
        const struct pmon_image_register *r = &image.registers[i];
        pmon_address_format(&r->address, place, sizeof place);
        snprintf(line, sizeof line, "write %" PRIu32 " %s %u 0x%" PRIx64, package, place, r->address.width_bits,
                 r->value);
        dry_write_named(cli, line, &r->id);
      }
    }
}

/* A comment that is written word by word: on a terminal, in lines of at most its width. */
struct dry_comment {
  struct out *o;
  size_t at, width;
};

static struct dry_comment dry_comment_begin(struct cli *cli)
{
  out_char(&cli->out, '#');
  return (struct dry_comment){&cli->out, 1, cli_width()};
}

static void dry_comment_end_line(struct dry_comment *c)
{
  out_text(c->o, "\n#  ");
  c->at = 3;
}

static void dry_comment_add(struct dry_comment *c, const char *words)
{
  while (*words) {
    const size_t n = strcspn(words, " ");
    if (c->width && c->at > 2 && c->at + 1 + n > c->width)
      dry_comment_end_line(c);
    out_char(c->o, ' ');
    c->at++;
    for (size_t k, written = 0; written < n; written += k) { /* a name that is longer than a line: to each comma */
      k = strcspn(words + written, ", ");
      k += words[written + k] == ',';
      if (c->width && written && c->at + k > c->width)
        dry_comment_end_line(c);
      out_text_part(c->o, words + written, k);
      c->at += k;
    }
    words += n + (words[n] == ' ');
  }
}

static void dry_comment_end(struct dry_comment *c)
{
  out_char(c->o, '\n');
}

/* Prints pmon's own events, if the session counts any. */
static void dry_print_witnesses(struct cli *cli, const struct pmon_plan *plan)
{
  const struct pmon_event *event;
  for (uint32_t i = 0; (event = pmon_plan_witness(plan, i)); i++) {
    struct dry_comment c = dry_comment_begin(cli);
    dry_comment_add(&c, "also counted in every round, but not reported:");
    dry_comment_add(&c, pmon_event_name(event));
    out_char(c.o, ',');
    c.at++;
    dry_comment_add(&c, "which shows what rounds miss (--witness off disables it)");
    dry_comment_end(&c);
  }
}

static void dry_print_heading(struct cli *cli, const struct pmon_plan *plan, uint32_t round, uint32_t rounds)
{
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  struct dry_comment c = dry_comment_begin(cli);
  char text[64];
  snprintf(text, sizeof text, "round %" PRIu32 " of %" PRIu32 ":", round + 1, rounds);
  dry_comment_add(&c, round == UINT32_MAX ? "in every round:" : text);
  for (uint32_t i = 0; pmon_plan_slot(plan, i, &slot) == PMON_OK; i++)
    if (slot.round == round)
      dry_comment_add(&c, pmon_event_name(pmon_plan_event(plan, slot.event)));
  dry_comment_end(&c);
}

void dry_print_first(struct cli *cli, const struct pmon_plan *plan, const struct pmon_session *session)
{
  struct pmon_session_info session_info = {.size = sizeof session_info};
  struct pmon_plan_info info = {.size = sizeof info};
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  bool always = false;
  pmon_plan_describe(plan, &info);
  for (uint32_t i = 0; pmon_plan_slot(plan, i, &slot) == PMON_OK; i++)
    always |= slot.round == UINT32_MAX;
  if (always && info.rounds > 1)
    dry_print_heading(cli, plan, UINT32_MAX, info.rounds);
  if (!pmon_session_describe(session, &session_info) && session_info.witnesses)
    dry_print_witnesses(cli, plan);
  dry_print_heading(cli, plan, 0, info.rounds);
}

void dry_print_rest(struct cli *cli, const struct pmon_plan *plan, uint32_t packages)
{
  struct pmon_plan_info info = {.size = sizeof info};
  struct pmon_plan_slot_info slot = {.size = sizeof slot};
  pmon_plan_describe(plan, &info);
  if (info.rounds > 1) {
    struct dry_comment c = dry_comment_begin(cli);
    dry_comment_add(&c,
                    "before each further round the counters are frozen and read; the round then selects its events");
    dry_comment_end(&c);
  }
  for (uint32_t round = 1; round < info.rounds; round++) {
    dry_print_heading(cli, plan, round, info.rounds);
    for (uint32_t i = 0; pmon_plan_slot(plan, i, &slot) == PMON_OK; i++)
      if (slot.round == round)
        dry_print_slot(cli, pmon_plan_event(plan, slot.event), &slot, packages);
  }
}
