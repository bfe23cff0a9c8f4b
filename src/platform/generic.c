/* SPDX-License-Identifier: MIT */
/* Makes a platform from the discovery page alone. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <pmon/discovery.h>

struct text_out {
  char *text;
  size_t size, n;
};

static void generic_write(struct text_out *o, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void generic_write(struct text_out *o, const char *format, ...)
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
    "  8 rst_ctrl wo 0 controls to zero\n  7:1 - rsvd 0 -\n  0 frz rw 0 counters are frozen\n"
    "register UNIT_CTL32 width 32\n  31:10 - rsvd 0 -\n  9 rst_ctrs wo 0 counters to zero\n"
    "  8 rst_ctrl wo 0 controls to zero\n  7:1 - rsvd 0 -\n  0 frz rw 0 counters are frozen\n"
    "register UNIT_STATUS width 64\n  63:32 - rsvd 0 -\n  31:0 ov w1c 0 counters that overflowed\n"
    "register UNIT_STATUS32 width 32\n  31:0 ov w1c 0 counters that overflowed\n";
static const char threshold[] = "  31:24 thresh rw 0 least increment\n";
/* Fields of stacks with ports (817509 Table 2-184); Linux has the same fields for those of later processors. */
static const char ports[] = "  63:51 - rsvd 0 -\n  50:48 fc_mask rw 0 alias=fc,fcmask flow classes that count\n"
                            "  47:36 ch_mask rw 0 alias=channel_mask,portmask,ch ports that count, one bit each\n"
                            "  35:24 thresh rw 0 least increment\n";
static const char control[] =
    "  23 invert rw 0 less than the threshold\n  22:21 - rsvd 0 -\n"
    "  20 ov_en rw 0 signal overflows\n  19 tid_en rw 0 filter by thread\n  18 edge_det rw 0 alias=edge rising edges\n"
    "  17 rst wo 0 counter to zero\n  16 - rsvd 0 -\n  15:8 umask rw 0 which kinds\n"
    "  7:0 ev_sel rw 0 alias=event which event\n";

/* Whether two units are alike: same type, same registers. */
static bool alike(const struct pmon_discovered_unit *a, const struct pmon_discovered_unit *b)
{
  return a->type == b->type && a->space == b->space && a->counters == b->counters && a->width_bits == b->width_bits &&
         a->ctl_offset == b->ctl_offset && a->ctr_offset == b->ctr_offset && a->status_offset == b->status_offset;
}

/* Registers of an address space: the suffix of their layouts, and the bytes or numbers from one control and from one
 * counter to the next. Those in configuration space are read in halves. */
static const struct raw_space {
  const char *suffix;
  unsigned ctl_step, ctr_step;
} raw_spaces[] = {[PMON_SPACE_MSR] = {"", 1, 1}, [PMON_SPACE_PCI] = {"", 8, 8}, [PMON_SPACE_MMIO] = {"32", 4, 8}};

/* Types by their numbers, which all processors with a page share: names of the unit, and the prefix of its events'
 * names in Intel's files. ports: its control is CTL_PORTS. wide: its memory-mapped controls are 64 bits wide, 8 bytes
 * apart. Sources: 817509 Table 1-7; Linux 6.12, uncore_discovery.h and uncore_snbep.c. */
static const struct known_type {
  uint32_t type;
  const char *names, *prefix;
  bool ports, wide;
} known_types[] = {{0, "cha", "UNC_CHA_", false, false},
                   {1, "iio", "UNC_IIO_", true, false},
                   {2, "irp", "UNC_I_", false, false},
                   {3, "m2pcie", "UNC_M2P_", false, false},
                   {4, "pcu", "UNC_P_", false, false},
                   {5, "ubox", "UNC_U_", false, false},
                   {6, "imc", "UNC_M_", false, false},
                   {7, "m2m", "UNC_M2M_", false, false},
                   {8, "upi,upi_ll", "UNC_UPI_", false, false},
                   {9, "m3upi", "UNC_M3UPI_", false, false},
                   {11, "mdf", "UNC_MDF_", false, false},
                   {12, "cxlcm", "UNC_CXLCM_", false, true},
                   {13, "cxldp", "UNC_CXLDP_", false, true},
                   {14, "hbm,mchbm", "UNC_MCHBM_", false, false},
                   {15, "b2hot", "UNC_B2HOT_", false, false},
                   {16, "b2cmi", "UNC_B2CMI_", false, false},
                   {17, "b2cxl", "UNC_B2CXL_", false, true},
                   {18, "b2upi", "UNC_B2UPI_", false, false},
                   {20, "mdf_sbo", "UNC_MDF_", false, false},
                   {21, "pciex16", "", false, false},
                   {22, "pciex8", "", false, false}};
enum { TYPE_MDF = 11, TYPE_MDF_SBO = 20 };

/* Returns what is known of a type; an unknown type has no names. */
static const struct known_type *find_type(uint32_t type)
{
  static const struct known_type unknown = {UINT32_MAX, "", "", false, false};
  for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++)
    if (known_types[i].type == type)
      return &known_types[i];
  return &unknown;
}

static void put_place(struct text_out *o, const struct pmon_discovered_unit *u)
{
  const uint64_t a = u->address;
  if (u->space == PMON_SPACE_PCI) /* as in memory-mapped configuration space: bus 27:20, device 19:15 ... */
    generic_write(o, "  at pci %u:%u.%u 0x%x\n", PMON_BUS_OF_SYSTEM + (unsigned)(a >> 20 & 255),
                  (unsigned)(a >> 15 & 31), (unsigned)(a >> 12 & 7), (unsigned)(a & 4095));
  else
    generic_write(o, u->space == PMON_SPACE_MSR ? "  at msr 0x%" PRIx64 "\n" : "  at mmio PHYSICAL+0x%" PRIx64 "\n", a);
}

/* Units of one type that are alike, at most 64: events select instances by a bit each. */
enum { INSTANCES = 64, KINDS = 256, LETTERS = 26 };
struct kind {
  const struct pmon_discovery *page;
  uint32_t first, n;
  bool again; /* not the first kind of its type */
  char name[24];
};

/* Writes the place of each unit, and its number in the page if it has another one here. */
static void put_places(struct text_out *o, const struct kind *k)
{
  const struct pmon_discovered_unit *u = pmon_discovery_unit(k->page, k->first), *v;
  for (uint32_t i = k->first, n = 0; n < k->n && (v = pmon_discovery_unit(k->page, i)); i++)
    if (alike(u, v)) {
      if (v->id != n)
        generic_write(o, "  # number %" PRIu32 " of the page\n", v->id);
      put_place(o, v);
      n++;
    }
}

static bool has_type(const struct pmon_discovery *page, uint32_t type)
{
  const struct pmon_discovered_unit *u;
  for (uint32_t i = 0; (u = pmon_discovery_unit(page, i)); i++)
    if (u->type == type)
      return true;
  return false;
}

/* Writes the names that the type's units have elsewhere, for the first kind of the type. If a page has units of type
 * mdf_sbo only, Intel's files call them MDF. */
static void put_names(struct text_out *o, const struct kind *k, const struct known_type *known)
{
  const bool sole = known->type == TYPE_MDF_SBO && !has_type(k->page, TYPE_MDF);
  if (!*known->names || k->again)
    return;
  generic_write(o, "  alias %s%s\n", known->names, sole ? ",mdf" : "");
  if (*known->prefix && (sole || known->type != TYPE_MDF_SBO))
    generic_write(o, "  prefix %s\n", known->prefix);
}

static void put_unit(struct text_out *o, const struct kind *k)
{
  static const struct raw_space wide = {"", 8, 8};
  const struct pmon_discovered_unit *u = pmon_discovery_unit(k->page, k->first);
  const struct known_type *known = find_type(u->type);
  const bool mmio = u->space == PMON_SPACE_MMIO;
  const struct raw_space *raw = &raw_spaces[u->space], *ctl = mmio && known->wide ? &wide : raw;
  const char *name = k->name, *layout = known->ports && !mmio ? "_PORTS" : "";
  generic_write(o,
                "\nunit type%s\n  title units of type %" PRIu32 "\n  instances %" PRIu32 "\n  counters %" PRIu32
                " width %" PRIu32 "\n  discovery %" PRIu32 "\n  clock uclk\n  events type%s\n",
                name, u->type, k->n, u->counters, u->width_bits, u->type, name);
  put_names(o, k, known);
  put_places(o, k);
  generic_write(o, "  register unit_ctl T%s_UNIT_CTL UNIT_CTL%s 0x0\n", name, raw->suffix);
  if (u->status_offset)
    generic_write(o, "  register unit_status T%s_UNIT_STATUS UNIT_STATUS%s 0x%" PRIx32 "\n", name, raw->suffix,
                  u->status_offset);
  generic_write(o, "  register ctl T%s_CTL CTL%s%s 0x%" PRIx32 " count %" PRIu32 " step %u\n", name, layout,
                ctl->suffix, u->ctl_offset, u->counters, ctl->ctl_step);
  generic_write(o, "  register ctr T%s_CTR CTR%" PRIu32 " 0x%" PRIx32 " count %" PRIu32 " step %u\n", name,
                u->width_bits, u->ctr_offset, u->counters, raw->ctr_step);
}

/* Finds all kinds of a page, in its order. The first kind of a type is named by its number alone, others with a letter
 * after it; kinds past the last letter, or past KINDS, are left out. */
static uint32_t find_kinds(const struct pmon_discovery *page, struct kind kinds[KINDS])
{
  const struct pmon_discovered_unit *u;
  uint32_t n = 0;
  for (uint32_t i = 0; (u = pmon_discovery_unit(page, i)); i++) {
    uint32_t k = n, letter = 0;
    for (uint32_t j = 0; k == n && j < n; j++) {
      const struct pmon_discovered_unit *first = pmon_discovery_unit(page, kinds[j].first);
      letter += first->type == u->type;
      k = alike(first, u) && kinds[j].n < INSTANCES ? j : n;
    }
    if (k < n)
      kinds[k].n++;
    if (k < n || n == KINDS || letter > LETTERS)
      continue;
    kinds[n] = (struct kind){.page = page, .first = i, .n = 1, .again = letter > 0};
    snprintf(kinds[n].name, sizeof kinds->name, letter ? "%" PRIu32 "%c" : "%" PRIu32, u->type,
             (int)('a' + letter - 1));
    n++;
  }
  return n;
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
    generic_write(o, "register CTR%" PRIu32 " width 64\n", u->width_bits);
    if (u->width_bits < 64)
      generic_write(o, "  63:%" PRIu32 " - rsvd 0 -\n", u->width_bits);
    generic_write(o, "  %" PRIu32 ":0 count rw 0 volatile the count\n", u->width_bits - 1);
  }
}

size_t pmon_discovery_platform(const struct pmon_discovery *d, enum pmon_platform_part part, const char *name,
                               char *text, size_t size)
{
  struct text_out o = {text, size, 0};
  struct kind kinds[KINDS];
  if (size)
    *text = 0;
  if ((unsigned)part > PMON_PART_UNITS)
    return 0;
  if (part == PMON_PART_PLATFORM) {
    generic_write(&o,
                  "platform %s\ntitle a processor as its discovery page describes it\ncite PAGE 817509 1.9\n"
                  "clock uclk 1000000000 a guess: the page names no clock\nfile %s.reg\nfile %s.unit\n",
                  name, name, name);
    return o.n;
  }
  generic_write(&o, "cite PAGE 817509 1.9\n");
  if (part == PMON_PART_REGISTERS) {
    generic_write(&o,
                  "%sregister CTL width 64\n  63:32 umask_ext rw 0 more kinds\n%s%sregister CTL32 width 32\n%s%s"
                  "register CTL_PORTS width 64\n%s%s",
                  layouts, threshold, control, threshold, control, ports, control);
    put_counter_layouts(&o, d);
    return o.n;
  }
  const uint32_t n = find_kinds(d, kinds);
  for (uint32_t i = 0; i < n; i++)
    put_unit(&o, &kinds[i]);
  return o.n;
}
