/* SPDX-License-Identifier: MIT */
#include "vm/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/later.h"
#include "vm/serve.h"

void resume_init(struct vm *v)
{
  for (unsigned i = 0; i < SNAPSHOT_PARTS; i++)
    v->kept.part[i] = -1;
  v->begins = SNAPSHOT_STREAM;
}

static uint64_t key_of_file(uint64_t key, int fd)
{
  struct stat is;
  const size_t n = fstat(fd, &is) ? 0 : (size_t)is.st_size;
  void *bytes = n ? mmap(NULL, n, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0) : MAP_FAILED;
  if (bytes == MAP_FAILED)
    return key;
  key = snapshot_key(key, bytes, n);
  munmap(bytes, n);
  return key;
}

/* Returns the key of all that the snapshot after the boot depends on. */
static uint64_t state_key(const struct vm *v)
{
  const struct guest_shape *s = &v->bus.shape;
  const char *const words[] = {v->bus.kind->name, v->o->cpu ? v->o->cpu->vendor : "", qemu_kernel_line};
  const uint64_t numbers[] = {s->sockets,
                              s->running,
                              s->cores,
                              v->o->instruction_ns,
                              v->counters,
                              v->shared.fd >= 0,
                              v->o->cpu && v->o->cpu->hypervisor,
                              v->files.key};
  struct firmware firmware;
  char path[PATH_MAX];
  uint64_t key = snapshot_key(SNAPSHOT_KEY_BEGIN, numbers, sizeof numbers);
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    key = snapshot_key(key, words[i], strlen(words[i]));
  if (v->o->cpu)
    key = snapshot_key(key, v->o->cpu->signature, sizeof v->o->cpu->signature);
  key = snapshot_key(key, v->kernel.packed.bytes, v->kernel.packed.n);
  const int emulator = file_find_program(v->program, path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (emulator >= 0) {
    key = key_of_file(key, emulator);
    close(emulator);
  }
  if (firmware_open(&firmware, v->o->config)) {
    for (unsigned i = 0; i < firmware.n; i++)
      key = key_of_file(key, firmware.fd[i]);
    firmware_close(&firmware);
  }
  return key;
}

static int fail_snapshot(struct vm *v, const char *path, const char *why)
{
  snprintf(v->error, v->error_size, "--snapshot %s: %s", path, why);
  return PMON_E_IO;
}

/* Sets the path of the snapshot; a folder has a file for each kind of guest. */
static void name_state(const struct vm *v, uint64_t key, char path[PATH_MAX])
{
  struct stat is;
  if (!stat(v->o->snapshot, &is) && S_ISDIR(is.st_mode))
    snprintf(path, PATH_MAX, "%s/%016" PRIx64 ".guest", v->o->snapshot, key);
  else
    snprintf(path, PATH_MAX, "%s", v->o->snapshot);
}

/* Boots without the uncore's functions, and saves the snapshot. */
static int save_guest(struct vm *v, const char *path, uint64_t key)
{
  const struct initramfs_options o = vm_files(v);
  struct initramfs base;
  int code;
  bool room = true;
  v->snapshot = QEMU_SAVES;
  int status = kernel_image(&v->kernel, v->error, v->error_size);
  if (status)
    return status;
  if (snapshot_create(path, v->bus.shape.sockets, &v->kept))
    return fail_snapshot(v, path, strerror(errno));
  for (unsigned i = 0; i < v->bus.shape.sockets; i++)
    room = room && !ftruncate(v->kept.part[SNAPSHOT_MEMORY + i], (off_t)qemu_memory(&v->bus));
  if (!room || !file_write_fd(v->kept.part[SNAPSHOT_KERNEL], &v->kernel.image))
    return fail_snapshot(v, path, strerror(errno));
  if ((status = initramfs_make(&o, INITRAMFS_BASE, v->error, v->error_size, &base)))
    return status;
  status = vm_run_qemu(v, base.fd, &code);
  initramfs_free(&base);
  if (!status && (code || !v->saved))
    status = vm_judge(v, code);
  if (!status && snapshot_keep(&v->kept, key))
    status = fail_snapshot(v, path, strerror(errno));
  snapshot_close(&v->kept);
  v->monitor.n = 0;
  return status;
}

int resume_prepare(struct vm *v)
{
  const unsigned sockets = v->bus.shape.sockets;
  const uint64_t key = state_key(v);
  char path[PATH_MAX];
  int status;
  name_state(v, key, path);
  if (snapshot_open(path, key, sockets, &v->kept)) {
    char name[PATH_MAX];
    const char *foreign = snapshot_check(path, name); /* also a file in a folder, which the options did not name */
    if (foreign)
      return fail_snapshot(
          v, foreign, errno == EEXIST ? "the file exists and is not a guest snapshot; remove it" : strerror(errno));
    if ((status = save_guest(v, path, key)))
      return status;
    if (snapshot_open(path, key, sockets, &v->kept))
      return fail_snapshot(v, path, "the files differ from what was written");
  }
  v->snapshot = QEMU_LOADS;
  later_open(v, key);
  const int kernel = v->kept.part[SNAPSHOT_KERNEL];
  if (!v->kernel.image.n && !kernel_map_image(&v->kernel, kernel, snapshot_size(kernel)))
    return fail_snapshot(v, path, strerror(errno));
  return PMON_OK;
}
