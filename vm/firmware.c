/* SPDX-License-Identifier: MIT */
#include "vm/firmware.h"

#include <sys/mman.h>
#include <unistd.h>
#include "machine/smbios.h"

static bool firmware_add(struct firmware *f, const uint8_t *structure, size_t n)
{
  const int fd = f->n < FIRMWARE_FILES ? memfd_create("smbios", MFD_CLOEXEC) : -1;
  if (fd >= 0)
    f->fd[f->n++] = fd;
  return fd >= 0 && write(fd, structure, n) == (ssize_t)n;
}

bool firmware_open(struct firmware *f, const struct machine_config *config)
{
  uint8_t table[MACHINE_SMBIOS_MOST];
  const size_t size = config ? machine_smbios(config, table) : 0;
  f->n = 0;
  for (size_t at = 0, n; (n = machine_smbios_structure(table, size, at)); at += n)
    if (!firmware_add(f, table + at, n)) {
      firmware_close(f);
      return false;
    }
  return true;
}

void firmware_close(struct firmware *f)
{
  while (f->n)
    close(f->fd[--f->n]);
}
