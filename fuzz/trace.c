/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes trace files: binary, compressed, lackey text, and scenarios. Each is read to its end or to an error; a reader
 * must deliver only records that are valid for the machine.
 */
#include <stdlib.h>
#include <string.h>
#include "machine/trace/pmt.h"
#include "machine/trace/reader.h"
#include "machine/trace/ring.h"
#include "machine/trace/scenario.h"

#define ENOUGH (1u << 22) /* records: small files can hold many, compressed */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t fuzz_trace_check(const struct trace_window *w)
{
  for (size_t i = 0; i < w->n; i++) {
    uint64_t r = w->record[i];

    if (record_is_mark(r)) {
      if (!record_mark_is_recorded(r))
        abort();
      continue;
    }
    if (record_is_note(r)) {
      if (!record_note_is_valid(r))
        abort();
      continue;
    }
    if (record_is_block(r) ? !record_count(r) || !record_bytes(r) : record_size_log2(r) > 6)
      abort();
  }
  return w->n;
}

static void read_to_the_end(struct trace_source *s)
{
  uint64_t total = 0;
  bool over = false;

  while (!over && total < ENOUGH) {
    unsigned threads;
    bool ended, any = false;

    if (s->ops->poll(s, &threads, &ended) < 0)
      return;
    for (unsigned i = 0; i < threads; i++) {
      struct trace_window w;

      if (s->ops->window(s, i, &w) < 0)
        return;
      total += fuzz_trace_check(&w);
      any |= w.n != 0;
      ended &= !w.n && w.state == TRACE_ENDED;
      s->ops->consume(s, i, w.n);
    }
    over = ended;
    if (!any && !over && s->ops->await(s, TRACE_ANY) < 0)
      return;
  }
}

/* Decodes the bytes as the payload of a chunk of a version before 5: a mutated chunk would not pass its checksum. */
static void decode(const uint8_t *data, size_t size)
{
  struct pmt_coder *c = calloc(1, sizeof *c);
  uint8_t *payload = calloc(1, size + PMT_PADDING);
  uint64_t *record = calloc(size / 2 + 1, sizeof *record);
  size_t n = size < 2 ? 0 : 1 + data[0] * (size / 2 - 1) / 255;

  if (c && payload && record && size <= PMT_CHUNK_BYTES) {
    memcpy(payload, data, size);
    if (pmt_decode(c, payload, size, record, n))
      fuzz_trace_check(&(struct trace_window){.record = record, .n = n});
  }
  free(c);
  free(payload);
  free(record);
}

/* Decodes the bytes as a payload since version 5, after the number of its records. */
static void decode_visits(const uint8_t *data, size_t size)
{
  struct visit_model *m = calloc(1, sizeof *m);
  uint8_t *payload = calloc(1, size + PMT_PADDING);
  size_t n = size < 2 ? 0 : (data[0] | (size_t)data[1] << 8) % (PMT_CHUNK_RECORDS + 1);
  uint64_t *record = calloc(n + 1, sizeof *record), slept = 0;

  if (m && payload && record && size >= 2 && size <= PMT_CHUNK_BYTES) {
    memcpy(payload, data + 2, size - 2);
    if (visits_decode(m, payload, size - 2, record, n, &slept))
      fuzz_trace_check(&(struct trace_window){.record = record, .n = n});
  }
  free(m);
  free(payload);
  free(record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct trace_input *in;
  struct trace_source *s;
  struct scenario scene;
  char error[TRACE_ERROR_SIZE];

  decode(data, size);
  decode_visits(data, size);
  if (trace_input_memory("fuzz", data, size, &in) == 0 && trace_source_of_input(in, error, sizeof error, &s) == 0) {
    read_to_the_end(s);
    trace_source_free(s);
  }
  if (scenario_parse("fuzz", (const char *)data, size, error, sizeof error, &scene) == 0) {
    if (scenario_source_new(&scene, &s) == 0) {
      read_to_the_end(s);
      trace_source_free(s);
    }
    scenario_fini(&scene);
  }
  return 0;
}
