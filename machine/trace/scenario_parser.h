/* SPDX-License-Identifier: MIT */
/* Reading scenarios: what the files that parse lines share. */
#ifndef MACHINE_TRACE_SCENARIO_PARSER_H
#define MACHINE_TRACE_SCENARIO_PARSER_H

#include "machine/trace/scenario.h"

#define SCENARIO_WORDS 32u

struct parser {
  struct scenario *s;
  const char *name;
  unsigned line;
  char *word[SCENARIO_WORDS];
  unsigned n, at;
  char *error;
  size_t error_size;
};

struct scenario_unit {
  const char *suffix;
  uint64_t factor;
};
extern const struct scenario_unit scenario_byte_units[], scenario_plain_units[], scenario_time_units[];

/* Fills the error text and returns `status`. */
int scenario_wrong(struct parser *p, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for the next word, which nothing is known by. */
int scenario_meaningless(struct parser *p);
/* 0 at the line's end; else as for a word that means nothing. */
int scenario_end(struct parser *p);
/* The next word; "" at the line's end. */
const char *scenario_peek(const struct parser *p);
/* Takes the next word if it is that one. */
bool scenario_take(struct parser *p, const char *word);
/* The next word as a number with one of `units` behind it, within bounds (least, most). */
int scenario_number(struct parser *p, const char *what, const struct scenario_unit *units, const uint64_t bounds[2],
                    uint64_t *ret);

/* The memory of the shared buffer that the next word names. */
int scenario_shared(struct parser *p, uint64_t *ret_base);

/* `inject`, `hold`, `thermal`, `power-limit`, `crc`, `write`, `read`, `wait`, `expect` (scenario_script.c); the keyword
 * is still there. *ret_known: it was one of them. */
int scenario_script_line(struct parser *p, bool *ret_known);

/* scenario_device.c: what stands behind the keyword. */
enum scenario_device { SCENARIO_DMA, SCENARIO_MMIO, SCENARIO_CXL };
int scenario_device_line(struct parser *p, enum scenario_device kind);
/* scenario_message.c: what stands behind `message`. */
int scenario_message_line(struct parser *p);
/* Adds a stream of the line that is being read. PMON_E_MEMORY. */
int scenario_stream_add(struct parser *p, const struct scenario_dma *d);

#endif
