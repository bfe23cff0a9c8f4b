/* SPDX-License-Identifier: MIT */
#include "tests/engine/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/stream/stream.h"

struct lines {
  struct montecito_source source;
  const char *at;
  uint8_t thread;
};

static int next_line(struct montecito_source *source, struct montecito_record *ret, bool *ret_ended, char *error,
                     size_t size)
{
  struct lines *l = (struct lines *)(void *)source;
  *ret_ended = false;
  while (*l->at) {
    char line[256];
    bool any;
    const size_t n = strcspn(l->at, "\n");
    snprintf(line, sizeof line, "%.*s", (int)n, l->at);
    l->at += n + (l->at[n] == '\n');
    int status = montecito_stream_parse_line(line, &l->thread, ret, &any, error, size);
    if (status || any)
      return status;
  }
  *ret_ended = true;
  return 0;
}

static void free_lines(struct montecito_source *source)
{
  free(source);
}

struct montecito_machine *cores_busy(const char *stream, struct pmon_backend **ret_backend)
{
  struct montecito_machine *m;
  struct lines *l = calloc(1, sizeof *l);
  assert_non_null(l);
  *l = (struct lines){.source = {next_line, free_lines}, .at = stream};
  assert_int_equal(montecito_machine_new(&m), 0);
  montecito_machine_attach(m, &l->source);
  assert_int_equal(montecito_backend_new(m, ret_backend), 0);
  return m;
}
