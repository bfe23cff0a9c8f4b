/* SPDX-License-Identifier: MIT */
/* Decodes overflows in status registers: which blocks, or which counters of a block, reported one (817509 1.3.2, 1.9.2,
 * 1.10.5). */
#include <stdio.h>
#include <string.h>
#include "cli/facts/describe.h"
#include "cli/facts/overflow.h"
#include "cli/target/hardware.h"

/* A discovery page, which contains the blocks' positions, and its origin. */
struct overflow_page {
  struct pmon_discovery *page;
  const char *origin;
};

static int overflow_read_page(struct cli *cli, struct hardware *h, bool machine, struct overflow_page *ret)
{
  struct machine *emulated = NULL;
  struct pmon_backend *backend;
  int result = machine ? hardware_open_machine(cli, &emulated, &backend) : hardware_open(cli, h, &backend);
  if (result != CLI_DONE)
    return result;
  if (pmon_discovery_read(backend, 0, NULL, NULL, &ret->page) != PMON_OK)
    result = cli_fail(cli, "no discovery page: the positions of the blocks are unknown");
  hardware_close(backend);
  machine_free(emulated);
  return result;
}

/* Reads the page of a captured machine, of a host if it is of the platform, or else of the emulated machine. */
static int overflow_open(struct cli *cli, const struct cli_options *o, struct overflow_page *ret)
{
  struct hardware h;
  bool machine = false;
  int result = CLI_DONE;
  hardware_init(&h, o->root);
  if (o->replay) {
    ret->origin = "positions of the captured machine";
    result = hardware_replay(cli, &h, o->replay);
  } else {
    machine = !hardware_is_host(cli, &h) || !hardware_has_page(&h);
    ret->origin = machine  ? "positions of the emulated machine; --replay FILE uses those of a captured one"
                  : h.root ? "positions of the system's discovery page"
                           : "positions of this host's discovery page";
  }
  if (result == CLI_DONE)
    result = overflow_read_page(cli, &h, machine, ret);
  hardware_fini(&h);
  return result;
}

static void overflow_unit_name(const struct cli *cli, const struct pmon_discovered_unit *u, char *text, size_t size)
{
  struct pmon_unit_info info = {.size = sizeof info};
  snprintf(text, size, "type %u number %u", u->type, u->id);
  for (uint32_t i = 0; pmon_unit_describe(cli->platform, i, &info) == PMON_OK; i++)
    if (info.discovery == u->type)
      snprintf(text, size, info.instances > 1 ? "%s%u" : "%s", info.name, u->id);
}

/* Writes {position, blocks}, or a line. Blocks can share a position, as those of an I/O stack do. */
static void overflow_print_position(struct cli *cli, const struct overflow_page *p, uint32_t position, bool json)
{
  const struct pmon_discovered_unit *u;
  char block[80], text[256] = "";
  size_t n = 0;
  if (json) {
    json_open(&cli->out, NULL, '{');
    json_number(&cli->out, "position", position);
    json_open(&cli->out, "blocks", '[');
  }
  for (uint32_t i = 0; (u = pmon_discovery_unit(p->page, i)) && n < sizeof text; i++) {
    if (u->status_position != position)
      continue;
    overflow_unit_name(cli, u, block, sizeof block);
    if (json)
      json_text(&cli->out, NULL, block);
    n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? " or " : "", block);
  }
  if (json) {
    json_close(&cli->out, ']');
    json_close(&cli->out, '}');
  } else if (*text) {
    describe_format(&cli->out, "overflow", "%s (position %u)", text, position);
  } else {
    describe_format(&cli->out, "overflow", "position %u: no block has this position", position);
  }
}

static int overflow_of_blocks(struct cli *cli, const struct cli_options *o, const struct pmon_decoded *d,
                              uint32_t index)
{
  struct overflow_page p = {NULL, ""};
  const int result = d->value ? overflow_open(cli, o, &p) : CLI_DONE;
  if (result != CLI_DONE)
    return result;
  if (o->json)
    json_open(&cli->out, "overflow", '[');
  for (uint32_t bit = 0; bit < 64; bit++)
    if (d->value >> bit & ~d->reserved >> bit & 1)
      overflow_print_position(cli, &p, index * 64 + bit, o->json);
  if (o->json)
    json_close(&cli->out, ']');
  else if (d->value)
    describe_line(&cli->out, "source", p.origin);
  pmon_discovery_free(p.page);
  return result;
}

/* Writes the counters of a block: bit n of its status belongs to counter n. */
static void overflow_of_counters(struct cli *cli, const struct cli_options *o, const struct pmon_decoded *d)
{
  char text[256];
  if (o->json) {
    json_open(&cli->out, "overflow", '[');
    for (uint32_t bit = 0; bit < 64; bit++)
      if (d->value >> bit & ~d->reserved >> bit & 1)
        json_number(&cli->out, NULL, bit);
    json_close(&cli->out, ']');
    return;
  }
  describe_mask(d->value & ~d->reserved, text, sizeof text);
  if (*text)
    describe_format(&cli->out, "overflow", "counter %s", text);
}

int overflow_describe(struct cli *cli, const struct cli_options *o, const struct pmon_decoded *d)
{
  struct pmon_register_info r = {.size = sizeof r};
  if (d->id.unit == PMON_UNIT_NONE || pmon_register_describe(cli->platform, d->id.unit, d->id.reg, &r) != PMON_OK)
    return CLI_DONE;
  if (r.role == PMON_ROLE_GLOBAL_STATUS)
    return overflow_of_blocks(cli, o, d, r.index);
  if (r.role == PMON_ROLE_UNIT_STATUS)
    overflow_of_counters(cli, o, d);
  return CLI_DONE;
}
