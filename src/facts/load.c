/* SPDX-License-Identifier: MIT */
/* Loads platform files, and frees what was loaded. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/facts/compose.h"
#include "src/facts/parser.h"

enum { FILE_MOST = 64 << 20 };

int facts_read_disk(void *context, const char *path, char **ret_text, size_t *ret_size)
{
  (void)context;
  FILE *f = fopen(path, "rbe");
  if (!f)
    return errno == EACCES ? PMON_E_PERMISSION : PMON_E_IO;
  struct vec text;
  vec_init(&text, 1);
  char part[16384];
  size_t n;
  bool memory = vec_append(&text, "", 0);
  bool text_only = true;
  while (memory && text_only && text.n < FILE_MOST && (n = fread(part, 1, sizeof part, f)) > 0) {
    text_only = !memchr(part, 0, n);
    memory = vec_append(&text, part, n);
  }
  const int status = !memory                             ? PMON_E_MEMORY
                     : ferror(f)                         ? PMON_E_IO
                     : !text_only || text.n >= FILE_MOST ? PMON_E_RANGE
                                                         : 0;
  const int why = errno;
  fclose(f);
  errno = why;
  if (status) {
    vec_fini(&text);
    return status;
  }
  *ret_text = text.data;
  *ret_size = text.n;
  return 0;
}

int facts_load_all(const struct facts_input *input, struct text_error *error, struct db **ret_db)
{
  static const struct facts_reader disk = {facts_read_disk, NULL};
  struct builder b;
  if (!builder_init(&b, input->base, error)) {
    text_error_set(error, "", 0, 0, "no memory");
    return PMON_E_MEMORY;
  }
  b.user = input->base != NULL;
  int status = 0;
  for (uint32_t i = 0; !status && i < input->n; i++)
    status = parse_platform_file(&b, input->reader ? input->reader : &disk, input->files[i], NULL);
  if (!status)
    compose_umasks(&b);
  if (!builder_step(&b, 0) && status != PMON_E_MEMORY)
    status = builder_need_steps(&b, 0);
  if (b.no_memory) /* also if a name that could not be stored looked like an unknown one */
    status = PMON_E_MEMORY;
  if (!status)
    status = builder_freeze(&b, ret_db);
  if (status == PMON_E_MEMORY)
    text_error_set(error, "", 0, 0, "no memory");
  builder_fini(&b);
  return status;
}
