/* SPDX-License-Identifier: MIT */
/* The discovery page beside the platform's tables, and as a platform of its own. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <pmon/discovery.h>
#include <pmon/hardware.h>
#include "src/platform/page.h"

struct comparison {
  const struct pmon_discovery *page;
  const struct pmon_platform *platform;
  const struct pmon_discovery_place *place;
  pmon_remark remark;
  void *user;
  uint32_t n;
  char what[64];               /* "cha 3" */
};

static void disagree(struct comparison *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void disagree(struct comparison *c, const char *format, ...)
{
  char text[256];
  va_list ap;
  int n = snprintf(text, sizeof text, "%s: ", c->what);
  va_start(ap, format);
  vsnprintf(text + n, sizeof text - (size_t)n, format, ap);
  va_end(ap);
  c->n++;
  if (c->remark)
    c->remark(c->user, text);
}

/* Address of the first register of a role; false: the unit has none. */
static bool role_address(const struct comparison *c, uint32_t unit, uint32_t instance, uint32_t role,
                         struct pmon_address *ret_address)
{
  struct pmon_register_info r = {.size = sizeof r};
  for (uint32_t i = 0; !pmon_register_describe(c->platform, unit, i, &r); i++)
    if (r.role == role)
      return !pmon_register_address(c->platform, &(struct pmon_register_id){.unit = unit, .reg = i,
                                                                           .instance = instance}, ret_address);
  return false;
}

/* The table's address as the page writes it; false: it cannot be told. */
static bool page_address(const struct comparison *c, const struct pmon_address *a, uint64_t *ret_address)
{
  uint64_t base, size;
  if (a->space == PMON_SPACE_MMIO) {
    if (!c->place->backend || pmon_bar_address(c->place->backend, c->place->package, a->device, &base, &size))
      return false;
    *ret_address = base + a->offset;
  } else if (a->space == PMON_SPACE_PCI) {
    *ret_address = (uint64_t)(a->device & 0xff) << 12 | a->offset;     /* buses are numbered by the system */
  } else {
    *ret_address = a->offset;
  }
  return true;
}

static void compare_offset(struct comparison *c, const char *name, uint64_t page, uint64_t table)
{
  if (page != table)
    disagree(c, "%s 0x%" PRIx64 " in the page, 0x%" PRIx64 " in the tables", name, page, table);
}

static void compare_unit(struct comparison *c, uint32_t unit, const struct pmon_unit_info *info,
                         const struct pmon_discovered_unit *u)
{
  static const struct { uint32_t role; const char *name; } roles[] = {
    {PMON_ROLE_UNIT_STATUS, "offset of the status"}, {PMON_ROLE_CTL, "offset of the controls"},
    {PMON_ROLE_CTR, "offset of the counters"}};
  const uint64_t offsets[] = {u->status_offset, u->ctl_offset, u->ctr_offset};
  struct pmon_address base, a;
  uint64_t address;
  snprintf(c->what, sizeof c->what, "%s %" PRIu32, info->name, u->id);
  if (!role_address(c, unit, u->id, PMON_ROLE_UNIT_CTL, &base)) {
    disagree(c, "the tables know no such instance; they have %" PRIu32, info->instances);
    return;
  }
  if (base.space != u->space) {
    disagree(c, "%s registers in the page, %s in the tables", pmon_space_name(u->space), pmon_space_name(base.space));
    return;
  }
  if (page_address(c, &base, &address))
    compare_offset(c, "address", u->space == PMON_SPACE_PCI ? u->address & 0xfffff : u->address, address);
  for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
    if (role_address(c, unit, u->id, roles[i].role, &a))
      compare_offset(c, roles[i].name, offsets[i], a.offset - base.offset);
  if (u->counters != info->counters)
    disagree(c, "%" PRIu32 " counters in the page, %" PRIu32 " in the tables", u->counters, info->counters);
  if (u->width_bits != info->width_bits)
    disagree(c, "counters of %" PRIu32 " bits in the page, of %" PRIu32 " in the tables", u->width_bits,
             info->width_bits);
}

static bool unit_of_type(const struct comparison *c, uint32_t type, uint32_t *ret_unit, struct pmon_unit_info *info)
{
  info->size = sizeof *info;
  for (uint32_t i = 0; !pmon_unit_describe(c->platform, i, info); i++)
    if (info->discovery == type) {
      *ret_unit = i;
      return true;
    }
  return false;
}

/* Instances of the tables that the page leaves out: a smaller part of the family has fewer. */
static void compare_missing(struct comparison *c)
{
  struct pmon_unit_info info = {.size = sizeof info};
  const struct pmon_discovered_unit *u;
  for (uint32_t i = 0; !pmon_unit_describe(c->platform, i, &info); i++) {
    uint32_t there = 0;
    for (uint32_t k = 0; (u = pmon_discovery_unit(c->page, k)); k++)
      there += u->type == info.discovery && u->id < info.instances;
    snprintf(c->what, sizeof c->what, "%s", info.name);
    if (info.discovery != UINT32_MAX && info.instances && there < info.instances)
      disagree(c, "%" PRIu32 " in the page, %" PRIu32 " in the tables", there, info.instances);
  }
}

uint32_t discovery_differences(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                               const struct pmon_discovery_place *place, uint32_t unit)
{
  static const struct pmon_discovery_place nowhere = {NULL, 0, false};
  struct comparison c = {.page = discovery, .platform = platform, .place = place ? place : &nowhere};
  struct pmon_unit_info info = {.size = sizeof info};
  const struct pmon_discovered_unit *u;
  pmon_unit_describe(platform, unit, &info);
  for (uint32_t i = 0; (u = pmon_discovery_unit(discovery, i)); i++)
    if (u->type == info.discovery)
      compare_unit(&c, unit, &info, u);
  return c.n;
}

/* Units that the package's other registers count otherwise. */
static void compare_counts(struct comparison *c)
{
  struct pmon_unit_info info = {.size = sizeof info};
  const struct pmon_discovered_unit *u;
  uint32_t n;
  for (uint32_t i = 0; c->place->backend && !pmon_unit_describe(c->platform, i, &info); i++) {
    uint32_t there = 0;
    for (uint32_t k = 0; (u = pmon_discovery_unit(c->page, k)); k++)
      there += u->type == info.discovery;
    if (info.discovery == UINT32_MAX || pmon_unit_count(c->place->backend, c->place->package, c->platform, i, &n) ||
        n == there)
      continue;
    snprintf(c->what, sizeof c->what, "%s", info.name);
    disagree(c, "%" PRIu32 " in the page, %" PRIu32 " by the capability registers and BARs", there, n);
  }
}

uint32_t pmon_discovery_compare(const struct pmon_discovery *discovery, const struct pmon_platform *platform,
                                const struct pmon_discovery_place *place, pmon_remark remark, void *user)
{
  static const struct pmon_discovery_place nowhere = {NULL, 0, false};
  struct comparison c = {.page = discovery, .platform = platform, .place = place ? place : &nowhere, .remark = remark,
                         .user = user};
  const struct pmon_discovered_unit *u;
  struct pmon_unit_info info;
  for (uint32_t i = 0, unit; (u = pmon_discovery_unit(discovery, i)); i++) {
    if (unit_of_type(&c, u->type, &unit, &info)) {
      compare_unit(&c, unit, &info, u);
      continue;
    }
    snprintf(c.what, sizeof c.what, "type %" PRIu32 ", unit %" PRIu32, u->type, u->id);
    disagree(&c, "the tables know no such type");
  }
  compare_counts(&c);
  if (!c.place->fewer)
    compare_missing(&c);
  return c.n;
}

struct text_out { char *text; size_t size, n; };

static void put(struct text_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text_out *o, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  int n = vsnprintf(o->n < o->size ? o->text + o->n : NULL, o->n < o->size ? o->size - o->n : 0, format, ap);
  va_end(ap);
  o->n += n > 0 ? (size_t)n : 0;
}

/* Registers that every unit has (817509 Tables 1-3 to 1-5), 64 and 32 bits wide. */
static const char layouts[] =
  "register UNIT_CTL width 64\n  63:10 - rsvd 0 -\n  9 rst_ctrs wo 0 counters to zero\n"
  "  8 rst_ctrl wo 0 controls to zero\n  7:1 - rsvd 0 -\n  0 frz rw 0 counters stand still\n"
  "register UNIT_CTL32 width 32\n  31:10 - rsvd 0 -\n  9 rst_ctrs wo 0 counters to zero\n"
  "  8 rst_ctrl wo 0 controls to zero\n  7:1 - rsvd 0 -\n  0 frz rw 0 counters stand still\n"
  "register UNIT_STATUS width 64\n  63:32 - rsvd 0 -\n  31:0 ov w1c 0 counters that overflowed\n"
  "register UNIT_STATUS32 width 32\n  31:0 ov w1c 0 counters that overflowed\n";
static const char control[] =
  "  31:24 thresh rw 0 least increment\n  23 invert rw 0 less than the threshold\n  22:21 - rsvd 0 -\n"
  "  20 ov_en rw 0 tell overflows\n  19 tid_en rw 0 filter by thread\n  18 edge_det rw 0 alias=edge rising edges\n"
  "  17 rst wo 0 counter to zero\n  16 - rsvd 0 -\n  15:8 umask rw 0 which kinds\n"
  "  7:0 ev_sel rw 0 alias=event which event\n";

/* All units that are like `first`: same type, same registers. */
static bool alike(const struct pmon_discovered_unit *a, const struct pmon_discovered_unit *b)
{
  return a->type == b->type && a->space == b->space && a->counters == b->counters && a->width_bits == b->width_bits &&
         a->ctl_offset == b->ctl_offset && a->ctr_offset == b->ctr_offset && a->status_offset == b->status_offset;
}

/* How the registers of a space are written: the suffix of their layouts, and the bytes or numbers from one control and
 * one counter to the next. Those in configuration space are read in halves. */
static const struct raw_space { const char *suffix; unsigned ctl_step, ctr_step; } raw_spaces[] = {
  [PMON_SPACE_MSR] = {"", 1, 1}, [PMON_SPACE_PCI] = {"", 8, 8}, [PMON_SPACE_MMIO] = {"32", 4, 8}};

static void put_place(struct text_out *o, const struct pmon_discovered_unit *u)
{
  const uint64_t a = u->address;
  if (u->space == PMON_SPACE_PCI)         /* as configuration space lies in memory: bus 27:20, device 19:15 ... */
    put(o, "  at pci %u:%u.%u 0x%x\n", PMON_BUS_OF_SYSTEM + (unsigned)(a >> 20 & 255), (unsigned)(a >> 15 & 31),
        (unsigned)(a >> 12 & 7), (unsigned)(a & 4095));
  else
    put(o, u->space == PMON_SPACE_MSR ? "  at msr 0x%" PRIx64 "\n" : "  at mmio PHYSICAL+0x%" PRIx64 "\n", a);
}

static void put_unit(struct text_out *o, const struct pmon_discovery *d, uint32_t first)
{
  const struct pmon_discovered_unit *u = pmon_discovery_unit(d, first), *v;
  const struct raw_space *raw = &raw_spaces[u->space];
  uint32_t n = 0;
  for (uint32_t i = first; (v = pmon_discovery_unit(d, i)); i++)
    n += alike(u, v) && n < 64;
  put(o, "\nunit type%" PRIu32 "\n  title units of type %" PRIu32 "\n  instances %" PRIu32 "\n  counters %" PRIu32
      " width %" PRIu32 "\n  discovery %" PRIu32 "\n  clock uclk\n  events type%" PRIu32 "\n", u->type, u->type, n,
      u->counters, u->width_bits, u->type, u->type);
  for (uint32_t i = first, k = 0; (v = pmon_discovery_unit(d, i)) && k < n; i++)
    if (alike(u, v)) {
      put_place(o, v);
      k++;
    }
  put(o, "  register unit_ctl T%" PRIu32 "_UNIT_CTL UNIT_CTL%s 0x0\n", u->type, raw->suffix);
  if (u->status_offset)
    put(o, "  register unit_status T%" PRIu32 "_UNIT_STATUS UNIT_STATUS%s 0x%" PRIx32 "\n", u->type, raw->suffix,
        u->status_offset);
  put(o, "  register ctl T%" PRIu32 "_CTL CTL%s 0x%" PRIx32 " count %" PRIu32 " step %u\n", u->type, raw->suffix,
      u->ctl_offset, u->counters, raw->ctl_step);
  put(o, "  register ctr T%" PRIu32 "_CTR CTR%" PRIu32 " 0x%" PRIx32 " count %" PRIu32 " step %u\n", u->type,
      u->width_bits,
      u->ctr_offset, u->counters, raw->ctr_step);
}

static void put_counter_layouts(struct text_out *o, const struct pmon_discovery *d)
{
  const struct pmon_discovered_unit *u;
  uint64_t seen = 0;
  for (uint32_t i = 0; (u = pmon_discovery_unit(d, i)); i++) {
    const uint64_t bit = UINT64_C(1) << (u->width_bits - 1);
    if (seen & bit)
      continue;
    seen |= bit;
    put(o, "register CTR%" PRIu32 " width 64\n", u->width_bits);
    if (u->width_bits < 64)
      put(o, "  63:%" PRIu32 " - rsvd 0 -\n", u->width_bits);
    put(o, "  %" PRIu32 ":0 count rw 0 volatile the count\n", u->width_bits - 1);
  }
}

size_t pmon_discovery_platform(const struct pmon_discovery *d, enum pmon_platform_part part, const char *name,
                               char *text, size_t size)
{
  struct text_out o = {text, size, 0};
  const struct pmon_discovered_unit *u, *v;
  if (part == PMON_PART_PLATFORM) {
    put(&o, "platform %s\ntitle a processor as its discovery page describes it\ncite PAGE 817509 1.9\n"
        "clock uclk 1000000000 a guess: the page names no clock\nfile %s.reg\nfile %s.unit\n", name, name, name);
    return o.n;
  }
  put(&o, "cite PAGE 817509 1.9\n");
  if (part == PMON_PART_REGISTERS) {
    put(&o, "%sregister CTL width 64\n  63:32 umask_ext rw 0 more kinds\n%sregister CTL32 width 32\n%s", layouts,
        control, control);
    put_counter_layouts(&o, d);
    return o.n;
  }
  for (uint32_t i = 0; (u = pmon_discovery_unit(d, i)); i++) {
    bool first = true;
    for (uint32_t k = 0; first && k < i && (v = pmon_discovery_unit(d, k)); k++)
      first = v->type != u->type;
    if (first)
      put_unit(&o, d, i);
  }
  return o.n;
}
