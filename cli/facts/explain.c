/* SPDX-License-Identifier: MIT */
/* pmon explain: the steps from an event's text to register writes. */
#include <stdio.h>
#include <string.h>
#include "cli/facts/explain_metric.h"
#include "cli/facts/explain_count.h"
#include "cli/facts/near.h"
#include "cli/facts/perf_spelling.h"

/* Returns the register of the image that selects the event; NULL for a fixed counter, which has none. */
static const struct pmon_image_register *explain_control(struct cli *cli, const struct pmon_image *image)
{
  struct pmon_register_info info = {.size = sizeof info};
  for (uint32_t i = 0; i < image->n; i++)
    if (pmon_register_describe(cli->platform, image->registers[i].id.unit, image->registers[i].id.reg, &info) ==
            PMON_OK &&
        info.role == PMON_ROLE_CTL)
      return &image->registers[i];
  return NULL;
}

/* Reads the comparison from the event's terms for Linux perf: from those whose fields compare increments in the layouts
 * of `pmon import`. Returns false for a comparison of a core's counter, where cmask also selects what counts, and for
 * one of an occupancy. */
static bool comparison_of_terms(const char *perf, struct comparison *ret)
{
  const char *term = strchr(perf, '/');
  *ret = (struct comparison){0};
  for (; term && term[1]; term = strpbrk(term + 1, ",/")) {
    long long value = 0;
    char name[32] = "";
    if (sscanf(term + 1, "%31[a-z_0-9]=%lli", name, &value) != 2)
      continue;
    if (!strcmp(name, "thresh"))
      ret->threshold = (uint64_t)value;
    else if (!strcmp(name, "inv"))
      ret->invert = value;
    else if (!strcmp(name, "edge"))
      ret->edge = value;
    else if (!strcmp(name, "cmask") || strstr(name, "occ_"))
      return false;
  }
  return strncmp(perf, "cpu/", 4) || (!ret->invert && !ret->edge);
}

static void explain_writes(struct cli *cli, const struct pmon_event *event, uint32_t instance, uint32_t counter)
{
  struct out *o = &cli->out;
  struct pmon_image image;
  struct pmon_event_info e = {.size = sizeof e};
  pmon_event_describe(event, &e);
  struct pmon_unit_info u = {.size = sizeof u};
  pmon_unit_describe(cli->platform, pmon_event_unit(event), &u);
  if (u.perf_only) {
    char perf[512];
    describe_heading(o, "4 registers", "");
    describe_format(o, "none", "their addresses are not known for this processor; Linux perf writes them (%s)", u.perf);
    const char *const terms = strchr(pmon_event_name(event), '/'); /* of any instance */
    if (!terms || !perf_spelling(&u, &e, terms, perf, sizeof perf))
      return;
    struct comparison compared;
    if (!e.event || !comparison_of_terms(perf, &compared))
      return;
    describe_heading(o, "5 count", "");
    explain_count(o, cli->platform, &(struct explain_count){&e, u.clock, NULL, &compared});
    return;
  }
  if (pmon_event_encode(event, 0, instance, counter, &image) != PMON_OK)
    return;
  describe_heading(o, "4 registers", "");
  for (uint32_t i = 0; i < image.n; i++) {
    const struct pmon_image_register *r = &image.registers[i];
    struct pmon_register_info info = {.size = sizeof info};
    struct describe_register d = {r->id, r->address, r->value, e.overlay};
    char name[96], place[64];
    pmon_register_name(cli->platform, &r->id, name, sizeof name);
    pmon_address_format(&r->address, place, sizeof place);
    pmon_register_describe(cli->platform, r->id.unit, r->id.reg, &info);
    describe_format(o, "write", "%s (%s), bits 0x%llx: 0x%llx", name, place, (unsigned long long)r->mask,
                    (unsigned long long)r->value);
    describe_fields(cli, &d, 14);
    describe_line(o, "layout", info.cite);
    describe_violations(cli, &image, r);
  }
  char name[96], place[64];
  pmon_register_name(cli->platform, &image.counter_id, name, sizeof name);
  pmon_address_format(&image.counter, place, sizeof place);
  describe_format(o, "read", "%s (%s): the count, wraps at 2^%u", name, place, image.width_bits);
  describe_heading(o, "5 count", "");
  const struct explain_count count = {&e, u.clock, explain_control(cli, &image), NULL};
  explain_count(o, cli->platform, &count);
}

/* Describes counters that count the event only if another counter selects its set. */
static void explain_leaders(struct cli *cli, const struct pmon_event *event)
{
  uint32_t led[32] = {0};
  for (uint32_t i = 0; i < 32; i++)
    if (pmon_event_leader(event, i) != i)
      led[pmon_event_leader(event, i)] |= UINT32_C(1) << i;
  for (uint32_t i = 0; i < 32; i++) {
    char list[256];
    describe_mask(led[i], list, sizeof list);
    if (led[i])
      describe_format(&cli->out, "set", "on counter %s only while counter %u selects an event of the same set (%s)",
                      list, i, "Montecito 4.8.2, 4.8.4");
  }
}

/* Fails for a name that is not an event. The similar names are those of metrics, too, unless the message has another
 * remedy than similar names. */
static int explain_fail(struct cli *cli, const char *text)
{
  const char *error = pmon_context_error(cli->context);
  char names[512];
  if (pmon_context_error_status(cli->context) != PMON_E_UNKNOWN || pmon_context_error_column(cli->context) != 1 ||
      strpbrk(text, "/,{:") || (!strstr(error, "; did you mean ") && !strstr(error, "; `pmon search ")))
    return cli_fail_context(cli, text);
  near_format(cli, NEAR_METRICS | NEAR_GROUPS | NEAR_EVENTS, text, names, sizeof names);
  return cli_fail(cli, "%s: no event, metric or group has this name%s", text,
                  *names ? names : "; `pmon search WORD...` searches descriptions");
}

/* The row of the event's tables, and what it says. */
static void explain_row(struct cli *cli, const struct pmon_event_info *e, const struct pmon_unit_info *u,
                        const char *name)
{
  struct out *o = &cli->out;
  describe_heading(o, "2 event", "");
  if (!e->event) {
    describe_line(o, "row", "none: a raw code");
    return;
  }
  describe_format(o, "unit", "%s: %s (%s)", u->name, u->title, u->cite);
  describe_format(o, "row", "%s%s%s: %s", e->event, e->umask ? "." : "", e->umask ? e->umask : "", e->brief);
  if (e->kind == PMON_EVENT_PROGRAMMED)
    describe_selection(o, e);
  describe_other_names(o, u, e, name);
  describe_line(o, "see", e->cite);
  describe_event_notes(o, e);
}

/* The counters that can count the event, and which of them the next step shows. */
static void explain_counters(struct cli *cli, const struct pmon_event *event, const struct pmon_event_info *e,
                             const struct pmon_unit_info *u)
{
  struct out *o = &cli->out;
  const uint64_t instances = pmon_event_instances(event);
  char list[256];
  uint32_t n = 0;
  for (unsigned i = 0; i < 64; i++)
    n += (uint32_t)(instances >> i & 1);
  describe_heading(o, "3 counter", "");
  describe_mask(pmon_event_counters(event), list, sizeof list);
  if (e->kind == PMON_EVENT_PROGRAMMED && u->perf_only)
    describe_format(o, "allowed", "counters %s of %u; Linux perf chooses one of each %s PMU that the kernel lists",
                    list, u->counters, u->perf);
  else if (e->kind == PMON_EVENT_PROGRAMMED)
    describe_format(o, "allowed", "counters %s of %u; shown for counter %u of %s%u; %u of %u instances are measured",
                    list, u->counters, describe_first_counter(event), u->name, describe_lowest_bit(instances), n,
                    u->instances);
  else
    describe_format(o, "allowed", "its own %s counter", e->kind == PMON_EVENT_FIXED ? "fixed" : "free-running");
}

static int explain_one(struct cli *cli, const struct cli_options *options, char *text)
{
  struct out *o = &cli->out;
  struct pmon_event *event;
  int result;
  if (explain_metric(cli, options, text, &result))
    return result;
  if (describe_group(cli, text))
    return CLI_DONE;
  if (pmon_event_resolve(cli->context, cli->platform, text, &event) != PMON_OK)
    return explain_fail(cli, text);
  struct pmon_event_info e = {.size = sizeof e};
  struct pmon_unit_info u = {.size = sizeof u};
  pmon_event_describe(event, &e);
  pmon_unit_describe(cli->platform, pmon_event_unit(event), &u);
  describe_heading(o, "1 text", text);
  describe_format(o, "understood", "%s", pmon_event_name(event));
  explain_row(cli, &e, &u, pmon_event_name(event));
  explain_counters(cli, event, &e, &u);
  explain_leaders(cli, event);
  explain_writes(cli, event, describe_lowest_bit(pmon_event_instances(event)), describe_first_counter(event));
  pmon_event_free(event);
  return CLI_DONE;
}

static const struct cli_option explain_options[] = {
    {"recording", CLI_OPTION_RECORDING, "FILE", "explain a metric with the counts of pmon stat --record", CLI_FILE,
     NULL},
    CLI_OPTION_END,
};

static int run_explain(struct cli *cli, int argc, char **argv)
{
  return cli_each(cli, argc, argv, &(struct cli_each){"EVENT|METRIC", explain_one, CLI_NAME_PATTERNS});
}

const struct cli_command explain_command = {
    .name = "explain",
    .arguments = "EVENT|METRIC...",
    .brief = "show each step from an event to register writes; explain a metric",
    .run = run_explain,
    .options = {{explain_options, NULL}, {NULL, NULL}},
    .value = CLI_NAME,
    .spellings = true,
};
