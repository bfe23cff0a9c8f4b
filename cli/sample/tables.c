/* SPDX-License-Identifier: MIT */
/* Prints the samples together: tables of the most frequent addresses, and how many were lost. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cli/sample/code.h"
#include "cli/sample/sample.h"

enum { LINE = 64, PAGE = 4096, TEXT = 512, RANGE = 64 };

/* Writes a line; on a terminal, lines of at most its width. */
static void sample_write_words(struct sample_run *r, const char *text)
{
  struct out *const o = &r->stat.cli->out;
  if (!r->stat.output.file) {
    out_wrapped(o, text, 0, cli_width());
    out_flush(o);
    return;
  }
  sample_write(r, text);
  sample_write(r, "\n");
}

/* A table: how its samples are grouped, and the heading of the first column. */
struct table {
  const char *title;
  uint32_t needs; /* flags that samples must have */
  uint64_t (*key)(const struct pmon_sample *s);
  bool branches;
};

struct bin {
  uint64_t key, target;
  uint64_t n, latencies, longest, wrong, taken;
  const struct pmon_sample *first;
  unsigned program; /* the program of these addresses */
};

static uint64_t key_ip(const struct pmon_sample *s)
{
  return s->ip | (sample_has_slot(s->kind) && !sample_slot_is_known(s) ? SAMPLE_NO_SLOT : s->slot);
}

static uint64_t key_line(const struct pmon_sample *s)
{
  return s->data / LINE * LINE;
}

static uint64_t key_page(const struct pmon_sample *s)
{
  return s->data / PAGE * PAGE;
}

static int by_key(const void *pa, const void *pb)
{
  const struct bin *a = pa, *b = pb;
  if (a->program != b->program)
    return (a->program > b->program) - (a->program < b->program);
  return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->target > b->target) - (a->target < b->target);
}

static int by_weight(const void *pa, const void *pb)
{
  const struct bin *a = pa, *b = pb;
  return a->n != b->n ? (a->n < b->n) - (a->n > b->n) : by_key(pa, pb);
}

/* Groups the samples into bins, largest first. Returns NULL if there are no samples or there is no memory. */
static struct bin *make_bins(const struct sample_run *r, const struct table *t, size_t *ret_n)
{
  struct bin *bins = calloc(r->n + 1, sizeof *bins);
  size_t n = 0, k = 0;
  for (size_t i = 0; bins && i < r->n; i++) {
    const struct pmon_sample *s = &r->samples[i];
    if ((s->flags & t->needs) != t->needs)
      continue;
    bins[n++] = (struct bin){.key = t->key(s),
                             .target = t->branches ? s->target : 0,
                             .n = 1,
                             .first = s,
                             .program = sample_code_program(r, s),
                             .latencies = s->latency,
                             .longest = s->latency,
                             .wrong = (s->flags & PMON_SAMPLE_WRONG) != 0,
                             .taken = (s->flags & PMON_SAMPLE_TAKEN) != 0};
  }
  if (n)
    qsort(bins, n, sizeof *bins, by_key);
  for (size_t i = 1; i < n; i++) {
    if (by_key(&bins[k], &bins[i])) {
      bins[++k] = bins[i];
      continue;
    }
    bins[k].n++;
    bins[k].latencies += bins[i].latencies;
    bins[k].longest = bins[i].longest > bins[k].longest ? bins[i].longest : bins[k].longest;
    bins[k].wrong += bins[i].wrong;
    bins[k].taken += bins[i].taken;
  }
  *ret_n = n ? k + 1 : 0;
  if (*ret_n)
    qsort(bins, *ret_n, sizeof *bins, by_weight);
  return bins;
}

/* Returns the slot of a bin's instruction, found in the program's code if the sample has none. */
static unsigned bin_slot(const struct sample_run *r, const struct bin *b)
{
  if (!sample_has_slot(r->wanted.kind))
    return SAMPLE_NO_SLOT;
  return sample_slot_is_known(b->first) ? b->first->slot : sample_code_branch(r, b->first);
}

/* Writes the function and the instruction of a bin, after its numbers. */
static int sample_print_code(const struct sample_run *r, const struct bin *b, unsigned slot, char *text, size_t size)
{
  char code[200];
  sample_code_describe(r, b->first, slot, code, sizeof code);
  return *code ? snprintf(text, size, "  %s", code) : 0;
}

static void sample_print_bin(struct sample_run *r, const struct table *t, const struct bin *b, size_t all)
{
  char text[TEXT], where[48];
  const double share = 100.0 * (double)b->n / (double)all;
  const unsigned slot = bin_slot(r, b);
  int n;
  if (t->key == key_ip && slot != SAMPLE_NO_SLOT)
    snprintf(where, sizeof where, "0x%" PRIx64 " slot %u", b->key & ~UINT64_C(15), slot);
  else
    snprintf(where, sizeof where, "0x%" PRIx64,
             sample_has_slot(r->wanted.kind) && t->key == key_ip ? b->key & ~UINT64_C(15) : b->key);
  n = snprintf(text, sizeof text, "%9" PRIu64 " %5.1f %%  %-26s", b->n, share, where);
  if (t->branches) {
    char target[32] = "not taken";
    if (b->taken)
      snprintf(target, sizeof target, b->target ? "0x%" PRIx64 : "?", b->target);
    n += snprintf(text + n, sizeof text - (size_t)n, "  %-20s %5.1f %%", target,
                  100.0 * (double)b->wrong / (double)b->n);
  } else if (b->first->flags & PMON_SAMPLE_LATENCY) {
    n += snprintf(text + n, sizeof text - (size_t)n, "  %9.1f %9" PRIu64, (double)b->latencies / (double)b->n,
                  b->longest);
  }
  if (t->key == key_ip)
    n += sample_print_code(r, b, slot, text + n, sizeof text - (size_t)n);
  while (n > 0 && text[n - 1] == ' ')
    n--;
  snprintf(text + n, sizeof text - (size_t)n, "\n");
  sample_write(r, text);
}

static void sample_print_table(struct sample_run *r, const struct table *t)
{
  size_t n = 0, all = 0;
  char text[TEXT];
  struct bin *bins = make_bins(r, t, &n);
  for (size_t i = 0; i < n; i++)
    all += bins[i].n;
  if (all) {
    const bool latency = !t->branches && bins[0].first->flags & PMON_SAMPLE_LATENCY;
    snprintf(text, sizeof text, "\n%9s %7s  %-26s%s\n", "samples", "", t->title,
             t->branches ? "  to                   wrong"
             : latency   ? "  cycles mean      most"
                         : "");
    char *end = text + strlen(text) - 1;
    while (end > text && end[-1] == ' ')
      end--;
    strcpy(end, "\n");
    sample_write(r, text);
  }
  for (size_t i = 0; i < n && i < r->top; i++)
    sample_print_bin(r, t, &bins[i], all);
  if (n > r->top) {
    snprintf(text, sizeof text, "%*s and %zu more; --top N prints more, --csv all samples\n", 9, "...", n - r->top);
    sample_write(r, text);
  }
  free(bins);
}

/* Prints which levels served TLB misses. */
static void sample_print_served(struct sample_run *r)
{
  const char *names[8];
  uint64_t count[8] = {0};
  size_t n = 0;
  char text[TEXT];
  for (size_t i = 0; i < r->n; i++) {
    size_t k = 0;
    while (k < n && strcmp(names[k], r->samples[i].served))
      k++;
    if (!*r->samples[i].served || k == sizeof names / sizeof *names)
      continue;
    names[k] = r->samples[i].served;
    n += k == n;
    count[k]++;
  }
  for (size_t k = 0; k < n; k++) {
    snprintf(text, sizeof text, "%s%s %" PRIu64 "%s", k ? ", " : "\nserved by ", names[k], count[k],
             k + 1 == n ? "\n" : "");
    sample_write(r, text);
  }
}

static void sample_print_head(struct sample_run *r)
{
  struct stat_run *s = &r->stat;
  struct pmon_platform_info platform = {.size = sizeof platform};
  uint64_t overflows = 0, empty = 0, stolen = 0;
  char text[TEXT], place[TEXT / 2], time[PMON_REPORT_TEXT];
  for (size_t i = 0; i < r->n; i++) {
    overflows += !i || r->samples[i].number != r->samples[i - 1].number;
    empty += !r->samples[i].flags;
    stolen += (r->samples[i].flags & PMON_SAMPLE_STOLEN) != 0;
  }
  pmon_platform_describe(s->cli->platform, &platform);
  pmon_report_time_text(s->measured_seconds, time);
  stat_names_format_place(&s->names, platform.name, place, sizeof place);
  snprintf(text, sizeof text, "%s: %s %s, %" PRIu64 " sample%s, each after %u of %s", place, time,
           *s->names.machine ? "of simulated time" : "measured", overflows, overflows == 1 ? "" : "s", r->count,
           pmon_event_name(pmon_plan_event(s->wanted.plan, s->times.every_event)));
  sample_write_words(r, s->names.command);
  sample_write_words(r, text);
  if (empty) {
    snprintf(text, sizeof text, "samples without a new sample record: %" PRIu64 "\n", empty);
    sample_write(r, text);
  }
  if (!overflows)
    sample_write_words(
        r, r->count > 1 ? "the event counted fewer times than one sampling period; a smaller -c samples more often"
                        : "the event did not count: try another --source, a lower latency or a longer program");
  if (stolen) {
    snprintf(text, sizeof text, "invalid samples: %" PRIu64 "; another program changed the buffer's configuration",
             stolen);
    sample_write_words(r, text);
  }
}

/* Formats `low to high` with `decimals`, or one number if both have the same digits. */
static const char *format_range(char text[RANGE], int decimals, double low, double high)
{
  const int n = snprintf(text, RANGE, "%.*f", decimals, low);
  char end[RANGE / 2];
  snprintf(end, sizeof end, "%.*f", decimals, high);
  if (strcmp(text, end) != 0)
    snprintf(text + n, RANGE - (size_t)n, " to %s", end);
  return text;
}

/* Describes lost samples: how many, and why. Writes nothing if none were lost. */
bool sample_describe_loss(const struct sample_run *r, char *text, size_t size)
{
  const struct pmon_sample_loss *l = &r->stat.samples.loss;
  const double low = l->lost_low, high = l->lost_high, taken = (double)l->samples;
  char lost[RANGE], part[RANGE], frozen[RANGE];
  if (!l->samples || high < 0.5)
    return false;
  snprintf(text, size,
           "about %s samples were lost, %s %% of all: from an overflow until pmon reads its record, the thread's "
           "monitors are frozen, here for %s %% of the time; a larger -c loses fewer",
           format_range(lost, 0, low, high),
           format_range(part, 1, 100 * low / (taken + low), 100 * high / (taken + high)),
           format_range(frozen, 1, 100 * l->frozen_low, 100 * l->frozen_high));
  return true;
}

void sample_print_tables(struct sample_run *r)
{
  static const struct table instructions = {"instruction", PMON_SAMPLE_IP, key_ip, false},
                            lines = {"data, lines of 64 bytes", PMON_SAMPLE_DATA, key_line, false},
                            pages = {"data, pages of 4 KB", PMON_SAMPLE_DATA, key_page, false},
                            fetches = {"code, lines of 32 bytes", PMON_SAMPLE_IP, key_ip, false},
                            branches = {"branch", PMON_SAMPLE_IP, key_ip, true};
  static const struct {
    const struct table *first, *second;
  } tables[PMON_SOURCE_N] = {
      [PMON_SOURCE_DATA_CACHE] = {&instructions, &lines}, [PMON_SOURCE_DATA_TLB] = {&instructions, &pages},
      [PMON_SOURCE_ALAT] = {&instructions, NULL},         [PMON_SOURCE_CODE_CACHE] = {&fetches, NULL},
      [PMON_SOURCE_CODE_TLB] = {&fetches, NULL},          [PMON_SOURCE_BRANCHES] = {&branches, NULL},
      [PMON_SOURCE_ADDRESSES] = {&instructions, NULL}};
  char loss[TEXT - 1];
  sample_print_head(r);
  if (sample_describe_loss(r, loss, sizeof loss))
    sample_write_words(r, loss);
  sample_print_table(r, tables[r->wanted.kind].first);
  if (tables[r->wanted.kind].second)
    sample_print_table(r, tables[r->wanted.kind].second);
  sample_print_served(r);
}
