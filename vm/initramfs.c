/* SPDX-License-Identifier: MIT */
/* The contents of the archive. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/archive.h"
#include "vm/initramfs.h"
#include "vm/initramfs_scripts.h"
#include "vm/program.h"

/* Added when they exist; busybox must exist. */
static const char *const usual_programs[] = {"perf", "rdmsr", "wrmsr", "setpci", "lspci", NULL};
static const char *const modules[INITRAMFS_MODULES] = {KERNEL_UNCORE_MODULE, "kernel/arch/x86/kernel/msr.ko"};

/*
 * Files that programs load by names that no ELF file contains. An existing path is added; a folder is added with its
 * contents.
 */
static const struct companion {
  const char *program, *paths[5];
} companions[] = {
    {"likwid-perfctr",
     {"/usr/share/lua", "/usr/share/likwid/perfgroups", "/usr/lib/x86_64-linux-gnu/liblikwid.so",
      "/usr/sbin/likwid-accessD"}},
    {"likwid-topology", {"/usr/share/lua", "/usr/lib/x86_64-linux-gnu/liblikwid.so", "/usr/sbin/likwid-accessD"}},
};

#define OWN_PROGRAM "/proc/self/exe"

/* True if the guest has its own file at that full path, which hides files of this host. */
static bool is_hidden(const char *path)
{
  static const char *const own[] = {"/dev", "/proc", "/sys", "/init", "/usr/pmon"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (!strncmp(path, own[i], strlen(own[i])) && strchr("/", path[strlen(own[i])]))
      return true;
  return false;
}

/* Finds a program in the user's PATH, then in root's. */
static bool find_program(const char *name, char *ret, size_t size)
{
  const char *folders = getenv("PATH");
  char text[4096];
  if (strchr(name, '/'))
    return realpath(name, text) && snprintf(ret, size, "%s", text) > 0 && !access(ret, X_OK);
  snprintf(text, sizeof text, "%s:/usr/sbin:/usr/bin:/sbin:/bin", folders ? folders : "");
  for (char *at = text, *folder; (folder = strsep(&at, ":"));) {
    snprintf(ret, size, "%s/%s", folder, name);
    if (folder[0] == '/' && !access(ret, X_OK))
      return true;
  }
  return false;
}

/* Adds a program at its own path; if the guest's PATH does not find it there, with a link to it in /usr/local/bin. */
static bool add_program(struct archive *a, const char *name)
{
  char path[PATH_MAX], own[ARCHIVE_PATH_MAX], inside[ARCHIVE_PATH_MAX + 16];
  if (!find_program(name, path, sizeof path))
    return false;
  archive_inside_path(path, inside, sizeof inside);
  if (strncmp(inside, "usr/bin/", 8) && strncmp(inside, "usr/sbin/", 9))
    snprintf(inside, sizeof inside, "usr/local/bin/%s", strrchr(path, '/') + 1);
  for (size_t i = 0; i < sizeof companions / sizeof *companions; i++)
    if (!strcmp(companions[i].program, strrchr(path, '/') + 1))
      for (const char *const *with = companions[i].paths; *with; with++)
        archive_add_tree(a, *with, 0);
  const char *full = name[0] == '/' ? name : path;
  archive_inside_path(full, own, sizeof own);
  if (is_hidden(full) || !strcmp(own, inside))
    return archive_add_file(a, path, inside);
  if (!archive_add_file(a, path, own))
    return false;
  char target[ARCHIVE_PATH_MAX + 1];
  const int n = snprintf(target, sizeof target, "/%s", own);
  archive_add_entry(a, inside, S_IFLNK | 0777, target, (size_t)n);
  return true;
}

/* True for a file named by its full path that is not a program: data. */
static bool is_data(const char *path)
{
  struct stat st;
  return path[0] == '/' && !stat(path, &st) && (S_ISDIR(st.st_mode) || access(path, X_OK));
}

/* Adds a program, file or folder of --with. */
static bool add_with(struct archive *a, const char *given)
{
  char path[PATH_MAX];
  size_t n = (size_t)snprintf(path, sizeof path, "%s", given);
  while (n > 1 && n < sizeof path && path[n - 1] == '/')
    path[--n] = 0;
  *a->error = 0;
  if (path[0] == '/' && (strstr(path, "//") || strstr(path, "/./") || strstr(path, "/../")))
    return archive_refuse(a, given, "give a path without //, . and ..");
  if (path[0] == '/' && is_hidden(path) && strcmp(path, OWN_PROGRAM))
    return archive_refuse(a, given, "the guest has its own files there; copy it to another path and give that");
  if (is_data(path) ? archive_add_tree(a, path, 0) : add_program(a, path))
    return true;
  if (!*a->error)
    snprintf(a->error, a->error_size, "%s: no such program, file or folder", given);
  return false;
}

static void add_skeleton(struct archive *a)
{
  static const char *const links[][2] = {
      {"bin", "usr/bin"}, {"sbin", "usr/sbin"}, {"lib", "usr/lib"}, {"lib64", "usr/lib64"}};
  static const char *const folders[] = {"dev",      "usr",          "usr/bin",         "usr/sbin",
                                        "usr/lib",  "usr/lib64",    "usr/local",       "usr/local/bin",
                                        "usr/pmon", "usr/pmon/bin", "usr/pmon/modules"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (archive_once(a, folders[i]))
      cpio_add(&a->cpio, folders[i], S_IFDIR | 0755, NULL, 0);
  for (size_t i = 0; i < sizeof links / sizeof *links; i++)
    cpio_add(&a->cpio, links[i][0], S_IFLNK | 0777, links[i][1], strlen(links[i][1]));
  unsigned char program[PROGRAM_MOST];
  cpio_device(&a->cpio, "dev/console", S_IFCHR | 0600, 5, 1);
  cpio_device(&a->cpio, "dev/null", S_IFCHR | 0666, 1, 3);
  archive_add_bytes(a, "init", 0755, init_script, sizeof init_script - 1);
  archive_add_bytes(a, "usr/pmon/bin/pmon-step", 0755, step_script, sizeof step_script - 1);
  size_t n = program_make(PROGRAM_YIELD, program);
  archive_add_bytes(a, "usr/pmon/bin/pmon-yield", 0755, program, n);
  n = program_make(PROGRAM_FETCH, program);
  archive_add_bytes(a, "usr/pmon/bin/pmon-fetch", 0755, program, n);
}

/* Adds a module where modprobe searches it: a link, and a line of modules.dep without dependencies. */
static void add_module_link(struct archive *a, const struct kernel *k, const char *module, FILE *dependences)
{
  char inside[ARCHIVE_PATH_MAX], target[PATH_MAX];
  snprintf(inside, sizeof inside, "usr/lib/modules/%s/%s", k->release, module);
  snprintf(target, sizeof target, "/usr/pmon/modules/%s", strrchr(module, '/') + 1);
  archive_add_entry(a, inside, S_IFLNK | 0777, target, strlen(target));
  fprintf(dependences, "%s:\n", module);
}

bool initramfs_module(const struct initramfs_options *o, unsigned i, struct file *ret)
{
  if (o->driver && !strcmp(modules[i], KERNEL_UNCORE_MODULE))
    return file_copy(o->driver, ret);
  return kernel_module(o->kernel, modules[i], ret);
}

static void add_modules(struct archive *a, const struct initramfs_options *o)
{
  char inside[ARCHIVE_PATH_MAX], *dependences = NULL;
  size_t n = 0;
  struct file f;
  FILE *out = open_memstream(&dependences, &n);
  if (!out)
    a->cpio.failed = true;
  for (unsigned i = 0; out && i < INITRAMFS_MODULES; i++) {
    if (!initramfs_module(o, i, &f)) {
      /* The kernel's driver is built in, or has another name: no error. The user's driver: out of memory. */
      a->cpio.failed |= o->driver && !strcmp(modules[i], KERNEL_UNCORE_MODULE);
      continue;
    }
    snprintf(inside, sizeof inside, "usr/pmon/modules/%s", strrchr(modules[i], '/') + 1);
    archive_add_bytes(a, inside, 0644, f.bytes, f.n);
    file_free(&f);
    add_module_link(a, o->kernel, modules[i], out);
  }
  if (!out)
    return;
  snprintf(inside, sizeof inside, "usr/lib/modules/%s/modules.dep", o->kernel->release);
  if (fclose(out))
    a->cpio.failed = true;
  else if (n)
    archive_add_bytes(a, inside, 0644, dependences, n);
  free(dependences);
}

/* Returns the command, each word in quotes, so that the guest's shell takes it literally. NULL: out of memory. */
static char *command_text(const char *const *argv)
{
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  if (!out)
    return NULL;
  for (; *argv; argv++) {
    fputc('\'', out);
    for (const char *c = *argv; *c; c++)
      fputs(*c == '\'' ? "'\\''" : (char[]){*c, 0}, out);
    fputs("' ", out);
  }
  fputc('\n', out);
  if (!fclose(out))
    return text;
  free(text);
  return NULL;
}

/* True if a terminal takes these bytes literally, and keeps them all until they are read. */
static bool is_typed(const char *text)
{
  size_t n = 0;
  while ((text[n] >= ' ' && text[n] <= '~') || text[n] == '\n')
    n++;
  return !text[n] && n <= INITRAMFS_TYPED;
}

/* Adds the files that every command needs. */
static int fill_base(struct archive *a, const struct initramfs_options *o)
{
  add_skeleton(a);
  if (!add_program(a, "busybox")) {
    snprintf(a->error, a->error_size, "busybox is missing; install Debian's package busybox-static");
    return PMON_E_NO_DEVICE;
  }
  for (const char *const *p = usual_programs; *p; p++)
    if (add_program(a, *p) && !strcmp(*p, "lspci"))
      archive_add_file(a, "/usr/share/misc/pci.ids", "usr/share/misc/pci.ids");
  for (const char *const *p = o->programs; p && *p; p++)
    if (!strcmp(*p, OWN_PROGRAM) && !add_with(a, *p) && !a->full)
      return PMON_E_INVALID;
  add_modules(a, o);
  return PMON_OK;
}

static int finish(struct archive *a)
{
  if (cpio_finish(&a->cpio))
    return PMON_OK;
  if (a->full)
    snprintf(a->error, a->error_size, "the guest can have at most %d files and folders: give fewer (--with)",
             ARCHIVE_FILES);
  else
    snprintf(a->error, a->error_size, "not enough memory for the guest's file system");
  return a->full ? PMON_E_INVALID : PMON_E_IO;
}

/* Adds the further files that this command needs. */
static int fill_rest(struct archive *a, const struct initramfs_options *o, struct initramfs *ret)
{
  char *text = command_text(o->argv);
  const unsigned before = a->n;
  int status = text ? PMON_OK : PMON_E_IO; /* no fault of the command line */
  for (const char *const *p = o->programs; p && *p && !status; p++)
    if (strcmp(*p, OWN_PROGRAM) && !add_with(a, *p) && !a->full)
      status = PMON_E_INVALID;
  if (text && a->n == before && is_typed(text))
    ret->line = strdup(text);
  if (text)
    archive_add_bytes(a, "usr/pmon/command", 0755, text, strlen(text));
  else
    snprintf(a->error, a->error_size, "no memory for the command");
  free(text);
  return status;
}

/* Writes the user's driver, which replaces the kernel's, before the archive: the guest loads the driver before the rest
 * is available. It is not packed, so that the guest starts no program to unpack it. */
static void add_driver(struct archive *a, const struct initramfs_options *o, struct initramfs *ret)
{
  if (!o->driver)
    return;
  ret->driver_n = o->driver->n;
  if (fwrite(o->driver->bytes, 1, o->driver->n, a->cpio.file) != o->driver->n)
    a->cpio.failed = true;
}

/* Opens a file in memory, and a stream that writes to it; -1: out of memory. */
static int open_archive(struct archive *a, FILE **ret_out)
{
  int fd = file_memory("initramfs", NULL, 0), copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
  *ret_out = copy < 0 ? NULL : fdopen(copy, "w");
  if (*ret_out) {
    cpio_init(&a->cpio, *ret_out);
    return fd;
  }
  snprintf(a->error, a->error_size, "no memory for the guest's file system");
  if (copy >= 0)
    close(copy);
  if (fd >= 0)
    close(fd);
  return -1;
}

/* The rest continues the base's list of paths, so that it repeats no file that the guest already has; of the base, only
 * the key is computed then. */
static int make_part(struct archive *a, const struct initramfs_options *o, enum initramfs_part part,
                     struct initramfs *ret)
{
  struct initramfs_options base = *o;
  int status = PMON_OK;
  FILE *out = NULL;
  if (part != INITRAMFS_ALL)
    base.driver = NULL; /* the base has the kernel's driver, which the user's replaces */
  if (part == INITRAMFS_REST) {
    cpio_init(&a->cpio, NULL);
    if (!(status = fill_base(a, &base)))
      status = finish(a);
    ret->key = a->cpio.key;
  }
  if (!status && (ret->fd = open_archive(a, &out)) < 0)
    status = PMON_E_IO;
  if (!status && part == INITRAMFS_REST)
    add_driver(a, o, ret);
  else if (!status)
    status = fill_base(a, &base);
  if (!status && part != INITRAMFS_BASE)
    status = fill_rest(a, o, ret);
  if (!status)
    status = finish(a);
  if (out)
    fclose(out);
  return status;
}

int initramfs_make(const struct initramfs_options *o, enum initramfs_part part, char *error, size_t error_size,
                   struct initramfs *ret)
{
  struct archive a = {.error = error, .error_size = error_size};
  *ret = (struct initramfs){.fd = -1};
  const int status = make_part(&a, o, part, ret);
  for (unsigned i = 0; i < a.n; i++)
    free(a.added[i]);
  free(a.buffer.bytes);
  if (status)
    initramfs_free(ret);
  return status;
}

void initramfs_free(struct initramfs *a)
{
  if (a->fd >= 0)
    close(a->fd);
  free(a->line);
  *a = (struct initramfs){.fd = -1};
}
