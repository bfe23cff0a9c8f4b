/* SPDX-License-Identifier: MIT */
/* Fuzzes the parser of bundle streams: each line is refused with a reason, or applied to a fresh machine. */
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/stream.h"

enum { LINES = 400, CYCLES = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Shortens times: long ones reach no more code. */
static void shorten(struct montecito_record *r)
{
  if (r->kind == RECORD_SIGNAL && r->value >> 16 > CYCLES)
    r->value = (r->value & 0xffff) | CYCLES << 16;
  if (r->kind == RECORD_SWITCH && r->n > CYCLES)
    r->n = CYCLES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct montecito_machine *m;
  uint8_t thread = 0;
  if (size > 1 << 16 || montecito_machine_new(&m))
    return 0;
  for (size_t at = 0, lines = 0; at < size && lines < LINES; lines++) {
    const uint8_t *end = memchr(data + at, '\n', size - at);
    const size_t n = end ? (size_t)(end - data) - at : size - at;
    char line[2048] = "", error[256] = "";
    struct montecito_record r;
    bool any = false;
    memcpy(line, data + at, n < sizeof line ? n : sizeof line - 1);
    if (montecito_stream_parse_line(line, &thread, &r, &any, error, sizeof error)) {
      if (!*error)
        abort();
    } else if (any) {
      shorten(&r);
      if (montecito_machine_apply(m, &r, error, sizeof error) && !*error)
        abort();
    }
    at += n + 1;
  }
  montecito_machine_close_cycles(m);
  montecito_machine_free(m);
  return 0;
}
