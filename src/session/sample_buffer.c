/* SPDX-License-Identifier: MIT */
/*
 * The processor's sample buffers at each overflow: event address registers and the execution trace buffer (Montecito
 * 3.3.8 to 3.3.10). The facts describe their registers; this file defines the layouts, fields and settings of each.
 *
 * Their contents are valid under a freeze only. They are therefore read when the counter's overflow has frozen the
 * thread, and cleared before it resumes, because a remaining status would be taken for that of the next sample (Tables
 * 3-17 to 3-29).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/access/register.h"
#include "src/base/bits.h"
#include "src/platform/context.h"
#include "src/platform/platform.h"
#include "src/session/samples.h"
#include "src/session/session.h"

enum { BUFFER_REGISTERS = 18, MOST_CONFIGS = 2, MOST_DATA = 3, BUNDLE_BYTES = 16, DELAY_NS = 1000 };

/* One buffer of one package. */
struct session_sample {
  uint32_t package;
  uint32_t config[MOST_CONFIGS], n_configs; /* registers; the first is the buffer's own */
  uint64_t set[MOST_CONFIGS];               /* their programmed values */
  uint32_t data[BUFFER_REGISTERS], n_data;  /* registers, in the order of the kind's layouts */
  uint64_t value[BUFFER_REGISTERS];         /* last values read */
};

/* Definition of a kind: the configuration's layout and fields, the configuration that must be off, and the layouts of
 * the data. */
struct setting {
  const char *field;
  uint64_t value;
};
struct buffer_kind {
  const char *config, *off;
  struct setting settings[3];
  const char *value_fields[4]; /* fields that take the caller's value, low bits first */
  const char *data[MOST_DATA];
  const char *status; /* list of the names of the status field's values */
};
#define DATA_EAR                                                                                                       \
  {                                                                                                                    \
    "DEAR_ADDRESS", "DEAR_LATENCY_DATA", "DEAR_IP"                                                                     \
  }
#define CODE_EAR                                                                                                       \
  {                                                                                                                    \
    "IEAR_ADDRESS", "IEAR_LATENCY_DATA"                                                                                \
  }
#define TRACE_BUFFER                                                                                                   \
  {                                                                                                                    \
    "ETB_INDEX", "ETB_EXTENSION", "ETB_DATA"                                                                           \
  }
static const struct buffer_kind kinds[PMON_SOURCE_N] = {
    [PMON_SOURCE_DATA_CACHE] = {"DEAR_CONFIG", NULL, {{"mode", 0}, {"ism", 2}}, {"latency"}, DATA_EAR, NULL},
    [PMON_SOURCE_DATA_TLB] =
        {"DEAR_CONFIG", "ETB_CONFIG", {{"mode", 1}, {"ism", 2}}, {"tlb"}, DATA_EAR, "DEAR_TLB_STAT"},
    [PMON_SOURCE_ALAT] = {"DEAR_CONFIG", "ETB_CONFIG", {{"mode", 2}, {"ism", 2}}, {NULL}, DATA_EAR, NULL},
    [PMON_SOURCE_CODE_CACHE] = {"IEAR_CONFIG", NULL, {{"cache", 1}}, {"latency"}, CODE_EAR, NULL},
    [PMON_SOURCE_CODE_TLB] = {"IEAR_CONFIG", NULL, {{"ct", 0}}, {"tlb"}, CODE_EAR, "IEAR_TLB_STAT"},
    [PMON_SOURCE_BRANCHES] =
        {"ETB_CONFIG", "IPEAR_CONFIG", {{"ds", 0}}, {"tm", "ptm", "ppm", "brt"}, TRACE_BUFFER, NULL},
    [PMON_SOURCE_ADDRESSES] = {"IPEAR_CONFIG", "ETB_CONFIG", {{"mode", 4}}, {"delay"}, TRACE_BUFFER, NULL}};

static uint64_t sample_field_prep(uint64_t mask, uint64_t value)
{
  return mask ? value << __builtin_ctzll(mask) & mask : 0;
}

static uint64_t sample_field_get(uint64_t mask, uint64_t value)
{
  return mask ? (value & mask) >> __builtin_ctzll(mask) : 0;
}

/* Adds all registers of the unit that have the layout, and appends their numbers to `list`. It has six parameters: the
 * list and its length belong to either of two lists of the caller's struct. */
static int add_layout(struct pmon_session *s, uint32_t unit, uint32_t package, const char *layout, uint32_t *list,
                      uint32_t *n)
{
  const struct pmon_platform *p = s->plan->platform;
  struct pmon_register_info info = {.size = sizeof info};
  const uint32_t before = *n;
  for (uint32_t r = 0; platform_get_register(p, unit, r, &info); r++)
    for (uint32_t k = 0; !strcmp(info.layout, layout) && k < info.count && *n < BUFFER_REGISTERS; k++) {
      const struct pmon_register_id id = {.unit = unit, .reg = r, .index = k};
      struct pmon_address a;
      if (pmon_register_address(p, &id, &a))
        continue;
      a.package = package;
      if (session_find_register(s, &a, &id, session_phase_of_role(info.role), &list[(*n)++]))
        return PMON_E_MEMORY;
    }
  return *n > before ? 0 : PMON_E_UNSUPPORTED;
}

static uint64_t bits_of(const struct pmon_session *s, uint32_t reg, const char *field)
{
  return access_field(s->plan->platform, &s->regs[reg].id, field);
}

/* Returns the value of the configuration, with the privilege levels of the sampled event. */
static uint64_t configuration(const struct pmon_session *s, const struct buffer_kind *kind, uint32_t reg,
                              const struct session_run *run)
{
  static const char *const levels[] = {"plm", "pm"};
  const struct session_write *control = &run->writes[run->n_writes - 1];
  uint64_t value = 0, which = s->source.value;
  for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
    value |= sample_field_prep(bits_of(s, reg, levels[i]),
                               sample_field_get(bits_of(s, control->reg, levels[i]), control->value));
  for (size_t i = 0; i < sizeof kind->settings / sizeof *kind->settings && kind->settings[i].field; i++)
    value |= sample_field_prep(bits_of(s, reg, kind->settings[i].field), kind->settings[i].value);
  for (size_t i = 0; i < sizeof kind->value_fields / sizeof *kind->value_fields && kind->value_fields[i]; i++) {
    const uint64_t mask = bits_of(s, reg, kind->value_fields[i]);
    value |= sample_field_prep(mask, which);
    which >>= __builtin_popcountll(mask);
  }
  return value;
}

static int lay_out_buffer(struct pmon_session *s, const struct session_run *run, struct session_sample *b)
{
  const struct buffer_kind *kind = &kinds[s->source.kind];
  const uint32_t unit = s->regs[run->counter].id.unit;
  b->package = s->regs[run->counter].address.package;
  int status = add_layout(s, unit, b->package, kind->config, b->config, &b->n_configs);
  if (!status)
    b->set[0] = configuration(s, kind, b->config[0], run);
  if (!status && kind->off)
    status = add_layout(s, unit, b->package, kind->off, b->config, &b->n_configs);
  for (size_t i = 0; !status && i < MOST_DATA && kind->data[i]; i++)
    status = add_layout(s, unit, b->package, kind->data[i], b->data, &b->n_data);
  return status;
}

int session_lay_out_buffers(struct pmon_session *s)
{
  int status = 0;
  if (!s->source.kind)
    return 0;
  if (s->source.kind >= PMON_SOURCE_N)
    return context_fail(s->plan->context, PMON_E_INVALID, 0,
                        "sample source %u: expected a value of enum pmon_sample_source_kind", s->source.kind);
  s->buffers = calloc(64, sizeof *s->buffers);
  if (!s->buffers)
    return context_fail(s->plan->context, PMON_E_MEMORY, 0, "no memory for a session");
  for (uint32_t i = 0; !status && i < s->n_runs; i++)
    if (s->runs[i].event == s->every_event && s->n_buffers < 64)
      status = lay_out_buffer(s, &s->runs[i], &s->buffers[s->n_buffers++]);
  if (status == PMON_E_UNSUPPORTED)
    context_fail(s->plan->context, status, 0, "%s: this platform has no such sample buffer",
                 pmon_sample_source_name(s->source.kind));
  return status;
}

int session_save_buffers(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_regs; i++) {
    struct session_register *r = &s->regs[i];
    int status = r->phase != PHASE_SAMPLE ? 0 : access_read(s->backend, &r->address, &r->saved);
    if (status)
      return session_fail(s, r, "cannot read", status);
    r->now = r->phase == PHASE_SAMPLE ? r->saved : r->now;
  }
  if (!s->n_buffers && !s->counts_buffers)
    return 0;
  s->buffers_saved = true;
  return session_write_journal(s);
}

/* Empties the buffer by clearing the field that shows whether it has contents: the status of EARs, the index of the
 * trace buffer. */
static int sample_buffer_clear(struct pmon_session *s, const struct session_sample *b)
{
  int status = 0;
  for (uint32_t i = 0; !status && i < b->n_data; i++)
    status = session_clear_buffer(s, &s->regs[b->data[i]]);
  return status;
}

int session_program_buffers(struct pmon_session *s)
{
  for (uint32_t i = 0; i < s->n_buffers; i++) {
    const struct session_sample *b = &s->buffers[i];
    int status = sample_buffer_clear(s, b);
    for (uint32_t k = b->n_configs; !status && k-- > 0;)
      status = session_write(s, &s->regs[b->config[k]], b->set[k]);
    if (status)
      return status;
  }
  return 0;
}

static uint64_t field_of(const struct pmon_session *s, const struct session_sample *b, uint32_t data, const char *field)
{
  return sample_field_get(bits_of(s, b->data[data], field), b->value[data]);
}

/* Returns the name of a value in a list of values. */
static const char *served_by(const struct pmon_session *s, const char *list, uint64_t value)
{
  struct pmon_values_info values = {.size = sizeof values};
  struct pmon_value_info info = {.size = sizeof info};
  for (uint32_t i = 0; platform_get_values(s->plan->platform, i, &values); i++)
    for (uint32_t k = 0; !strcmp(values.name, list) && platform_get_value(s->plan->platform, i, k, &info); k++)
      if (info.value == value)
        return info.name;
  return "";
}

static void fill_latency(const struct pmon_session *s, const struct session_sample *b, struct pmon_sample *sample)
{
  sample->flags |= PMON_SAMPLE_LATENCY | (field_of(s, b, 1, "overflow") ? PMON_SAMPLE_LONGER : 0);
  sample->latency = (uint32_t)field_of(s, b, 1, "latency");
}

/* Tables 3-22, 3-24, 3-25: in TLB mode the status is the level that served the miss, and there is no latency; ALAT
 * samples have no address. */
static void decode_data(const struct pmon_session *s, const struct session_sample *b, struct pmon_sample *sample)
{
  const uint64_t stat = field_of(s, b, 1, "stat");
  if (!stat)
    return;
  if (sample->kind != PMON_SOURCE_ALAT) {
    sample->flags |= PMON_SAMPLE_DATA;
    sample->data = b->value[0];
  }
  if (sample->kind == PMON_SOURCE_DATA_CACHE)
    fill_latency(s, b, sample);
  if (sample->kind == PMON_SOURCE_DATA_TLB)
    sample->served = served_by(s, kinds[sample->kind].status, stat);
  if (!field_of(s, b, 2, "vl"))
    return;
  sample->flags |= PMON_SAMPLE_IP;
  sample->ip = (b->value[2] & bits_of(s, b->data[2], "address")) + BUNDLE_BYTES * field_of(s, b, 2, "bn");
  sample->slot = (uint32_t)field_of(s, b, 2, "slot");
}

/* Tables 3-17, 3-19. */
static void decode_code(const struct pmon_session *s, const struct session_sample *b, struct pmon_sample *sample)
{
  const bool tlb = sample->kind == PMON_SOURCE_CODE_TLB;
  const uint64_t stat = field_of(s, b, 0, tlb ? "served" : "valid");
  if (!stat)
    return;
  sample->flags |= PMON_SAMPLE_IP;
  sample->ip = b->value[0] & bits_of(s, b->data[0], "address");
  if (tlb)
    sample->served = served_by(s, kinds[sample->kind].status, stat);
  else
    fill_latency(s, b, sample);
}

/* Returns the four extension bits of one entry: entries 0 and 8 share the lowest byte, 1 and 9 the next (Table
 * 3-29). */
static uint64_t extension(const struct session_sample *b, uint32_t entry)
{
  return b->value[1] >> ((entry & 7) * 8 + (entry & 8 ? 4 : 0)) & 15;
}

enum { ENTRIES = 16, FIRST_ENTRY = 2, S = 1, MP = 2, SLOT_NOT_TAKEN = 3, EXTENSION_BUNDLE1 = 1, EXTENSION_FLUSH = 2 };

/* Table 3-27: branch sources, each with the target that follows, from the oldest entry on. */
static void decode_branches(struct pmon_session *s, const struct session_sample *b, struct pmon_sample *sample)
{
  const uint32_t next = (uint32_t)field_of(s, b, 0, "ebi"), full = field_of(s, b, 0, "full") != 0;
  const uint32_t n = full ? ENTRIES : next;
  bool any = false;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t at = ((full ? next : 0) + i) % ENTRIES, after = (at + 1) % ENTRIES;
    const uint64_t e = b->value[FIRST_ENTRY + at], target = b->value[FIRST_ENTRY + after];
    if (!(e & S))
      continue;
    const uint32_t slot = (uint32_t)(e >> 2 & 3);
    sample->flags = PMON_SAMPLE_IP | (e & MP ? PMON_SAMPLE_WRONG : 0);
    sample->ip = (e & ~UINT64_C(15)) + (extension(b, at) & EXTENSION_BUNDLE1 ? BUNDLE_BYTES : 0);
    sample->slot = slot == SLOT_NOT_TAKEN ? 0 : slot;
    sample->flags |= slot == SLOT_NOT_TAKEN ? 0 : PMON_SAMPLE_TAKEN;
    sample->flags |= e & MP && extension(b, at) & EXTENSION_FLUSH ? PMON_SAMPLE_FLUSHED : 0;
    sample->target = 0;
    /* A target that is itself a source has no entry of its own (3.3.10). */
    if (i + 1 < n && slot != SLOT_NOT_TAKEN && target & (S | MP)) {
      sample->flags |= PMON_SAMPLE_TARGET;
      sample->target =
          (target & ~UINT64_C(15)) + (target & S && extension(b, after) & EXTENSION_BUNDLE1 ? BUNDLE_BYTES : 0);
    }
    any = true;
    s->sample(s->sample_user, sample);
  }
  sample->flags = 0;
  if (!any)
    s->sample(s->sample_user, sample);
}

/* Figures 3-28 and 3-29, Tables 3-31 and 3-33: retired addresses, from the oldest entry on; each has four extension
 * bits. */
enum { FROZE_EARLY = 1, PIPE_FLUSHED = 2, ELAPSED_HIGH = 2, ELAPSED_MOST = 63 };

static void decode_addresses(struct pmon_session *s, const struct session_sample *b, struct pmon_sample *sample)
{
  const uint32_t next = (uint32_t)field_of(s, b, 0, "ebi"), full = field_of(s, b, 0, "full") != 0;
  const uint32_t n = full ? ENTRIES : next;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t at = ((full ? next : 0) + i) % ENTRIES;
    const uint64_t e = b->value[FIRST_ENTRY + at], beside = extension(b, at);
    const bool early = beside & FROZE_EARLY;
    sample->latency = (uint32_t)(bits_take(e, 63, 60) | beside >> ELAPSED_HIGH << 4);
    sample->ip = bits_place(bits_take(e, 59, 8), 63, 12) | (early ? 0 : bits_place(bits_take(e, 7, 0), 11, 4));
    sample->flags = PMON_SAMPLE_IP | PMON_SAMPLE_LATENCY | (sample->latency == ELAPSED_MOST ? PMON_SAMPLE_LONGER : 0) |
                    (beside & PIPE_FLUSHED ? PMON_SAMPLE_FLUSHED : 0) | (early ? PMON_SAMPLE_EARLY : 0) |
                    (i + 1 == n && !early ? PMON_SAMPLE_LAST : 0);
    s->sample(s->sample_user, sample);
  }
  if (!n)
    s->sample(s->sample_user, sample);
}

/* Waits until the address buffer has stopped: it continues for up to 255 cycles after the counters are frozen
 * (3.3.10.2). */
static int let_delay_pass(struct pmon_session *s)
{
  uint64_t now_ns = s->now_ns;
  bool ended = false;
  int status = 0;
  while (!status && !ended && now_ns < s->now_ns + DELAY_NS)
    status = s->backend->ops->wait(s->backend, s->now_ns + DELAY_NS, &now_ns, &ended);
  return status ? session_fail(s, NULL, "the workload cannot continue", status) : 0;
}

/* Reads the buffer; *ret_ours: the configuration still has its programmed value. */
static int read_buffer(struct pmon_session *s, struct session_sample *b, bool *ret_ours)
{
  *ret_ours = true;
  for (uint32_t i = 0; i < b->n_configs; i++) {
    const struct session_register *r = &s->regs[b->config[i]];
    uint64_t value;
    int status = access_read(s->backend, &r->address, &value);
    if (status)
      return session_fail(s, r, "cannot read", status);
    *ret_ours &= !((value ^ b->set[i]) & r->stable);
  }
  for (uint32_t i = 0; i < b->n_data; i++) {
    const struct session_register *r = &s->regs[b->data[i]];
    int status = access_read(s->backend, &r->address, &b->value[i]);
    if (status)
      return session_fail(s, r, "cannot read", status);
  }
  return 0;
}

static int take_sample(struct pmon_session *s, struct session_sample *b)
{
  struct pmon_sample sample = {.size = sizeof sample,
                               .number = s->n_samples++,
                               .time_ns = s->now_ns,
                               .package = b->package,
                               .kind = s->source.kind,
                               .served = ""};
  const bool many = sample.kind == PMON_SOURCE_BRANCHES || sample.kind == PMON_SOURCE_ADDRESSES;
  bool ours;
  int status = sample.kind == PMON_SOURCE_ADDRESSES ? let_delay_pass(s) : 0;
  if (!status)
    status = read_buffer(s, b, &ours);
  if (status)
    return status;
  if (!ours)
    sample.flags = PMON_SAMPLE_STOLEN;
  else if (sample.kind == PMON_SOURCE_BRANCHES && s->sample)
    decode_branches(s, b, &sample);
  else if (sample.kind == PMON_SOURCE_ADDRESSES && s->sample)
    decode_addresses(s, b, &sample);
  else if (b->n_data == MOST_DATA)
    decode_data(s, b, &sample);
  else
    decode_code(s, b, &sample);
  if (s->sample && (!ours || !many))
    s->sample(s->sample_user, &sample);
  return sample_buffer_clear(s, b);
}

int session_take_samples(struct pmon_session *s)
{
  int status = 0;
  for (uint32_t i = 0; !status && i < s->n_regs; i++) {
    if (!s->regs[i].overflowed)
      continue;
    for (uint32_t k = 0; !status && k < s->n_buffers; k++)
      if (s->buffers[k].package == s->regs[i].address.package)
        status = take_sample(s, &s->buffers[k]);
  }
  return status;
}
