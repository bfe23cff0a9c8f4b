/* SPDX-License-Identifier: MIT */
/* Runs a guest from its options: QEMU, kernel, initial file system, and the evaluation of its end. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pmon/status.h>
#include "vm/initramfs.h"
#include "vm/later.h"
#include "vm/module.h"
#include "vm/needs.h"
#include "vm/serve.h"
#include "vm/resume.h"

int vm_judge(struct vm *v, int code)
{
  if (code > 128) {
    snprintf(v->error, v->error_size, "QEMU was terminated by signal %d before the guest exited", code - 128);
    return PMON_E_IO;
  }
  if (code) {
    const bool loads = v->snapshot == QEMU_LOADS;
    snprintf(v->error, v->error_size, "QEMU exited with code %d; its messages are printed above%s%s%s%s", code,
             loads ? ": if it cannot load " : "", loads ? v->kept.path : "", loads ? snapshot_ending(v->begins) : "",
             loads ? ", remove that file" : "");
    return PMON_E_IO;
  }
  if (v->bus.guest && !guest_followed(v->bus.guest))
    return vm_fail(v, PMON_E_STATE, "the guest ended before its accesses could be followed");
  if (v->ended || v->o->initrd)
    return PMON_OK;
  v->result->end = VM_PANICKED;
  snprintf(v->error, v->error_size,
           "the guest ended before its command did%s%s; --console prints its kernel's messages",
           v->where.panic[0] ? ": " : "", v->where.panic);
  return PMON_E_STATE;
}

struct initramfs_options vm_files(const struct vm *v)
{
  return (struct initramfs_options){&v->kernel, v->o->argv, v->o->module ? &v->driver : NULL, v->o->programs};
}

/* Opens the files for the guest; a guest with a snapshot already has most of them. */
static int open_files(struct vm *v)
{
  const struct initramfs_options o = vm_files(v);
  if (!v->o->initrd)
    return initramfs_make(&o, v->o->snapshot ? INITRAMFS_REST : INITRAMFS_ALL, v->error, v->error_size, &v->files);
  v->files.fd = open(v->o->initrd, O_RDONLY | O_CLOEXEC);
  if (v->files.fd >= 0)
    return PMON_OK;
  snprintf(v->error, v->error_size, "%s: %s", v->o->initrd, strerror(errno));
  return PMON_E_IO;
}

/* True for the root bus, for the uncore's buses, and without PCI Express for the bus before each, which is a host
 * bridge's. */
static bool vm_has_bus(const void *user, unsigned bus)
{
  const struct bus *b = user;
  bool has = !bus;
  for (unsigned i = 0; i < b->kind->n_buses * b->shape.sockets; i++) {
    const unsigned number = bus_system_number(b, i << 8);
    has = has || number == bus || (!b->kind->express && number == bus + 1);
  }
  return has;
}

static void vm_report_device(void *user, const char *text)
{
  struct vm *v = user;
  char line[256];
  const int n = snprintf(line, sizeof line, "%s\n", text);
  if (v->o->output)
    v->o->output(v->o->user, VM_REPORT, line, (size_t)n);
}

static void place_devices(struct vm *v)
{
  slots_place(&v->slots, &(struct slots_options){.devices = v->o->devices,
                                                 .n = v->o->n_devices,
                                                 .root_port = v->o->root_port,
                                                 .sockets = v->bus.shape.sockets,
                                                 .taken = vm_has_bus,
                                                 .user = &v->bus,
                                                 .refused = vm_report_device,
                                                 .report = v});
  for (unsigned i = 0; i < v->slots.n; i++) {
    const struct slot *s = &v->slots.slot[i];
    machine_set_root_bus(v->o->machine, s->device->package, s->device->instance,
                         v->slots.host[v->slots.bridge[s->bridge].host].bus);
  }
}

int vm_run_qemu(struct vm *v, int initrd, int *ret_code)
{
  struct qemu_options q = {.program = v->program,
                           .kernel = v->kernel.path,
                           /* A snapshot contains the firmware's data, which differ. */
                           .image = v->snapshot == QEMU_BOOTS ? kernel_image_file(&v->kernel) : -1,
                           .bus = &v->bus,
                           .slots = &v->slots,
                           .cpu = v->o->cpu,
                           .plugin = v->o->plugin,
                           .instruction_ns = v->o->instruction_ns,
                           .gdb_port = v->o->gdb_port,
                           .msr_port = v->msr_port,
                           .shared = v->shared.fd,
                           .counters = v->counters,
                           .snapshot = v->snapshot,
                           .kept = &v->kept,
                           .initrd = initrd};
  struct firmware firmware;
  int status;
  q.firmware = &firmware;
  if (firmware_open(&firmware, v->o->config)) {
    status = qemu_start(&v->qemu, &q, v->error, v->error_size);
    firmware_close(&firmware);
  } else {
    status = vm_fail(v, PMON_E_MEMORY, "no memory for the tables of the firmware");
  }
  if (q.image >= 0)
    close(q.image);
  if (status)
    return status;
  v->gdb.fd = v->qemu.end[QEMU_GDB];
  v->stage = v->msr_port ? VM_BOOTING : VM_STARTING;
  void (*before)(int) = signal(SIGPIPE, SIG_IGN); /* QEMU may end while it is written to */
  status = vm_serve(v);
  if (status && qemu_is_gone(&v->qemu)) /* its exit code gives the reason */
    status = PMON_OK;
  *ret_code = qemu_stop(&v->qemu, status != PMON_OK);
  signal(SIGPIPE, before);
  return status;
}

/* Loads the tables of frames and names, of the kernel and of the modules that init loads. */
static int find_callers(struct vm *v)
{
  struct elf image;
  if (!v->o->callers || !v->bus.shared)
    return PMON_OK;
  const int status = kernel_image(&v->kernel, v->error, v->error_size);
  if (status || !elf_init(&image, v->kernel.image.bytes, v->kernel.image.n))
    return status;
  v->bus.callers = v->o->callers;
  const struct initramfs_options o = vm_files(v);
  struct file module;
  for (unsigned i = 0; !v->o->initrd && i < INITRAMFS_MODULES; i++)
    if (initramfs_module(&o, i, &module))
      callers_add_module(v->o->callers, &module);
  return callers_set_kernel(v->o->callers, &image)
             ? vm_fail(v, PMON_E_INVALID, "--symbols: the file does not match the guest's kernel")
             : PMON_OK;
}

/* Boots the guest, or resumes it from a snapshot: then the files that the snapshot lacks take the place of the file
 * system from which it booted. */
static int boot(struct vm *v)
{
  int code, status = v->files.fd >= 0 ? PMON_OK : open_files(v);
  if (!status && v->o->snapshot)
    status = resume_prepare(v);
  if (!status)
    status = find_callers(v);
  if (!status)
    status = later_repeat(v);
  if (!status)
    status = vm_run_qemu(v, v->files.fd, &code);
  record_free(&v->record);
  snapshot_close(&v->kept);
  return status ? status : vm_judge(v, code);
}

/* Checks that this QEMU has the devices that the machine needs. */
static int check_qemu_devices(struct vm *v, struct file_program *probe)
{
  const struct guest_kind *kind = v->o->kind;
  struct qemu_features has;
  const int status = qemu_probe_end(v->program, probe, v->error, v->error_size, &has);
  if (status)
    return status;
  v->msr_port = has.ports;
  v->counters = has.counters && kind->counters;
  v->has_shared = has.shared;
  if (v->o->gdb_port && !v->msr_port) {
    snprintf(v->error, v->error_size,
             "--gdb: with %s, pmon itself debugs the guest to emulate its MSRs; add --qemu with a QEMU built by "
             "vm/qemu/build.sh (docs/vm.md)",
             v->program);
    return PMON_E_NO_DEVICE;
  }
  if (v->o->snapshot && !(has.ports && has.pages))
    return vm_fail(
        v, PMON_E_NO_DEVICE,
        "--snapshot: needs a QEMU built by this version's vm/qemu/build.sh; add it with --qemu (docs/vm.md)");
  if (kind->express ? has.express && has.ports : has.proxy)
    return PMON_OK;
  snprintf(v->error, v->error_size,
           kind->express ? "%s does not have the devices that %s needs (x-pci-proxy-express-dev, pmon-msr, "
                           "pmon-window); build a QEMU with vm/qemu/build.sh and add it with --qemu (docs/vm.md)"
                         : "%s has no device x-pci-proxy-dev; %s needs QEMU 6.0 or later, with multi-process devices",
           v->program, kind->name);
  return PMON_E_NO_DEVICE;
}

/* Finds the instructions at which a QEMU that does not forward MSRs stops the guest. A module of a kernel without
 * functions for MSRs contains its own MSR instructions, at addresses that only the guest knows. */
static int find_sites(struct vm *v)
{
  struct file driver;
  int status = kernel_image(&v->kernel, v->error, v->error_size);
  if (!status)
    status = msr_sites_find(v->kernel.image.bytes, v->kernel.image.n, v->error, v->error_size, &v->sites);
  if (status || v->sites.called || !kernel_module(&v->kernel, KERNEL_UNCORE_MODULE, &driver))
    return status;
  file_free(&driver);
  return vm_fail(
      v, PMON_E_UNKNOWN,
      "this kernel's uncore driver is a module with its own MSR instructions, at which this QEMU cannot stop: build "
      "the kernel with CONFIG_XEN_PV=y, whose modules call functions, or the driver in "
      "(CONFIG_PERF_EVENTS_INTEL_UNCORE=y), or add --qemu with a QEMU built by vm/qemu/build.sh (docs/vm.md)");
}

/* Returns the guest's shape. If the number of running processors is not given: as many as the kernel needs to use all
 * units. With a user-supplied init and a clock driven by instructions, one: such a clock starves processors while
 * others start. */
static struct guest_shape running_shape(const struct vm *v)
{
  struct guest_shape shape = v->o->shape;
  if (!shape.running)
    shape.running =
        v->o->instruction_ns && v->o->initrd ? 1 : guest_kind_processors(v->o->kind, v->kernel.release, shape.cores);
  return shape;
}

/* Sets up memory shared with QEMU, if QEMU has it: for the code that makes accesses, and for interrupts. */
static int vm_share(struct vm *v)
{
  v->result->shared = v->has_shared;
  if (!v->has_shared)
    return v->o->symbols_given ? vm_fail(v, PMON_E_NO_DEVICE,
                                         "--symbols: this QEMU does not report which code makes an access; add --qemu "
                                         "with a QEMU built by vm/qemu/build.sh (docs/vm.md)")
                               : PMON_OK;
  if (shared_open(&v->shared))
    return vm_fail(v, PMON_E_MEMORY, "no memory to share with QEMU");
  v->bus.shared = &v->shared;
  machine_listen(v->o->machine, bus_interrupt, &v->bus);
  return PMON_OK;
}

/* Checks the configuration beside the kernel: reports a guest that would hang, or would keep another driver. */
static int check_config(const struct vm *v)
{
  char lacks[256];
  char *config = v->o->initrd ? NULL : needs_config(v->kernel.path, v->kernel.release);
  if (!config)
    return PMON_OK;
  const bool built_in = v->o->module && needs_built_in(config, "CONFIG_PERF_EVENTS_INTEL_UNCORE");
  needs_text(config, true, lacks, sizeof lacks);
  free(config);
  if (*lacks)
    snprintf(v->error, v->error_size,
             "%s: the kernel's configuration lacks %s; scripts/kconfig/merge_config.sh .config guest.config adds what "
             "guests need (docs/bench.md)",
             v->kernel.path, lacks);
  else if (built_in)
    snprintf(v->error, v->error_size,
             "--module %s: the kernel has this driver built in, and cannot load another; build the kernel with it as a "
             "module (CONFIG_PERF_EVENTS_INTEL_UNCORE=m)",
             v->o->module);
  return *lacks ? PMON_E_NO_DEVICE : built_in ? PMON_E_INVALID : PMON_OK;
}

static int read_inputs(struct vm *v)
{
  int status = kernel_open(&v->kernel, v->o->kernel, v->o->cache, v->error, v->error_size);
  if (!status)
    status = check_config(v);
  if (!status && v->o->module)
    status = module_read(v->o->module, v->kernel.release, v->error, v->error_size, &v->driver);
  return status;
}

/* QEMU lists its devices while the kernel and the guest's files are read; a kernel is downloaded only for a QEMU that
 * has the devices. A device that QEMU lacks is reported first, an error in the files last: boot() reads the files again
 * then. */
static int prepare_guest(struct vm *v)
{
  struct file_program probe;
  const bool here = kernel_is_here(v->o->kernel, v->o->cache);
  qemu_probe_begin(v->program, &probe);
  const int read = here ? read_inputs(v) : PMON_OK;
  if (here && !read && open_files(v))
    *v->error = 0; /* boot() reports the error */
  const int status = check_qemu_devices(v, &probe);
  return status ? status : here ? read : read_inputs(v);
}

/* Builds the guest's hardware, runs the guest, and counts its accesses and overflows. */
static int run_guest(struct vm *v)
{
  const struct vm_options *o = v->o;
  struct vm_result *ret = v->result;
  const struct guest_shape shape = running_shape(v);
  memcpy(ret->kernel, v->kernel.path, sizeof ret->kernel);
  memcpy(ret->release, v->kernel.release, sizeof ret->release);
  bus_init(&v->bus, o->machine, o->backend, o->kind, &shape);
  v->bus.access_ns = o->access_ns;
  v->bus.guest = o->guest;
  v->bus.lenient = o->lenient;
  place_devices(v);
  int status = vm_share(v);
  if (!status)
    status = boot(v);
  machine_listen(o->machine, NULL, NULL);
  if (v->bus.callers)
    callers_end(v->bus.callers);
  for (unsigned i = 0; i < v->bus.shape.sockets; i++)
    ret->overflows += machine_pmis(o->machine, i);
  shared_close(&v->shared);
  ret->reads = v->bus.reads;
  ret->writes = v->bus.writes;
  return status;
}

int vm_run(const struct vm_options *o, char *error, size_t error_size, struct vm_result *ret)
{
  struct vm *v = calloc(1, sizeof *v);
  int status;
  *ret = (struct vm_result){.exit_code = 0};
  if (!v) {
    snprintf(error, error_size, "no memory");
    return PMON_E_MEMORY;
  }
  v->o = o;
  v->result = ret;
  v->error = error;
  v->error_size = error_size;
  v->shared.fd = v->files.fd = -1;
  resume_init(v);
  v->program = o->qemu ? o->qemu : "qemu-system-x86_64";
  status = prepare_guest(v);
  if (!status && !v->msr_port)
    status = find_sites(v);
  if (!status)
    status = run_guest(v);
  initramfs_free(&v->files);
  file_free(&v->driver);
  kernel_close(&v->kernel);
  free(v);
  return status;
}
