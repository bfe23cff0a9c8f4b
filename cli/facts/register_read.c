/* SPDX-License-Identifier: MIT */
#include "cli/facts/register_read.h"
#include <stdio.h>
#include "cli/target/hardware.h"

struct reading {
  struct cli *cli;
  struct pmon_backend *backend;
  int (*each)(void *user, const struct register_value *v);
  void *user;
  uint32_t found;
  int result;
  char why[400]; /* of the first failure */
};

static void read_one(struct reading *r, const struct pmon_register_id *id, uint32_t package)
{
  struct register_value v = {.package = package, .id = *id};
  struct pmon_address a;
  if (pmon_register_address(r->cli->platform, id, &a))
    return;
  a.package = package;
  if (r->backend->ops->read(r->backend, &a, &v.value)) {
    if (!*r->why && r->backend->error_text)
      snprintf(r->why, sizeof r->why, "%s", r->backend->error_text);
    return;
  }
  r->found++;
  const int result = r->each(r->user, &v);
  r->result = result ? result : r->result;
}

/* Reads each register of the match in each package. */
static void read_matching(struct reading *r, const struct pmon_register_match *match)
{
  struct pmon_unit_info unit = {.size = sizeof unit};
  struct pmon_register_info info = {.size = sizeof info};
  struct pmon_register_id id = match->id;
  pmon_unit_describe(r->cli->platform, id.unit, &unit);
  pmon_register_describe(r->cli->platform, id.unit, id.reg, &info);
  const uint32_t instances = match->any_instance && unit.instances ? unit.instances : id.instance + 1;
  const uint32_t indexes = match->any_index && info.count ? info.count : id.index + 1;
  for (uint32_t package = 0; package < r->backend->packages; package++)
    for (id.instance = match->id.instance; id.instance < instances; id.instance++)
      for (id.index = match->id.index; id.index < indexes; id.index++)
        read_one(r, &id, package);
}

/* Opens the captured machine, or a host if its processor is of the platform: another one's registers at these
 * addresses have other meanings. */
static int open_machine(struct cli *cli, struct hardware *h, const char *replay, struct pmon_backend **ret_backend)
{
  int result = replay ? hardware_replay(cli, h, replay) : CLI_DONE;
  if (result == CLI_DONE && !replay && !hardware_is_host(cli, h)) {
    cli_fail(cli,
             "%s processor is not of the platform; --replay FILE reads a captured machine (pmon capture), "
             "REGISTER=VALUE explains a value",
             h->root ? "the system's" : "this host's");
    return CLI_NO_HARDWARE;
  }
  return result == CLI_DONE ? hardware_open(cli, h, ret_backend) : result;
}

int registers_read(struct cli *cli, const struct cli_options *options, const char *name,
                   int (*each)(void *user, const struct register_value *v), void *user)
{
  struct pmon_register_match match = {.size = sizeof match};
  struct reading r = {.cli = cli, .each = each, .user = user};
  struct hardware h;
  if (pmon_register_resolve(cli->platform, name, &match))
    return cli_fail_context(cli, name);
  if (match.id.unit == PMON_UNIT_NONE)
    return cli_fail(cli, "%s: the tables have no address of this register; REGISTER=VALUE explains a value", name);
  hardware_init(&h, options->root);
  int result = open_machine(cli, &h, options->replay, &r.backend);
  if (result == CLI_DONE) {
    read_matching(&r, &match);
    hardware_close(r.backend);
    result = r.result;
  }
  hardware_fini(&h);
  if (result != CLI_DONE || r.found)
    return result;
  cli_fail(cli, "%s: cannot be read: %s", name, *r.why ? r.why : "the address is not known");
  return CLI_NO_HARDWARE;
}
