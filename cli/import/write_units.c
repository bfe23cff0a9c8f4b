/* SPDX-License-Identifier: MIT */
/* Writes the units of an imported platform, and the layouts of their registers. */
#include <stdio.h>
#include <string.h>
#include "cli/import/import.h"

/* Returns the number of counters that the unit's rows name; the fixed counter comes after the programmed ones. */
static uint32_t count_counters(const struct import *im, uint32_t unit)
{
  uint32_t all = 0;
  for (size_t i = 0; i < im->n_rows; i++)
    all |= im->rows[i].used && im->rows[i].unit == unit ? im->rows[i].e.counters : 0;
  return all ? 32 - (uint32_t)__builtin_clz(all) : 4;
}

static const struct {
  const char *folder;
  unsigned mega_transfers, stack_gb, link_mega;
} processor_bounds[] = {
#define BOUNDS(folder, mega_transfers, stack_gb, link_mega) {folder, mega_transfers, stack_gb, link_mega},
#include "cli/import/bounds.inc"
#undef BOUNDS
};

/* Writes limits beyond which reports mark a value. No server's uncore runs at 4 GHz, so that a higher frequency results
 * from counts of different times. */
static void write_bounds(FILE *f, const struct import *im, const struct import_unit *u)
{
  if (!strcmp(u->name, "cha") || !strcmp(u->name, "cbox") || !strcmp(u->name, "imc"))
    fputs("  interleaved\n", f);
  if (!strcmp(u->name, "core"))
    fputs("  bound GHz LIMIT(core) / 1000000000\n  bound GHz 6.5\n", f);
  if (!strcmp(u->name, "cha") || !strcmp(u->name, "cbox"))
    fputs("  bound GHz LIMIT(uncore) / 1000000000\n  bound GHz 4\n", f);
  for (size_t i = 0; im->folder && i < sizeof processor_bounds / sizeof *processor_bounds; i++)
    if (strcmp(processor_bounds[i].folder, im->folder) != 0)
      continue;
    else if (!strcmp(u->name, "imc"))
      fprintf(f,
              "  bound bytes/s 8 * LIMIT(ddr)\n  bound bytes/s 8 * %u000000\n"
              "  bound package bytes/s LIMIT(channels) * 8 * LIMIT(ddr)\n",
              processor_bounds[i].mega_transfers);
    else if (!strcmp(u->name, "iio"))
      fprintf(f, "  bound bytes/s LIMIT(stack)\n  bound bytes/s %u000000000\n", processor_bounds[i].stack_gb);
    else if (!strcmp(u->name, "upi") ||
             !strcmp(u->name, "qpi")) /* at most 24 lanes; 8 of 9 bytes are data of a cache line */
      fprintf(f, "  bound bytes/s 24 * LIMIT(link) / 9\n  bound bytes/s 24 * %u000000 / 9\n",
              processor_bounds[i].link_mega);
}

/* Writes the event that shows the activity of the package for this unit (docs/formats.md, `witness`), by its names in
 * Intel's files: cache lines that move to or from memory, reads of memory, or requests to the home agents. */
static void write_witness(FILE *f, const struct import *im, uint32_t unit)
{
  static const struct {
    const char *unit, *event;
  } witnesses[] = {{"imc", "CAS_COUNT"},
                   {"imc", "CAS_COUNT_SCH0"},
                   {"m2m", "IMC_READS"},
                   {"b2cmi", "IMC_READS"},
                   {"ha", "TRACKER_INSERTS"}};
  for (size_t i = 0; i < sizeof witnesses / sizeof *witnesses; i++)
    for (size_t k = 0; !strcmp(im->units[unit].name, witnesses[i].unit) && k < im->n_rows; k++) {
      const struct import_row *row = &im->rows[k];
      if (row->used && row->unit == unit && !strcmp(row->event, witnesses[i].event) && row->umask &&
          !strcmp(row->umask, "ALL")) {
        fprintf(f, "  witness %s.ALL\n", witnesses[i].event);
        return;
      }
    }
}

static void write_kernel_units(FILE *f, const struct import *im)
{
  fputs("# Units that Linux perf counts: the addresses of their registers are not known.\ncite ", f);
  import_write_text(f, im->source, "-");
  for (uint32_t i = 0; i < im->n_units; i++) {
    const struct import_unit *u = &im->units[i];
    if (!import_is_generic(im, i))
      continue;
    const uint32_t counters = count_counters(im, i);
    fprintf(f, "\nunit %s\n  title %s\n", u->name, u->title);
    if (*u->prefix)
      fprintf(f, "  prefix %s\n", u->prefix);
    fprintf(f, "  perf %s\n  access perf%s\n  instances %d\n  counters %u width 48\n  events %s\n", u->pmu,
            u->summed ? " summed" : "", u->summed ? 1 : IMPORT_MOST_INSTANCES, counters, u->name);
    import_write_kernel_names(f, im, u);
    write_witness(f, im, i);
    write_bounds(f, im, u);
    kinds_write_registers(f, u->kind, counters);
  }
  if (import_has_other_pmus(im))
    import_write_other_pmus(f, IMPORT_UNITS);
}

void import_write_units(FILE *f, const struct import *im)
{
  if (im->base_path)
    import_copy_units(f, im);
  if (import_has_kernel_units(im))
    write_kernel_units(f, im);
}

void import_write_registers(FILE *f, const struct import *im)
{
  if (im->base_path)
    import_copy_registers(f, im);
  if (!import_has_kernel_units(im))
    return;
  fputs("# Terms of Linux perf in place of registers.\ncite ", f);
  import_write_text(f, im->source, "-");
  kinds_write_layouts(f);
  if (import_has_other_pmus(im))
    import_write_other_pmus(f, IMPORT_REGISTERS);
}
