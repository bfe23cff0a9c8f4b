/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <unistd.h>
#include "vm/packed.h"

/* Kinds of compression by their first bytes: all that a kernel can be built with (its CONFIG_KERNEL_GZIP and so on). */
static const struct packing {
  uint8_t n, magic[4];
  const char *program, *command;
} packings[] = {
    {4, {0xfd, '7', 'z', 'X'}, "xz", "xz -dcq --single-stream"},
    {4, {0x28, 0xb5, 0x2f, 0xfd}, "zstd", "zstd -dcq"},
    {3, {0x1f, 0x8b, 8}, "gzip", "gzip -dcq"},
    {4, {0x02, 0x21, 0x4c, 0x18}, "lz4", "lz4 -dcq"},
    {3, {0x5d, 0, 0}, "lzma", "xz -dcq --format=lzma"},
    {3, {'B', 'Z', 'h'}, "bzip2", "bzip2 -dcq"},
    {4, {0x89, 'L', 'Z', 'O'}, "lzop", "lzop -dcq"},
    {4, {0x7f, 'E', 'L', 'F'}, "cat", "cat"}, /* not packed */
};

static const struct packing *vm_packed_find(const uint8_t *bytes, size_t n)
{
  for (const struct packing *p = packings; p < packings + sizeof packings / sizeof *packings; p++)
    if (n >= p->n && !memcmp(bytes, p->magic, p->n))
      return p;
  return NULL;
}

const char *packed_program(const uint8_t *bytes, size_t n)
{
  const struct packing *p = vm_packed_find(bytes, n);
  return p ? p->program : NULL;
}

bool packed_open(const uint8_t *bytes, size_t n, struct file *ret)
{
  const struct packing *p = vm_packed_find(bytes, n);
  char command[64] = "exec 2>/dev/null "; /* a program complains about data after the stream (its length) */
  char *argv[] = {"sh", "-c", command, NULL};
  int in = p ? file_memory("packed", bytes, n) : -1;
  if (in < 0)
    return false;
  strcat(command, p->command);
  *ret = (struct file){.n = 0};
  file_from_program(argv, in, ret);
  close(in);
  if (!ret->n)
    file_free(ret);
  return ret->n;
}
