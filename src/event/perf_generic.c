/* SPDX-License-Identifier: MIT */
/* Events that Linux perf has for every processor (perf list: hardware, hardware cache and software events). If the
 * platform lacks one, the message names the nearest metric or event. */
#include <stdio.h>
#include <string.h>
#include "src/event/resolver.h"
#include "src/facts/index.h"

/* answers: metrics, and events as UNIT/EVENT.UMASK/, separated by blanks; the first that the platform has is the
 * nearest. Empty: an event of Xeon cores, whose programmable counters are not described, or of the kernel. */
static const struct {
  const char *name, *answers;
} generic[] = {
    {"cycles", "CORE_CYCLES pmu/CPU_OP_CYCLES.ALL/"},
    {"cpu-cycles", "CORE_CYCLES pmu/CPU_OP_CYCLES.ALL/"},
    {"ref-cycles", "REFERENCE_CYCLES"},
    {"bus-cycles", ""},
    {"instructions", "INSTRUCTIONS pmu/IA64_INST_RETIRED.THIS/"},
    {"cache-references", "LLC_REQUESTS pmu/L3_REFERENCES/"},
    {"cache-misses", "LLC_MISSES pmu/L3_MISSES/"},
    {"branches", "pmu/BR_MISPRED_DETAIL.ALL.ALL_PRED/"},
    {"branch-instructions", "pmu/BR_MISPRED_DETAIL.ALL.ALL_PRED/"},
    {"branch-misses", "pmu/BR_MISPRED_DETAIL.ALL.WRONG_PATH/"},
    {"stalled-cycles-backend", "pmu/BACK_END_BUBBLE.ALL/"},
    {"stalled-cycles-frontend", "pmu/BACK_END_BUBBLE.FE/"},
    {"LLC-loads", "LLC_DATA_READS L3_DATA_READ_REFERENCES LLC_REQUESTS"},
    {"LLC-load-misses", "LLC_DATA_READ_MISSES L3_DATA_READ_MISSES LLC_MISSES"},
    {"LLC-stores", "L3_STORE_REFERENCES LLC_REQUESTS"},
    {"LLC-store-misses", "L3_STORE_MISSES LLC_MISSES"},
    {"LLC-prefetches", "LLC_REQUESTS"},
    {"LLC-prefetch-misses", "LLC_DRD_PREFETCH_MISSES LLC_MISSES"},
    {"node-loads", "LLC_DRD_MISS_TO_LOC_MEM"},
    {"node-load-misses", "LLC_DRD_MISS_TO_REM_MEM"},
    {"node-stores", "LLC_RFO_MISS_TO_LOC_MEM"},
    {"node-store-misses", "LLC_RFO_MISS_TO_REM_MEM"},
    {"node-prefetches", ""},
    {"node-prefetch-misses", ""},
    {"L1-dcache-loads", "pmu/L1D_READS_SET0/"},
    {"L1-dcache-load-misses", "pmu/L1D_READ_MISSES.ALL/"},
    {"L1-dcache-stores", "pmu/STORES_RETIRED/"},
    {"L1-dcache-store-misses", ""},
    {"L1-dcache-prefetches", ""},
    {"L1-dcache-prefetch-misses", ""},
    {"L1-icache-loads", "pmu/L1I_READS/"},
    {"L1-icache-load-misses", "L1I_MISSES"},
    {"dTLB-loads", "L1DTLB_REFERENCES"},
    {"dTLB-load-misses", "pmu/L2DTLB_MISSES/"},
    {"dTLB-stores", ""},
    {"dTLB-store-misses", ""},
    {"iTLB-loads", "L1ITLB_REFERENCES"},
    {"iTLB-load-misses", "pmu/ITLB_MISSES_FETCH.L2ITLB/"},
    {"branch-loads", "pmu/BR_MISPRED_DETAIL.ALL.ALL_PRED/"},
    {"branch-load-misses", "pmu/BR_MISPRED_DETAIL.ALL.WRONG_PATH/"},
    {"mem-loads", ""},
    {"mem-stores", ""},
    {"task-clock", ""},
    {"cpu-clock", ""},
    {"context-switches", ""},
    {"cs", ""},
    {"cpu-migrations", ""},
    {"migrations", ""},
    {"page-faults", ""},
    {"faults", ""},
    {"minor-faults", ""},
    {"major-faults", ""},
    {"alignment-faults", ""},
    {"emulation-faults", ""},
    {"duration_time", ""},
    {"bpf-output", ""},
    {"dummy", ""},
};

static bool platform_has_event(const struct db *db, uint32_t platform, const char *answer, size_t n)
{
  const char *slash = memchr(answer, '/', n);
  const uint32_t unit = db_find_unit(db, platform, answer, (size_t)(slash - answer));
  if (unit == DB_NONE)
    return false;
  const struct db_span imports = db->units[unit].imports;
  for (uint32_t i = imports.first; i < imports.first + imports.n; i++)
    if (db_find_event(db, db->imports[i].set, slash + 1, strcspn(slash + 1, "./")) != DB_NONE)
      return true;
  return false;
}

/* Whether Linux has perf events for the processor: the Itanium processors, family 0x20, never had any. */
static bool has_perf(const struct db *db, const struct db_platform *p)
{
  bool has = true;
  for (uint32_t i = p->cpus.first; i < p->cpus.first + p->cpus.n; i++)
    has &= db->cpus[i].family != 0x20;
  return has;
}

/* Writes the remedy for an event whose nearest may be among `answers`. */
static void answer_write(const struct resolver *r, const char *answers, struct hint *hint)
{
  const uint32_t platform = (uint32_t)(r->platform->row - r->db->platforms);
  for (const char *s = answers; *s; s += strspn(s, " ")) {
    const size_t n = strcspn(s, " ");
    const bool event = memchr(s, '/', n) != NULL;
    if (event ? platform_has_event(r->db, platform, s, n) : db_find_metric(r->db, platform, DB_NONE, s, n) != DB_NONE) {
      snprintf(hint->text, sizeof hint->text, "; the closest match to this perf event is %s%.*s",
               event ? "" : "a metric: pmon stat -m ", (int)n, s);
      return;
    }
    s += n;
  }
  snprintf(hint->text, sizeof hint->text, "; it is a core or kernel event, which %s",
           has_perf(r->db, r->platform->row) ? "perf stat counts" : "pmon does not count on this processor");
}

bool resolver_hint_of_perf(const struct resolver *r, struct hint *hint)
{
  for (size_t i = 0; i < sizeof generic / sizeof *generic; i++)
    if (text_is(hint->name, generic[i].name)) {
      answer_write(r, generic[i].answers, hint);
      return true;
    }
  return false;
}
