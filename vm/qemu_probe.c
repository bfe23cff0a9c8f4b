/* SPDX-License-Identifier: MIT */
/* Finds out which of the devices that pmon needs a QEMU has. */
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "vm/file.h"
#include "vm/qemu.h"

void qemu_probe_begin(const char *program, struct file_program *ret_begun)
{
  char *argv[] = {(char *)(uintptr_t)program, (char[]){"-device"}, (char[]){"help"}, NULL};
  file_program_begin(ret_begun, argv, -1, true);
}

int qemu_probe_end(const char *program, struct file_program *begun, char *error, size_t error_size,
                   struct qemu_features *ret)
{
  struct file list = {.n = 0};
  const int code = file_program_end(begun, &list);
  *ret = (struct qemu_features){.proxy = false};
  if (code) {
    file_free(&list);
    snprintf(error, error_size, "%s cannot be run; Debian's package is qemu-system-x86", program);
    return PMON_E_NO_DEVICE;
  }
  ret->proxy = memmem(list.bytes, list.n, "\"x-pci-proxy-dev\"", 17);
  ret->express = memmem(list.bytes, list.n, "\"x-pci-proxy-express-dev\"", 25);
  ret->ports = memmem(list.bytes, list.n, "\"pmon-msr\"", 10) && memmem(list.bytes, list.n, "\"pmon-window\"", 13);
  ret->counters = memmem(list.bytes, list.n, "\"pmon-counters\"", 15);
  ret->shared = memmem(list.bytes, list.n, "\"pmon-shared\"", 13);
  ret->pages = memmem(list.bytes, list.n, "\"pmon-pages\"", 12);
  file_free(&list);
  return PMON_OK;
}
