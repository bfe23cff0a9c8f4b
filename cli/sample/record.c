/* SPDX-License-Identifier: MIT */
/* Prints single samples, one a line, as CSV and JSON. */
#include <inttypes.h>
#include <string.h>
#include "cli/sample/sample.h"

enum { TEXT = 512, NUMBER = 32, FLAGS = 96 };

/* The flags that are printed; the others say which members of a sample are valid. */
static const struct {
  uint32_t flag;
  const char *name;
} flag_names[] = {{PMON_SAMPLE_LONGER, "longer"},   {PMON_SAMPLE_TAKEN, "taken"},   {PMON_SAMPLE_WRONG, "wrong"},
                  {PMON_SAMPLE_FLUSHED, "flushed"}, {PMON_SAMPLE_STOLEN, "stolen"}, {PMON_SAMPLE_EARLY, "early"},
                  {PMON_SAMPLE_LAST, "last"}};

void sample_write(struct sample_run *r, const char *text)
{
  stat_output_write(&r->stat.output, text, strlen(text));
}

bool sample_has_slot(uint32_t kind)
{
  return kind != PMON_SOURCE_CODE_CACHE && kind != PMON_SOURCE_CODE_TLB && kind != PMON_SOURCE_ADDRESSES;
}

bool sample_slot_is_known(const struct pmon_sample *s)
{
  return sample_has_slot(s->kind) && (s->kind != PMON_SOURCE_BRANCHES || s->flags & PMON_SAMPLE_TAKEN);
}

/* The members of a record that not every sample has. */
struct record_texts {
  char ip[NUMBER], slot[NUMBER], data[NUMBER], latency[NUMBER], target[NUMBER], flags[FLAGS];
};

/* Formats the number if the sample has it. */
static void format_number(char text[NUMBER], bool known, uint64_t value, bool json)
{
  if (known)
    snprintf(text, NUMBER, "%" PRIu64, value);
  else
    snprintf(text, NUMBER, "%s", json ? "null" : "");
}

/* The same for an address; it is a text in JSON, because JSON readers round large numbers. */
static void format_address(char text[NUMBER], bool known, uint64_t value, bool json)
{
  if (known)
    snprintf(text, NUMBER, json ? "\"0x%" PRIx64 "\"" : "0x%" PRIx64, value);
  else
    snprintf(text, NUMBER, "%s", json ? "null" : "");
}

static void format_flags(char text[FLAGS], uint32_t flags, bool json)
{
  const char *const quote = json ? "\"" : "", *const join = json ? "," : " ";
  size_t n = 0;
  *text = 0;
  for (size_t i = 0; i < sizeof flag_names / sizeof *flag_names; i++)
    if (flags & flag_names[i].flag)
      n += (size_t)snprintf(text + n, FLAGS - n, "%s%s%s%s", n ? join : "", quote, flag_names[i].name, quote);
}

static void format_record(struct record_texts *t, const struct pmon_sample *s, bool json)
{
  const bool has_ip = s->flags & PMON_SAMPLE_IP;
  format_address(t->ip, has_ip, s->ip, json);
  format_number(t->slot, has_ip && sample_slot_is_known(s), s->slot, json);
  format_address(t->data, s->flags & PMON_SAMPLE_DATA, s->data, json);
  format_number(t->latency, s->flags & PMON_SAMPLE_LATENCY, s->latency, json);
  format_address(t->target, s->flags & PMON_SAMPLE_TARGET, s->target, json);
  format_flags(t->flags, s->flags, json);
}

void sample_print_header(struct sample_run *r)
{
  if (r->stat.output.format == PMON_FORMAT_CSV && !r->stat.output.header_written)
    sample_write(r, "number,time_ns,thread,kind,ip,slot,data,latency,served,target,flags,machine,emulated\r\n");
  r->stat.output.header_written = true;
}

static void sample_print_csv(struct sample_run *r, const struct pmon_sample *s)
{
  const char *const machine = r->stat.names.machine;
  struct record_texts t;
  char text[TEXT];
  format_record(&t, s, false);
  snprintf(text, sizeof text, "%" PRIu64 ",%" PRIu64 ",%u,%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\r\n", s->number, s->time_ns,
           s->package, pmon_sample_source_name(s->kind), t.ip, t.slot, t.data, t.latency, s->served, t.target, t.flags,
           machine, *machine ? "EMULATED" : "");
  sample_write(r, text);
}

static void sample_print_json(struct sample_run *r, const struct pmon_sample *s)
{
  const char *const machine = r->stat.names.machine;
  const char *const served_quote = *s->served ? "\"" : "", *const machine_quote = *machine ? "\"" : "";
  struct record_texts t;
  char text[TEXT];
  format_record(&t, s, true);
  snprintf(text, sizeof text,
           "{\"number\":%" PRIu64 ",\"time_ns\":%" PRIu64 ",\"thread\":%u,\"kind\":\"%s\",\"ip\":%s,\"slot\":%s,"
           "\"data\":%s,\"latency\":%s,\"served\":%s%s%s,\"target\":%s,\"flags\":[%s],\"machine\":%s%s%s,"
           "\"emulated\":%s}\n",
           s->number, s->time_ns, s->package, pmon_sample_source_name(s->kind), t.ip, t.slot, t.data, t.latency,
           served_quote, *s->served ? s->served : "null", served_quote, t.target, t.flags, machine_quote,
           *machine ? machine : "null", machine_quote, *machine ? "true" : "false");
  sample_write(r, text);
}

void sample_print_record(struct sample_run *r, const struct pmon_sample *s)
{
  sample_print_header(r);
  if (r->stat.output.format == PMON_FORMAT_JSON)
    sample_print_json(r, s);
  else
    sample_print_csv(r, s);
}
