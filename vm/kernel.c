/* SPDX-License-Identifier: MIT */
/* A bzImage is a boot sector, setup code and a payload; its header describes where they are (Linux's x86 boot protocol,
 * 2.08). */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/image.h"
#include "vm/kernel.h"
#include "vm/packed.h"

enum {
  SETUP_SECTORS = 0x1f1,
  MAGIC = 0x202,
  RELEASE = 0x20e,
  PAYLOAD = 0x248,
  PAYLOAD_LENGTH = 0x24c,
  HEADER_END = 0x250,
  SECTOR = 512
};

/* $1: the folder that gets boot/ and lib/modules/ (or usr/lib/modules/). Only the files that the guest needs are
 * unpacked. If several processes need them at the same time, one unpacks them and the others wait. */
static const char fetch[] =
    "set -e; mkdir -p \"$1/boot\"; exec 9>\"$1/.lock\"; flock 9\n"
    "for f in \"$1\"/boot/vmlinuz-*; do test ! -e \"$f\" || exit 0; done\n"
    "d=$(mktemp -d); trap 'rm -rf \"$d\"' EXIT; cd \"$d\"\n"
    "p=$(apt-cache depends linux-image-amd64 | sed -n 's/^ *Depends: *\\(linux-image-[0-9].*\\)/\\1/p' | head -n 1)\n"
    "test -n \"$p\"; apt-get download -q \"$p\"\n"
    "mkdir out; dpkg-deb --fsys-tarfile \"$p\"_*.deb | tar -x -C out --wildcards './boot/vmlinuz-*' "
    "'*/intel-uncore.ko*'"
    " '*/arch/x86/kernel/msr.ko*' './boot/config-*'\n"
    "cp out/boot/config-* \"$1/boot/\"\n"
    "for f in out/lib out/usr; do test ! -e $f || cp -r $f \"$1/\"; done; cp out/boot/vmlinuz-* \"$1/boot/.new\"\n"
    "for f in out/boot/vmlinuz-*; do mv \"$1/boot/.new\" \"$1/boot/${f##*/}\"; done\n";

/* The compressed kernel in a bzImage. */
struct payload {
  const uint8_t *bytes;
  size_t n;
  const char *program; /* the program that unpacks it */
};

static uint32_t dword(const struct file *f, size_t at)
{
  uint32_t value;
  memcpy(&value, f->bytes + at, sizeof value);
  return value;
}

static int not_a_kernel(const struct kernel *k, const char *why, char *error, size_t error_size)
{
  snprintf(error, error_size, "%s: %s", k->path, why);
  return PMON_E_SYNTAX;
}

static void read_release(const struct file *f, char *ret, size_t size)
{
  uint16_t at;
  memcpy(&at, f->bytes + RELEASE, sizeof at);
  for (size_t i = 0, from = (size_t)at + SECTOR; i + 1 < size && from + i < f->n; i++) {
    char c = (char)f->bytes[from + i];
    if (c <= ' ' || c == '/' || c > '~')
      break;
    ret[i] = c;
    ret[i + 1] = 0;
  }
}

static bool is_kernel(const struct file *f)
{
  return f->n >= HEADER_END && !memcmp(f->bytes + MAGIC, "HdrS", 4);
}

/* Finds the payload of a kernel whose header agrees with its size, and which is packed in a known way. Also reads the
 * release. */
static int find_payload(struct kernel *k, const struct file *f, struct payload *ret, char *error, size_t error_size)
{
  size_t start;
  if (!is_kernel(f))
    return not_a_kernel(k, "not a Linux kernel in boot format (bzImage)", error, error_size);
  start = ((f->bytes[SETUP_SECTORS] ? f->bytes[SETUP_SECTORS] : 4u) + 1u) * SECTOR + (size_t)dword(f, PAYLOAD);
  if (start > f->n || dword(f, PAYLOAD_LENGTH) > f->n - start || dword(f, PAYLOAD_LENGTH) < 8)
    return not_a_kernel(k, "the kernel's payload exceeds the file", error, error_size);
  read_release(f, k->release, sizeof k->release);
  ret->bytes = f->bytes + start;
  ret->n = dword(f, PAYLOAD_LENGTH);
  ret->program = packed_program(ret->bytes, ret->n);
  return ret->program ? PMON_OK : not_a_kernel(k, "the kernel's compression format is unknown", error, error_size);
}

int kernel_unpack(struct kernel *k, const struct file *f, char *error, size_t error_size)
{
  struct payload payload;
  const int status = find_payload(k, f, &payload, error, error_size);
  if (status)
    return status;
  if (packed_open(payload.bytes, payload.n, &k->image) && k->image.n > 4 && !memcmp(k->image.bytes, "\177ELF", 4))
    return PMON_OK;
  file_free(&k->image);
  snprintf(error, error_size, "%s: %s could not unpack it (is that program installed?)", k->path, payload.program);
  return PMON_E_IO;
}

int kernel_image(struct kernel *k, char *error, size_t error_size)
{
  return k->image.n ? PMON_OK : kernel_unpack(k, &k->packed, error, error_size);
}

int kernel_image_file(struct kernel *k)
{
  /* The note of the 32-bit entry for PVH guests, which Linux has with CONFIG_PVH (its
   * include/xen/interface/elfnote.h), and QEMU looks for. */
  enum { PVH_ENTRY = 18 };
  char error[KERNEL_PATH + 100];
  struct elf e;
  if (kernel_image(k, error, sizeof error) || !elf_init(&e, k->image.bytes, k->image.n) ||
      !elf_has_note(&e, "Xen", PVH_ENTRY))
    return -1;
  return file_memory("kernel", k->image.bytes, k->image.n);
}

bool kernel_map_image(struct kernel *k, int fd, size_t n)
{
  return file_map_fd(fd, n, &k->image);
}

/* Selects the last kernel, by name, of those in the cache. */
static bool cached(struct kernel *k, const char *cache)
{
  char pattern[KERNEL_PATH];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/kernel/boot/vmlinuz-*", cache);
  if (glob(pattern, 0, NULL, &found))
    return false;
  snprintf(k->path, sizeof k->path, "%s", found.gl_pathv[found.gl_pathc - 1]);
  globfree(&found);
  return true;
}

bool kernel_is_here(const char *path, const char *cache)
{
  struct kernel k;
  return path || cached(&k, cache);
}

static bool download(const char *cache)
{
  char folder[KERNEL_PATH];
  char *argv[] = {"sh", "-c", (char *)(uintptr_t)fetch, "fetch", folder, NULL};
  snprintf(folder, sizeof folder, "%s/kernel", cache);
  return file_from_program(argv, -1, NULL) == 0;
}

/* Finds the folder in which a kernel was built: there it has this path, and each module is beside its source. */
static void find_tree(struct kernel *k)
{
  static const char built[] = "arch/x86/boot/bzImage";
  const size_t n = strlen(k->path), tail = sizeof built - 1;
  if (n >= tail && !strcmp(k->path + n - tail, built))
    snprintf(k->tree, sizeof k->tree, "%.*s", n == tail ? 2 : (int)(n - tail), n == tail ? "./" : k->path);
}

/* Finds the modules: relative to the kernel's folder, as boot/ and lib/ are; in the kernel's own folder; or in the
 * host's folder. */
static void find_modules(struct kernel *k)
{
  static const char *const places[] = {"lib/modules/", "usr/lib/modules/", ""};
  const char *slash = strrchr(k->path, '/');
  const int n = slash ? (int)(slash - k->path) : 1;
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    snprintf(k->modules, sizeof k->modules, "%.*s/../%s%s", n, slash ? k->path : ".", places[i], k->release);
    if (!access(k->modules, R_OK))
      return;
  }
  snprintf(k->modules, sizeof k->modules, "/lib/modules/%s", k->release);
  if (access(k->modules, R_OK))
    k->modules[0] = 0;
}

int kernel_open(struct kernel *k, const char *path, const char *cache, char *error, size_t error_size)
{
  struct payload payload;
  *k = (struct kernel){.path = ""};
  if (path)
    snprintf(k->path, sizeof k->path, "%s", path);
  else if (!cached(k, cache) && !(download(cache) && cached(k, cache))) {
    snprintf(error, error_size,
             "no kernel: `apt-get download` of Debian's linux-image-amd64 failed; --kernel FILE "
             "selects an existing kernel");
    return PMON_E_NO_DEVICE;
  }
  if (!file_map(k->path, &k->packed)) {
    snprintf(error, error_size, "%s%s: %s%s", path ? "--kernel " : "", k->path, file_read_error(errno),
             errno == EISDIR ? "; give a bzImage, such as arch/x86/boot/bzImage in a kernel build folder" : "");
    return PMON_E_IO;
  }
  const int status = find_payload(k, &k->packed, &payload, error, error_size);
  if (status == PMON_OK) {
    find_tree(k);
    find_modules(k);
  }
  return status;
}

/* Reads a module, which may be packed. */
static bool read_module(const char *folder, const char *name, struct file *ret)
{
  static const char *const endings[] = {"", ".xz", ".zst", ".gz"};
  char path[KERNEL_PATH + 256];
  struct file packed;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    snprintf(path, sizeof path, "%s/%s%s", folder, name, endings[i]);
    if (!file_read(path, &packed))
      continue;
    if (!*endings[i]) {
      *ret = packed;
      return true;
    }
    bool done = packed_open(packed.bytes, packed.n, ret);
    file_free(&packed);
    if (done)
      return true;
  }
  return false;
}

bool kernel_module(const struct kernel *k, const char *name, struct file *ret)
{
  static const char installed[] = "kernel/"; /* precedes the path that a module has in the sources */
  if (k->tree[0] && !strncmp(name, installed, sizeof installed - 1))
    return read_module(k->tree, name + sizeof installed - 1, ret);
  return k->modules[0] && read_module(k->modules, name, ret);
}

void kernel_close(struct kernel *k)
{
  file_free(&k->image);
  file_free(&k->packed);
}

bool kernel_cache_folder(char *text, size_t size)
{
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  if (cache && *cache == '/')
    return (size_t)snprintf(text, size, "%s/pmon/vm", cache) < size;
  return home && *home && (size_t)snprintf(text, size, "%s/.cache/pmon/vm", home) < size;
}
