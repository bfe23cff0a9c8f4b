/* SPDX-License-Identifier: MIT */
#include "vm/where.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <pmon/platform.h>
#include "machine/machine.h"

static const uint64_t FS_PER_NS = 1000000;

static void note_panic(struct where *w, const char *bytes, size_t n)
{
  static const char says[] = "Kernel panic - not syncing: ";
  const char *at = w->panic[0] ? NULL : memmem(bytes, n, says, sizeof says - 1);
  size_t kept = 0;
  if (!at)
    return;
  for (; kept < sizeof w->panic - 1 && at + kept < bytes + n && at[kept] >= ' '; kept++)
    w->panic[kept] = at[kept];
  w->panic[kept] = 0;
}

void where_console(struct where *w, const char *bytes, size_t n)
{
  note_panic(w, bytes, n);
  if (n > sizeof w->console) {
    bytes += n - sizeof w->console;
    n = sizeof w->console;
  }
  while (w->console_n + n > sizeof w->console) {
    const char *end = memchr(w->console, '\n', w->console_n);
    const size_t first = end ? (size_t)(end - w->console) + 1 : w->console_n;
    memmove(w->console, w->console + first, w->console_n - first);
    w->console_n -= first;
  }
  memcpy(w->console + w->console_n, bytes, n);
  w->console_n += n;
}

void where_process(struct where *w, const char *line)
{
  const size_t n = strlen(line);
  if (w->processes_n + n + sizeof "  \n" > sizeof w->processes)
    return;
  w->processes_n += (size_t)sprintf(w->processes + w->processes_n, "  %s\n", line);
}

static void format_accesses(FILE *out, const struct bus *b)
{
  const uint64_t n = b->reads + b->writes;
  char address[64];
  fprintf(out, "its last register accesses%s\n", n ? ":" : ": none");
  for (uint64_t i = n > BUS_LAST ? n - BUS_LAST : 0; i < n; i++) {
    const struct bus_access *a = &b->last[i % BUS_LAST];
    pmon_address_format(&a->address, address, sizeof address);
    fprintf(out, "  %" PRIu64 " %s %" PRIu32 " %s %u 0x%" PRIx64 "\n", a->time_ns, a->write ? "write" : "read",
            a->address.package, address, a->address.width_bits, a->value);
  }
}

char *where_format(const struct where *w, const struct bus *b, const char *stage)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  fprintf(out,
          "the guest at the time limit: %s; %" PRIu64 " read%s and %" PRIu64 " write%s of registers; the machine is at "
          "%" PRIu64 " ns\n",
          stage, b->reads, b->reads == 1 ? "" : "s", b->writes, b->writes == 1 ? "" : "s",
          machine_now_fs(b->machine) / FS_PER_NS);
  format_accesses(out, b);
  fprintf(out, "the end of its console%s\n%.*s", w->console_n ? ":" : ": nothing", (int)w->console_n, w->console);
  if (w->console_n && w->console[w->console_n - 1] != '\n')
    fputc('\n', out);
  fprintf(out, "its processes%s\n%.*s", w->processes_n ? ":" : ": not known", (int)w->processes_n, w->processes);
  return fclose(out) ? NULL : text;
}
