/* SPDX-License-Identifier: MIT */
/* Fuzzes Itanium ELF files: a file is refused with a reason, or gives a process that ends by itself, with a reported
 * fault, or after a number of bundles. A machine applies its records. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <pmon/status.h>
#include "machine/montecito/machine.h"
#include "machine/montecito/exec/program.h"
#include "machine/montecito/stream/record.h"

enum { MOST_BUNDLES = 2000, RECORDS = 20 * MOST_BUNDLES + 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_programs_run(struct exec_program *p, struct montecito_machine *m)
{
  struct montecito_source *s = exec_program_source(p);
  struct montecito_record r = {0};
  char error[256] = "", text[256];
  uint64_t offset, records = 0, at = 0;
  bool ended = false;
  exec_program_set_machine(p, m);
  while (!ended && records++ < RECORDS) {
    if (s->next(s, &r, &ended, error, sizeof error))
      abort();
    if (!ended && montecito_machine_apply(m, &r, error, sizeof error) && !*error)
      abort();
    if (r.kind == RECORD_BUNDLE)
      at = r.bundle.address;
  }
  if (!ended)
    abort();
  const struct exec_result result = exec_program_result(p);
  if (result.fault && !*result.fault)
    abort();
  const char *name = exec_program_symbol(p, at, &offset);
  if (name && !*name)
    abort();
  for (unsigned slot = 0; slot < 3; slot++)
    if (exec_program_disassemble(p, at, slot, text, sizeof text) && !*text)
      abort();
  s->free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct montecito_machine *m;
  struct exec_program *p;
  char path[64], error[512] = "";
  char *argv[] = {path, NULL};
  if (size > 1 << 16)
    return 0;
  const int fd = memfd_create("program", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != (ssize_t)size || montecito_machine_new(&m)) {
    if (fd >= 0)
      close(fd);
    return 0;
  }
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  const int status = exec_program_open(&(struct exec_options){.path = path, .argv = argv, .most_bundles = MOST_BUNDLES},
                                       error, sizeof error, &p);
  close(fd);
  if (!status)
    fuzz_programs_run(p, m);
  else if (!*error && status != PMON_E_MEMORY)
    abort();
  montecito_machine_close_cycles(m);
  montecito_machine_free(m);
  return 0;
}
