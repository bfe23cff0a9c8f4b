/* SPDX-License-Identifier: MIT */
/* Packets are `$TEXT#SUM`, SUM the low byte of the sum of TEXT's bytes in two hexadecimal digits; `+` acknowledges. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "vm/gdb.h"

static bool vm_gdb_put(struct gdb *g, const char *text, size_t n)
{
  while (n) {
    ssize_t done = write(g->fd, text, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      return false;
    text += done;
    n -= (size_t)done;
  }
  return true;
}

static bool send_packet(struct gdb *g, const char *format, va_list ap)
{
  char text[512];
  unsigned sum = 0;
  int n = vsnprintf(text + 1, sizeof text - 8, format, ap);
  if (n < 0 || (size_t)n >= sizeof text - 8)
    return false;
  text[0] = '$';
  for (int i = 1; i <= n; i++)
    sum += (unsigned char)text[i];
  snprintf(text + 1 + n, 4, "#%02x", sum & 0xff);
  return vm_gdb_put(g, text, (size_t)n + 4);
}

bool gdb_send(struct gdb *g, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  bool done = send_packet(g, format, ap);
  va_end(ap);
  return done;
}

bool gdb_interrupt(struct gdb *g)
{
  return vm_gdb_put(g, "\x03", 1);
}

bool gdb_receive(struct gdb *g)
{
  ssize_t n;
  if (g->n == sizeof g->in) /* no packet of ours is that long */
    return false;
  do
    n = read(g->fd, g->in + g->n, sizeof g->in - g->n);
  while (n < 0 && errno == EINTR);
  if (n <= 0)
    return false;
  g->n += (size_t)n;
  return true;
}

bool gdb_next(struct gdb *g)
{
  char *start = memchr(g->in, '$', g->n), *end = start ? memchr(start, '#', g->n - (size_t)(start - g->in)) : NULL;
  size_t length, used;
  if (!start) {
    g->n = 0; /* acknowledgements */
    return false;
  }
  used = end ? (size_t)(end - g->in) + 3 : g->n + 1;
  if (used > g->n)
    return false;
  length = (size_t)(end - start) - 1;
  memcpy(g->packet, start + 1, length);
  g->packet[length] = 0;
  memmove(g->in, g->in + used, g->n - used);
  g->n -= used;
  return vm_gdb_put(g, "+", 1);
}

unsigned gdb_stopped(const struct gdb *g)
{
  const char *thread = g->packet[0] == 'T' ? strstr(g->packet, "thread:") : NULL;
  return thread ? (unsigned)strtoul(thread + 7, NULL, 16) : 0;
}

bool gdb_ask(struct gdb *g, const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  bool done = send_packet(g, format, ap);
  va_end(ap);
  while (done && !gdb_next(g))
    done = gdb_receive(g);
  return done;
}

static int digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool gdb_registers(struct gdb *g, uint64_t *ret_values)
{
  if (!gdb_ask(g, "g") || strlen(g->packet) < GDB_REGISTERS * 16)
    return false;
  for (unsigned r = 0; r < GDB_REGISTERS; r++) {
    ret_values[r] = 0;
    for (unsigned i = 0; i < 8; i++) { /* low byte first */
      int high = digit(g->packet[r * 16 + i * 2]), low = digit(g->packet[r * 16 + i * 2 + 1]);
      if (high < 0 || low < 0)
        return false;
      ret_values[r] |= (uint64_t)(high << 4 | low) << i * 8;
    }
  }
  return true;
}

bool gdb_set_register(struct gdb *g, enum gdb_register r, uint64_t value)
{
  uint64_t swapped = __builtin_bswap64(value);
  return gdb_ask(g, "P%x=%016llx", (unsigned)r, (unsigned long long)swapped) && !strcmp(g->packet, "OK");
}

bool gdb_set_memory(struct gdb *g, uint64_t address, uint64_t value)
{
  return gdb_ask(g, "M%llx,8:%016llx", (unsigned long long)address, (unsigned long long)__builtin_bswap64(value)) &&
         !strcmp(g->packet, "OK");
}

bool gdb_breakpoint(struct gdb *g, char set_or_clear, uint64_t address)
{
  return gdb_ask(g, "%c1,%llx,1", set_or_clear, (unsigned long long)address) && !strcmp(g->packet, "OK");
}
