/* SPDX-License-Identifier: MIT */
/* pmon encode, decode: names to register values and back. */
#include <stdio.h>
#include <string.h>
#include "cli/common/comparison.h"
#include "cli/facts/describe.h"
#include "cli/facts/overflow.h"
#include "cli/facts/perf_spelling.h"
#include "cli/facts/register_read.h"
#include "cli/target/hardware.h"

struct encoding {
  const char *text;
  struct pmon_event *event;
  struct pmon_event_info info;
  struct pmon_image image;
  uint32_t instance, counter;
  bool led; /* `leader` is the image of the counter that selects the event's set */
  struct pmon_image leader;
};

/* Resolves and encodes one event. Returns 0, or an exit code after printing an error. */
static int encode_one(struct cli *cli, const struct cli_options *o, struct encoding *e)
{
  if (pmon_event_resolve(cli->context, cli->platform, e->text, &e->event) != PMON_OK)
    return cli_fail_context(cli, e->text);
  e->info.size = sizeof e->info;
  pmon_event_describe(e->event, &e->info);
  e->instance = o->instance >= 0 ? (uint32_t)o->instance : describe_lowest_bit(pmon_event_instances(e->event));
  e->counter = o->counter >= 0 ? (uint32_t)o->counter : describe_first_counter(e->event);
  int status = pmon_event_encode(e->event, 0, e->instance, e->counter, &e->image);
  const uint32_t leader = pmon_event_leader(e->event, e->counter);
  e->led = !status && leader != e->counter && !pmon_event_encode(e->event, 0, e->instance, leader, &e->leader);
  if (status == PMON_E_UNSCHEDULABLE)
    return cli_fail(cli, "%s: counter %u cannot count this event; `pmon show %s` lists its counters (%s)", e->text,
                    e->counter, e->text, e->info.cite);
  struct pmon_unit_info u = {.size = sizeof u};
  pmon_unit_describe(cli->platform, pmon_event_unit(e->event), &u);
  if (status && u.perf_only) {
    char perf[512];
    const bool spelled = perf_spelling(&u, &e->info, pmon_event_name(e->event), perf, sizeof perf);
    return cli_fail(cli,
                    "%s: the register addresses of unit %s are not known for this processor; Linux perf counts the "
                    "event: %s%s%spmon stat --backend perf",
                    e->text, u.name, spelled ? "perf stat -a -e " : "", spelled ? perf : "", spelled ? ", or " : "");
  }
  if (status && !u.instances)
    return cli_fail(cli, "%s: the addresses of unit %s are unknown", e->text, u.name);
  if (status && e->instance >= u.instances)
    return u.instances > 1 ? cli_fail(cli, "%s: unit %s has no instance %u; expected 0 to %u", e->text, u.name,
                                      e->instance, u.instances - 1)
                           : cli_fail(cli, "%s: unit %s has no instance %u, only 0", e->text, u.name, e->instance);
  return status ? cli_fail(cli, "%s: unit %s has no counter %u; `pmon show %s` describes the unit", e->text, u.name,
                           e->counter, u.name)
                : 0;
}

/* Returns the control register of the counter that selects the set; it is written before the event's own. */
static struct describe_register leader_register(const struct encoding *e)
{
  const struct pmon_image_register *r = &e->leader.registers[e->leader.n - 1];
  return (struct describe_register){r->id, r->address, r->value, e->info.overlay};
}

static struct describe_register image_register(const struct encoding *e, uint32_t i)
{
  const struct pmon_image_register *r = &e->image.registers[i];
  return (struct describe_register){r->id, r->address, r->value, e->info.overlay};
}

static void encode_json(struct cli *cli, const struct encoding *e)
{
  struct out *o = &cli->out;
  json_open(o, NULL, '{');
  json_text(o, "event", pmon_event_name(e->event));
  json_text(o, "unit", e->info.unit);
  json_open(o, "counters", '[');
  for (unsigned i = 0; e->info.kind == PMON_EVENT_PROGRAMMED && i < 32; i++)
    if (pmon_event_counters(e->event) >> i & 1)
      json_number(o, NULL, i);
  json_close(o, ']');
  json_open(o, "registers", '[');
  if (e->led) {
    const struct describe_register r = leader_register(e);
    describe_register_json(cli, &r);
  }
  for (uint32_t i = 0; i < e->image.n; i++) {
    struct describe_register r = image_register(e, i);
    describe_register_json(cli, &r);
  }
  json_close(o, ']');
  char name[96];
  pmon_register_name(cli->platform, &e->image.counter_id, name, sizeof name);
  json_open(o, "counter", '{');
  json_text(o, "register", name);
  describe_address_json(o, &e->image.counter);
  json_number(o, "width_bits", e->image.width_bits);
  json_close(o, '}');
  json_close(o, '}');
  json_end_line(o);
}

/* Writes a register and its address: "Cn_MSR_PMON_CTL0  msr 0x2002". `a` is NULL if the facts do not contain the
 * address. */
static void encode_write_register(struct cli *cli, const struct pmon_register_id *id, const struct pmon_address *a)
{
  char name[96], place[64] = "";
  pmon_register_name(cli->platform, id, name, sizeof name);
  if (a && id->unit != PMON_UNIT_NONE)
    pmon_address_format(a, place, sizeof place);
  else if (!a)
    snprintf(place, sizeof place, "unknown address");
  out_text(&cli->out, "  ");
  out_padded(&cli->out, name, 28);
  out_char(&cli->out, ' ');
  out_padded(&cli->out, place, 20);
}

static void print_unreachable(struct cli *cli, const struct encoding *e, const struct pmon_image_register *r)
{
  char text[256];
  const struct comparison c = comparison_of(cli->platform, &e->info, r);
  if (c.threshold && comparison_unreachable(&c, &e->info, text, sizeof text))
    describe_line(&cli->out, "warning", text);
}

static void encode_print_leader(struct cli *cli, const struct encoding *e)
{
  const struct describe_register r = leader_register(e);
  encode_write_register(cli, &r.id, &r.address);
  out_text(&cli->out, " = ");
  out_hex_wide(&cli->out, r.value, r.address.width_bits / 4);
  out_char(&cli->out, '\n');
  describe_line(
      &cli->out, "note",
      "selects the set: the event counts only while this counter selects an event of its set (Montecito 4.8.2, 4.8.4)");
}

static void encode_text(struct cli *cli, const struct encoding *e)
{
  struct out *o = &cli->out;
  out_style(o, OUT_NAME);
  out_text(o, pmon_event_name(e->event));
  out_style(o, OUT_PLAIN);
  if (e->info.kind == PMON_EVENT_PROGRAMMED) {
    out_text(o, "  on counters ");
    out_mask(o, pmon_event_counters(e->event));
  }
  out_char(o, '\n');
  if (e->led)
    encode_print_leader(cli, e);
  for (uint32_t i = 0; i < e->image.n; i++) {
    struct describe_register r = image_register(e, i);
    encode_write_register(cli, &r.id, &r.address);
    out_text(o, " = ");
    out_hex_wide(o, r.value, r.address.width_bits / 4);
    out_char(o, '\n');
    describe_fields(cli, &r, 6);
    describe_violations(cli, &e->image, &e->image.registers[i]);
    print_unreachable(cli, e, &e->image.registers[i]);
  }
  encode_write_register(cli, &e->image.counter_id, &e->image.counter);
  out_text(o, e->image.n ? "   the count\n" : "   the count; nothing to write, it always runs\n");
}

/* Encodes events separated by commas, as `pmon stat -e` accepts them; changes the text. */
static int encode_list(struct cli *cli, const struct cli_options *o, char *text)
{
  int result = CLI_DONE;
  for (bool more = true; more;) {
    size_t n = pmon_event_text_length(text);
    struct encoding e = {.text = text};
    more = text[n] != 0;
    text[n] = 0;
    int status = encode_one(cli, o, &e);
    if (status)
      result = status;
    else if (o->json)
      encode_json(cli, &e);
    else
      encode_text(cli, &e);
    pmon_event_free(e.event);
    text += n + 1;
  }
  return result;
}

static const struct cli_option encode_options[] = {
    {"counter", CLI_OPTION_COUNTER, "N", "for this counter (default: the first that can count the event)", CLI_TEXT,
     NULL},
    {"instance", CLI_OPTION_INSTANCE, "N", "for this instance of the unit (default: the first one selected)", CLI_TEXT,
     NULL},
    CLI_OPTION_END,
};

static int run_encode(struct cli *cli, int argc, char **argv)
{
  return cli_each(cli, argc, argv, &(struct cli_each){"EVENT", encode_list, CLI_EVENT_PATTERNS});
}

const struct cli_command encode_command = {
    .name = "encode",
    .arguments = "EVENT...",
    .brief = "print the register values that make the hardware count an event",
    .run = run_encode,
    .options = {{encode_options, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .notes = "Example: pmon encode cha/TOR_INSERTS.IA_MISS_DRD,thresh=4/\n",
    .value = CLI_EVENT,
    .spellings = true,
};

/* `package`: where the value was read; PMON_ALL: it was given. */
static int decode_json(struct cli *cli, const struct cli_options *options, const struct pmon_decoded *d,
                       uint32_t package)
{
  struct out *o = &cli->out;
  struct describe_register r = {.id = d->id, .value = d->value, .overlay = d->has_event ? d->event.overlay : ""};
  struct pmon_unit_info u = {.size = sizeof u};
  const bool placed = pmon_register_address(cli->platform, &d->id, &r.address) == PMON_OK;
  pmon_unit_describe(cli->platform, d->id.unit, &u);
  char name[96];
  pmon_register_name(cli->platform, &d->id, name, sizeof name);
  struct pmon_field_value fields[96];
  size_t n = pmon_value_fields(cli->platform, &d->id, d->value, r.overlay, fields, 96);
  json_open(o, NULL, '{');
  json_text(o, "register", name);
  json_text(o, "unit", u.name);
  if (package != PMON_ALL)
    json_number(o, "package", package);
  if (placed)
    describe_address_json(o, &r.address);
  json_number(o, "value", d->value);
  json_open(o, "fields", '{');
  for (size_t i = 0; i < n && i < 96; i++)
    json_number(o, fields[i].name, fields[i].value);
  json_close(o, '}');
  if (d->has_event)
    json_text(o, "event", *d->event_text ? d->event_text : d->event.event);
  else
    json_text(o, "event", NULL);
  json_number(o, "reserved", d->reserved);
  const int result = overflow_describe(cli, options, d);
  json_open(o, "violations", '[');
  for (uint32_t i = 0; i < d->n_violations; i++) {
    json_open(o, NULL, '{');
    json_text(o, "rule", d->violations[i].text);
    json_text(o, "cite", d->violations[i].cite);
    json_close(o, '}');
  }
  json_close(o, ']');
  json_close(o, '}');
  json_end_line(o);
  return result;
}

static int decode_text(struct cli *cli, const struct cli_options *options, const struct pmon_decoded *d)
{
  struct out *o = &cli->out;
  struct pmon_register_info info = {.size = sizeof info};
  struct describe_register r = {.id = d->id, .value = d->value, .overlay = d->has_event ? d->event.overlay : ""};
  const bool placed = pmon_register_address(cli->platform, &d->id, &r.address) == PMON_OK;
  if (!placed)
    r.address.width_bits =
        (uint8_t)(pmon_register_describe(cli->platform, d->id.unit, d->id.reg, &info) ? 64 : info.width_bits);
  encode_write_register(cli, &r.id, placed || d->id.unit == PMON_UNIT_NONE ? &r.address : NULL);
  out_text(o, " = ");
  out_hex_wide(o, d->value, r.address.width_bits / 4);
  out_char(o, '\n');
  describe_fields(cli, &r, 6);
  if (d->has_event) {
    describe_line(o, "event", *d->event_text ? d->event_text : d->event.event);
    describe_line(o, "counts", d->event.brief);
    describe_line(o, "see", d->event.cite);
  } else {
    describe_line(o, "as event", d->event_text);
  }
  const int result = overflow_describe(cli, options, d);
  for (uint32_t i = 0; i < d->n_violations; i++) {
    char text[256];
    snprintf(text, sizeof text, "%s (%s)", d->violations[i].text, d->violations[i].cite);
    out_style(o, OUT_WARN);
    describe_line(o, "violation", text);
    out_style(o, OUT_PLAIN);
  }
  return result;
}

struct decode_reading {
  struct cli *cli;
  const struct cli_options *options;
  uint32_t package; /* of the last value */
};

/* Decodes a value that was read. */
static int decode_value(void *user, const struct register_value *v)
{
  struct decode_reading *r = user;
  struct pmon_platform_info platform = {.size = sizeof platform};
  struct pmon_decoded d = {.size = sizeof d};
  if (pmon_decode_value(r->cli->platform, &v->id, v->value, &d))
    return cli_fail_context(r->cli, NULL);
  if (r->options->json)
    return decode_json(r->cli, r->options, &d, v->package);
  if (v->package != r->package) {
    pmon_platform_describe(r->cli->platform, &platform);
    out_text(&r->cli->out, platform.package);
    out_char(&r->cli->out, ' ');
    out_decimal(&r->cli->out, v->package);
    out_char(&r->cli->out, '\n');
  }
  r->package = v->package;
  return decode_text(r->cli, r->options, &d);
}

static int decode_one(struct cli *cli, const struct cli_options *o, char *text)
{
  struct pmon_decoded d = {.size = sizeof d};
  struct decode_reading reading = {cli, o, PMON_ALL};
  if (!strchr(text, '='))
    return registers_read(cli, o, text, decode_value, &reading);
  if (pmon_decode(cli->context, cli->platform, text, &d) != PMON_OK)
    return cli_fail_context(cli, text);
  return o->json ? decode_json(cli, o, &d, PMON_ALL) : decode_text(cli, o, &d);
}

static const struct cli_option decode_options[] = {
    {"replay", CLI_OPTION_REPLAY, "FILE",
     "read the registers, and the positions of blocks in the global status, of a captured machine (pmon capture)",
     CLI_FILE, NULL},
    {"root", CLI_OPTION_ROOT, "DIR", "read the system's files below DIR instead of /", CLI_FILE, NULL},
    CLI_OPTION_END,
};

static int run_decode(struct cli *cli, int argc, char **argv)
{
  struct hardware h;
  hardware_init(&h, NULL);
  const int result = hardware_read_platform(cli, &h, argc, argv);
  if (result != CLI_DONE)
    return result;
  return cli_each(cli, argc, argv, &(struct cli_each){"REGISTER[=VALUE]", decode_one, CLI_NO_PATTERNS});
}

const struct cli_command decode_command = {
    .name = "decode",
    .arguments = "REGISTER[=VALUE]...",
    .brief = "explain a register value: fields, event, violations",
    .run = run_decode,
    .options = {{decode_options, NULL}, {cli_json_option, NULL}, {NULL, NULL}},
    .notes = "REGISTER is a name (Cn_MSR_PMON_CTL0, C3_MSR_PMON_CTL0), a unit and a role\n"
             "(cha3.ctl0) or an address (0x2002, pci:30:1.1:0x318, mmio:MEM0+0x22840).\n"
             "Without a value, pmon reads it on this host.\n",
    .value = CLI_REGISTER,
};
