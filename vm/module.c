/* SPDX-License-Identifier: MIT */
#include "vm/module.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <pmon/status.h>
#include "vm/image.h"

bool module_info(const struct file *module, const char *name, char *ret, size_t size)
{
  const size_t n = strlen(name);
  struct elf e;
  struct elf_segment info;
  if (!elf_init(&e, module->bytes, module->n) || !elf_section(&e, ".modinfo", &info))
    return false;
  for (uint64_t at = 0; at < info.size;) {
    const char *text = (const char *)info.bytes + at;
    const size_t length = strnlen(text, info.size - at);
    if (length > n && length - n - 1 < size && !strncmp(text, name, n) && text[n] == '=') {
      memcpy(ret, text + n + 1, length - n - 1);
      ret[length - n - 1] = 0;
      return true;
    }
    at += length + 1;
  }
  return false;
}

static int module_fail(const char *path, const char *why, char *error, size_t error_size)
{
  snprintf(error, error_size, "--module %s: %s", path, why);
  return PMON_E_INVALID;
}

int module_read(const char *path, const char *release, char *error, size_t error_size, struct file *ret)
{
  char magic[160] = "", text[64]; /* the release comes first, then build options (include/linux/vermagic.h) */
  struct file f;
  if (!file_read(path, &f))
    return module_fail(path, file_read_error(errno), error, error_size);
  const bool is = module_info(&f, "name", text, sizeof text), has = module_info(&f, "vermagic", magic, sizeof magic);
  magic[strcspn(magic, " ")] = 0;
  if (is && (!has || !release || !strcmp(magic, release))) {
    *ret = f;
    return PMON_OK;
  }
  file_free(&f);
  if (!is)
    return module_fail(path, "not a kernel module; give the driver's .ko file, uncompressed", error, error_size);
  snprintf(error, error_size,
           "--module %s: built for kernel %s, but the guest's kernel is %s; build it for that kernel (make -C FOLDER "
           "M=$PWD modules), or give the module's kernel with --kernel",
           path, magic, release);
  return PMON_E_INVALID;
}

int module_check(const char *path, const char *release, char *error, size_t error_size)
{
  struct file f;
  const int status = module_read(path, release, error, error_size, &f);
  if (!status)
    file_free(&f);
  return status;
}

bool module_refused(const char *path, const char *line, char *error, size_t error_size)
{
  static const char mark[] = "insmod: can't insert '/usr/pmon/modules/intel-uncore.ko': ";
  if (strncmp(line, mark, sizeof mark - 1))
    return false;
  snprintf(error, error_size, "--module %s: the guest's kernel rejects it: %s; --console shows the kernel's messages",
           path, line + sizeof mark - 1);
  return true;
}
