/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files that parse scenario lines. */
#ifndef MACHINE_TRACE_SCENARIO_PARSER_H
#define MACHINE_TRACE_SCENARIO_PARSER_H

#include "machine/trace/scenario.h"

#define SCENARIO_WORDS 32u
/* Limits: the machine examines all conditions whenever one begins or ends, and all devices whenever one is due. */
#define SCENARIO_CONDITIONS 4096u
#define SCENARIO_DEVICES 4096u

struct parser {
  struct scenario *s;
  const char *name;
  unsigned line;
  char *word[SCENARIO_WORDS];
  unsigned n, at;
  unsigned conditions; /* number of condition lines so far */
  uint64_t script_fs;  /* time at which the script's waits so far end */
  char *error;
  size_t error_size;
};

struct scenario_unit {
  const char *suffix;
  uint64_t factor;
};
extern const struct scenario_unit scenario_byte_units[], scenario_plain_units[], scenario_time_units[];

/* Makes room for one more element in a list of `n` elements. The list doubles when it grows, so that the time for long
 * files is not quadratic in their lines. NULL: no memory. */
void *scenario_grow_list(void *list, size_t n, size_t size);

/* Fills the error text and returns `status`. */
int scenario_wrong(struct parser *p, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same for an unexpected next word. */
int scenario_meaningless(struct parser *p);
/* Returns 0 at the end of the line; otherwise reports an unexpected word. */
int scenario_end(struct parser *p);
/* The next word; "" at the end of the line. */
const char *scenario_peek(const struct parser *p);
/* Consumes the next word if it equals `word`. */
bool scenario_take(struct parser *p, const char *word);
/* Parses the next word as a number with one of the suffixes in `units`, within bounds (least, most). */
int scenario_number(struct parser *p, const char *what, const struct scenario_unit *units, const uint64_t bounds[2],
                    uint64_t *ret);

/* scenario_memory.c. Each thread's memory starts at a multiple of this size. */
#define SCENARIO_REGION (UINT64_C(1) << 36)
/* Returns the memory of the shared buffer whose name is the next word. */
int scenario_shared(struct parser *p, uint64_t *ret_base);
/* Returns the memory of the CXL device whose number is the next word, counted from `first`; each thread has its own
 * part. */
int scenario_cxl_base(struct parser *p, unsigned thread, unsigned first, uint64_t *ret_base);
/* Parses the next word as a kind of pages. */
int scenario_pages(struct parser *p, enum pages_kind *ret_pages);

/* Parses the next word as one block (cha3) or all blocks of a unit (cha). */
int scenario_place_read(struct parser *p, struct scenario_place *place);

/* Parses `inject`, `hold`, `thermal`, `power-limit`, `crc`, `fault`, `write`, `read`, `wait` and `expect` lines
 * (scenario_script.c), starting at the keyword. *ret_known: the keyword is one of them. */
int scenario_script_line(struct parser *p, bool *ret_known);

/* scenario_device.c: parses the line after its keyword. */
enum scenario_device { SCENARIO_DMA, SCENARIO_MMIO, SCENARIO_CXL };
int scenario_device_line(struct parser *p, enum scenario_device kind);
/* scenario_fault.c: parses the line after `fault`. */
int scenario_fault_line(struct parser *p);
/* scenario_named.c: parses the line after `device`. */
int scenario_named_line(struct parser *p);
/* scenario_message.c: parses the line after `message`. */
int scenario_message_line(struct parser *p);
/* Adds a stream for the current line. PMON_E_MEMORY. */
int scenario_stream_add(struct parser *p, const struct scenario_dma *d);

#endif
