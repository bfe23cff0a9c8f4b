/* SPDX-License-Identifier: MIT */
/* Register accesses of a scenario: alone, or as those of other software during a measurement. */
#include "cli/target/script.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FS_PER_NS = 1000000, NAME_SIZE = 80 };

/* Whether the word is the name's end after an underscore: `CTL0` matches Cn_MSR_PMON_CTL0. */
static bool script_names_register(const char *name, const char *word)
{
  size_t n = strlen(name), m = strlen(word);
  return m <= n && !strcasecmp(name + n - m, word) && (m == n || name[n - m - 1] == '_');
}

static int find_register(struct cli *cli, const struct scenario_access *a, struct pmon_register_id *id)
{
  struct pmon_register_info reg = {.size = sizeof reg};
  char name[NAME_SIZE];
  *id = (struct pmon_register_id){.instance = a->place.instance < 0 ? 0 : (uint32_t)a->place.instance};
  if (pmon_unit_find(cli->platform, a->place.unit, &id->unit))
    return cli_fail(cli, "line %u of the scenario: unknown unit %s", a->line, a->place.unit);
  for (id->reg = 0; !pmon_register_describe(cli->platform, id->unit, id->reg, &reg); id->reg++)
    for (id->index = 0; id->index < reg.count; id->index++) {
      pmon_register_name(cli->platform, id, name, sizeof name);
      if (script_names_register(name, a->reg))
        return CLI_DONE;
    }
  return cli_fail(cli, "line %u of the scenario: %s has no register %s", a->line, a->place.unit, a->reg);
}

/* Accesses a register. In configuration space by dwords; writes begin with the upper one. */
static int access_register(struct pmon_backend *b, const struct pmon_address *a, bool write, uint64_t *value)
{
  struct pmon_address low = *a, high = *a;
  uint64_t lower = 0, upper = 0;
  if (a->width_bits == 32 || a->space != PMON_SPACE_PCI)
    return write ? b->ops->write(b, a, *value) : b->ops->read(b, a, value);
  low.width_bits = high.width_bits = 32;
  high.offset += 4;
  int status = write ? b->ops->write(b, &high, *value >> 32) : b->ops->read(b, &high, &upper);
  if (!status)
    status = write ? b->ops->write(b, &low, *value & UINT32_MAX) : b->ops->read(b, &low, &lower);
  if (!status && !write)
    *value = upper << 32 | lower;
  return status;
}

static int run_access(struct cli *cli, const struct scenario_access *a, struct pmon_backend *b, bool measured)
{
  struct pmon_register_id id;
  struct pmon_address address;
  uint64_t value = a->value;
  char text[200];
  int result = find_register(cli, a, &id);
  if (result != CLI_DONE)
    return result;
  int status = pmon_register_address(cli->platform, &id, &address);
  address.package = a->place.socket;
  if (!status)
    status = access_register(b, &address, a->act == SCENARIO_ACT_WRITE, &value);
  if (status) {
    cli_fail(cli, "line %u of the scenario: %s", a->line, b->error_text ? b->error_text : cli_status_text(status));
    return CLI_FAILED;
  }
  if (a->act == SCENARIO_ACT_READ && a->compare == COMPARE_ANY) {
    snprintf(text, sizeof text, "%s%d %s = 0x%" PRIx64 "%s", a->place.unit,
             a->place.instance < 0 ? 0 : a->place.instance, a->reg, value, measured ? "" : "\n");
    if (measured)
      cli_note(cli, "%s", text); /* standard output belongs to the report */
    else
      out_text(&cli->out, text);
  } else if (a->act == SCENARIO_ACT_READ && !compare_holds(a->compare, value, a->value)) {
    cli_fail(cli,
             "line %u of the scenario: %s%d %s is %" PRIu64 " (0x%" PRIx64 "), expected %s %" PRIu64 " (0x%" PRIx64 ")",
             a->line, a->place.unit, a->place.instance < 0 ? 0 : a->place.instance, a->reg, value, value,
             compare_name(a->compare), a->value, a->value);
    return CLI_FAILED;
  }
  return CLI_DONE;
}

int script_run(struct cli *cli, const struct scenario *s, struct pmon_backend *backend)
{
  int result = CLI_DONE;
  for (size_t i = 0; i < s->n_actions; i++) {
    const struct scenario_access *a = &s->action[i];
    uint64_t now;
    bool ended;
    if (a->act != SCENARIO_ACT_WAIT) {
      int one = cli_platform(cli) ? run_access(cli, a, backend, false) : CLI_USAGE;
      result = one == CLI_DONE ? result : one;
      if (one == CLI_USAGE)
        return one;
    } else {
      while (!backend->ops->wait(backend, a->until_fs / FS_PER_NS, &now, &ended) && now < a->until_fs / FS_PER_NS)
        continue;
    }
  }
  return result;
}

/* ---- during a measurement ---- */

struct script_backend {
  struct pmon_backend base, *inner;
  struct cli *cli;
  struct scenario_access *action;
  size_t n, next;
  int result;
};

static struct script_backend *script_backend_of(struct pmon_backend *b)
{
  return (struct script_backend *)(void *)b;
}

static int pass_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  int status = script_backend_of(b)->inner->ops->read(script_backend_of(b)->inner, a, ret_value);
  b->error_text = script_backend_of(b)->inner->error_text;
  return status;
}

static int pass_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  int status = script_backend_of(b)->inner->ops->write(script_backend_of(b)->inner, a, value);
  b->error_text = script_backend_of(b)->inner->error_text;
  return status;
}

/* Waits, and makes the accesses that are due before that time at their times. */
static int pass_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  struct script_backend *s = script_backend_of(b);
  int status = 0;
  for (; !status && s->next < s->n; s->next++) {
    const struct scenario_access *a = &s->action[s->next];
    const uint64_t time = a->until_fs / FS_PER_NS;
    if (a->act != SCENARIO_ACT_WAIT) {
      int one = run_access(s->cli, a, s->inner, true);
      s->result = one == CLI_DONE ? s->result : one;
      continue;
    }
    if (time > until_ns)
      break;
    do
      status = s->inner->ops->wait(s->inner, time, ret_now_ns, ret_ended);
    while (!status && *ret_now_ns < time);
  }
  if (!status)
    status = s->inner->ops->wait(s->inner, until_ns, ret_now_ns, ret_ended);
  b->error_text = s->inner->error_text;
  return status;
}

static void pass_close(struct pmon_backend *b)
{
  pmon_backend_close(script_backend_of(b)->inner);
  free(script_backend_of(b)->action);
  free(b);
}

int script_backend_new(struct cli *cli, struct scenario *s, struct pmon_backend **backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops, "machine", pass_read, pass_write, pass_wait, pass_close};
  struct script_backend *b;
  if (!cli_platform(cli))
    return CLI_USAGE;
  b = calloc(1, sizeof *b);
  if (!b)
    return cli_fail_memory(cli);
  *b = (struct script_backend){.base = {.ops = &ops, .packages = (*backend)->packages},
                               .inner = *backend,
                               .cli = cli,
                               .action = s->action,
                               .n = s->n_actions};
  s->action = NULL;
  s->n_actions = 0;
  *backend = &b->base;
  return CLI_DONE;
}

int script_backend_result(const struct pmon_backend *b)
{
  return ((const struct script_backend *)(const void *)b)->result;
}
