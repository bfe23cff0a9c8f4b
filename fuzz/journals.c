/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes journals: the input is a journal's text from its line of the platform on. With a first byte 'e' the end
 * follows with the right number of registers and the right checksum, so that the registers are restored, on a register
 * file. Each write must be to a monitoring register and to fields that software may write.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/pmon.h>
#include "src/base/sha256.h"
#include "tests/engine/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MOST = 1 << 14 };

static char path[] = "/tmp/pmon-fuzz-XXXXXX";

static void write_journal(const uint8_t *data, size_t size, bool complete)
{
  struct sha256 sum;
  char hex[SHA256_HEX], *text = NULL;
  size_t n = 0, lines = 0;
  FILE *memory = open_memstream(&text, &n), *file = fopen(path, "we");
  if (!memory || !file)
    abort();
  fputs("pmon journal 2\nprocess 1\nboot -\n", memory);
  fwrite(data, 1, size, memory);
  fflush(memory);
  for (const char *at = text; (at = memchr(at, '\n', n - (size_t)(at - text))); at++)
    lines++;
  sha256_init(&sum);
  sha256_add(&sum, text, n);
  sha256_end(&sum, hex);
  if (complete)
    fprintf(memory, "end %zu %s\n", lines < 4 ? 0 : lines - 4, hex);
  fclose(memory);
  if (fwrite(text, 1, n, file) != n || fclose(file))
    abort();
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct pmon_context *c;
  static struct fake fake;
  struct pmon_journal *j = NULL;
  struct pmon_backend *allowed;
  uint32_t registers = 0;
  if (!size || size > SIZE_MOST || (!c && (pmon_context_new(&c) || mkstemp(path) < 0)))
    return 0;
  write_journal(data + 1, size - 1, *data == 'e');
  if (!pmon_journal_open(c, path, &j)) {
    const struct pmon_platform *p = pmon_journal_platform(j);
    fake_init(&fake, p ? p : pmon_platform_get(c, 0));
    if (pmon_backend_allow_new(&fake.backend, fake.platform, &allowed))
      abort();
    if (pmon_journal_restore(j, allowed, &registers) == PMON_E_PERMISSION)
      abort();
    pmon_backend_close(allowed);
  }
  pmon_journal_close(j);
  unlink(path);
  return 0;
}
