/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the text files by which a system describes itself: CPUs, perf's PMUs, the processor, memory, PCI functions and
 * their names. A line "@X" of the input begins the content of file X of the list below; the other files keep theirs.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/pmon.h>
#include "cli/target/devices.h"
#include "cli/target/limits.h"
#include "cli/target/port_links.h"
#include "src/access/perf_pmu.h"
#include "src/access/ranges.h"
#include "src/access/resource.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIZE_MOST = 1 << 14, CPUS = 65536, LISTED = 64, DIGITS_MOST = 3 };

#define CPU "sys/devices/system/cpu/"
#define PMUS "sys/bus/event_source/devices/"
#define IMC PMUS "uncore_imc_0/"
#define PORT "sys/devices/pci0000:16/0000:16:01.0/"
#define FUNCTION PORT "0000:17:00.0/"
#define BUSES "sys/devices/pci0000:00/0000:00:00.1/"

static const struct tree_file {
  const char *name, *text;
} files[] = {
    {CPU "online", "0-3"},
    {CPU "present", "0-3"},
    {CPU "cpu0/topology/physical_package_id", "0"},
    {CPU "cpu0/topology/package_cpus_list", "0-1"},
    {CPU "cpu2/topology/physical_package_id", "1"},
    {CPU "cpu2/topology/package_cpus_list", "2-3"},
    {CPU "cpu0/topology/thread_siblings_list", "0-1"},
    {IMC "type", "23"},
    {IMC "cpumask", "0,2"},
    {IMC "format/event", "config:0-7"},
    {IMC "format/umask", "config:8-15,32-55"},
    {IMC "events/reads", "event=0x05,umask=0xcf"},
    {IMC "events/reads.scale", "6.103515625e-5"},
    {IMC "events/reads.unit", "MiB"},
    {PMUS "uncore_iio_0/die0", ""},
    {PMUS "uncore_iio_1/die0", ""},
    {"proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nstepping\t: 2\n"},
    {"proc/iomem", "00001000-0009ffff : System RAM\n"},
    {PORT "class", "0x060400"},
    {PORT "max_link_speed", "16.0 GT/s PCIe"},
    {PORT "max_link_width", "8"},
    {FUNCTION "class", "0x010802"},
    {FUNCTION "vendor", "0x144d"},
    {FUNCTION "device", "0xa808"},
    {FUNCTION "resource", "0x00000000c0000000 0x00000000c0003fff 0x0000000000140204\n"},
    {PORT "current_link_speed", "8.0 GT/s PCIe"},
    {PORT "current_link_width", "4"},
    {BUSES "vendor", "0x8086"},
    {BUSES "device", "0x09a6"},
    {BUSES "config", ""},
    {BUSES "local_cpulist", "0-1"},
    {FUNCTION "config", ""},
    {"usr/share/misc/pci.ids", "144d  Samsung\n\ta808  SSD\nC 01  Storage\n\t08  NVM\n"},
};
enum { FILES = sizeof files / sizeof *files };

static char root[] = "/tmp/pmon-fuzz-XXXXXX";
static struct hardware hardware;
static bool changed[FILES];

/* Stubs for cli/target/hardware.c and limits.c, with the same results. */
bool hardware_text(const char *folder, const char *name, char *text, size_t size)
{
  char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "re");
  text[f ? fread(text, 1, size - 1, f) : 0] = 0;
  if (f)
    fclose(f);
  return *text != 0;
}

bool hardware_cpu(const struct hardware *h, struct pmon_cpu *cpu)
{
  return pmon_system_cpu(&h->system, cpu);
}

uint32_t hardware_packages(const struct hardware *h, struct pmon_package *packages, uint32_t n)
{
  return pmon_system_packages(&h->system, packages, n);
}

const char *limits_name(const char *name)
{
  return name;
}

void limits_add(struct limit_list *list, const char *name, uint32_t package, double number)
{
  if (!*name || package >= SYSTEM_PACKAGES || number < 0)
    abort();
  list->n++;
}

static void tree_write(const char *name, const void *text, size_t n)
{
  char path[300];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = strchr(path + sizeof root, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  const int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0 || write(fd, text, n) != (ssize_t)n)
    abort();
  close(fd);
}

static void tree_link(const char *function, const char *folder)
{
  char target[200], path[200];
  snprintf(target, sizeof target, "../../../%s", folder + sizeof "sys/" - 1);
  target[strlen(target) - 1] = 0;
  snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s", root, function);
  if (symlink(target, path))
    abort();
}

static void tree_remove(const char *folder)
{
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[600];
    snprintf(path, sizeof path, "%s/%.250s", folder, e->d_name);
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && unlink(path))
      tree_remove(path);
  }
  if (d)
    closedir(d);
  rmdir(folder);
}

static void tree_end(void)
{
  tree_remove(root);
}

static void tree_begin(void)
{
  if (!mkdtemp(root) || atexit(tree_end))
    abort();
  for (size_t i = 0; i < FILES; i++)
    tree_write(files[i].name, files[i].text, strlen(files[i].text));
  tree_write("sys/bus/pci/devices/.keep", "", 0);
  tree_link("0000:16:01.0", PORT);
  tree_link("0000:17:00.0", FUNCTION);
  tree_link("0000:00:00.1", BUSES);
  hardware = (struct hardware){.root = true};
  snprintf(hardware.dev, sizeof hardware.dev, "%s/dev", root);
  snprintf(hardware.sys, sizeof hardware.sys, "%s/sys", root);
  snprintf(hardware.proc, sizeof hardware.proc, "%s/proc", root);
  hardware.system = (struct pmon_system){
      .size = sizeof hardware.system, .dev = hardware.dev, .sys = hardware.sys, .proc = hardware.proc, .end_fd = -1};
}

/* Whether a number has more than DIGITS_MOST digits: lists of many CPUs are only slow. */
static bool is_long(const char *text, size_t n)
{
  size_t digits = 0;
  for (size_t i = 0; i < n && digits <= DIGITS_MOST; i++)
    digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
  return digits > DIGITS_MOST;
}

/* Writes the input's files, and those that the previous input had changed. */
static void tree_take(const char *text, size_t size)
{
  bool now[FILES] = {false};
  while (size > 1) {
    const char *const next = memmem(text + 1, size - 1, "\n@", 2);
    const size_t n = next ? (size_t)(next + 1 - text) : size, i = (size_t)(unsigned char)text[1] - 'A';
    const size_t head = n > 2 && text[2] == '\n' ? 3 : 2;
    if (*text == '@' && i < FILES && !(strstr(files[i].name, "cpu") && is_long(text + head, n - head))) {
      tree_write(files[i].name, text + head, n - head);
      now[i] = true;
    }
    text += n;
    size -= n;
  }
  for (size_t i = 0; i < FILES; i++)
    if (changed[i] && !now[i])
      tree_write(files[i].name, files[i].text, strlen(files[i].text));
  memcpy(changed, now, sizeof now);
}

static void try_topology(const struct system *s)
{
  static uint32_t cpus[LISTED];
  static const char *const lists[] = {"0", "0-3", "2-3,5", "", "-1", "0-65535", "65535,65536"};
  for (uint32_t i = 0; i < s->n_packages; i++)
    if (s->packages[i].cpu >= CPUS || (i && s->packages[i].id <= s->packages[i - 1].id))
      abort();
  if (!s->n_packages || s->n_packages > SYSTEM_PACKAGES)
    abort();
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const int package = system_package_of_all(s, lists[i]);
    if (package >= (int)s->n_packages || pmon_system_packages_of(&hardware.system, lists[i]) > s->n_packages)
      abort();
    if (i < 4)
      system_nth_cpu_of_package(s, lists[i], 0, 1);
  }
  const uint32_t n = system_threads(s, 0, NULL, cpus, LISTED);
  for (uint32_t i = 0; i < n && i < LISTED; i++)
    if (cpus[i] >= CPUS)
      abort();
  system_threads_per_core(s);
  const uint32_t other = system_other_cpu(s, 0, s->packages[0].cpu);
  if (other == s->packages[0].cpu)
    abort();
  system_online(s, other);
}

static void try_perf(const struct system *s)
{
  struct counting_event event = {
      .pmu = "uncore_imc", .n_terms = 2, .terms = {{"event", 0x1ff, 8, 0}, {"umask,umask_ext", 0xcf, 32, -1}}};
  struct pmon_kernel_event known = {.size = sizeof known};
  struct pmon_reason reason = {""};
  struct perf_pmu pmu;
  struct perf_dies dies;
  struct perf_member member;
  uint64_t config[PERF_WORDS];
  uint32_t numbers[4];
  if (pmon_kernel_event_find(&hardware.system, "uncore_imc", "reads", &known) == PMON_OK &&
      (strlen(known.terms) >= sizeof known.terms || strlen(known.unit) >= sizeof known.unit))
    abort();
  if (perf_pmu_numbers(s, "uncore_imc", numbers, 4) != 1)
    abort();
  perf_pmu_any(s, &pmu, &reason);
  if (perf_pmu_find(s, "uncore_imc", 0, &pmu, &reason)) {
    if (!*reason.text)
      abort();
    return;
  }
  for (uint32_t package = 0; package <= s->n_packages; package++)
    if (perf_pmu_dies(&pmu, package, &dies, &reason) == PMON_OK && (!dies.n || dies.n > PERF_DIES))
      abort();
  for (int thread = 0; thread < 2; thread++) {
    event.thread = thread;
    perf_pmu_member(s, &event, 0, &member, &reason);
  }
  for (uint64_t value = 1; value < 0x100; value = value << 3 | 5) {
    event.terms[0].value = event.terms[1].value = value;
    perf_pmu_encode(&pmu, &event, config, &reason);
  }
  event.kernel_event = "reads";
  event.n_terms = 0;
  perf_pmu_encode(&pmu, &event, config, &reason);
}

static bool is_any(void *user, uint64_t first, uint64_t last)
{
  return user && first < last;
}

static void try_devices(const struct system *s)
{
  static struct pmon_context *c;
  static const struct pmon_platform *emr;
  static struct resources resources;
  static struct ranges ranges;
  struct limit_list limits = {.n = 0};
  struct device_list list = {.n = 0};
  uint64_t offset;
  if (!c && (pmon_context_new(&c) || pmon_platform_find(c, "emr", &emr)))
    abort();
  resources_open(&resources, s, is_any, &list);
  resources_find(&resources, 0xc0000000, 8, &offset);
  resources_close(&resources);
  ranges_init(&ranges, s);
  if (ranges.n_ram > RANGES_RAM)
    abort();
  ranges_fini(&ranges);
  limits_read_ports(&hardware, emr, &limits);
  if (!devices_read_host(&hardware, emr, &list))
    abort();
  for (uint32_t i = 0; i < list.n; i++)
    if (!*list.devices[i].name || list.devices[i].class_code > 0xffffff)
      abort();
  devices_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct system s;
  struct pmon_reason reason;
  if (size > SIZE_MOST)
    return 0;
  if (!hardware.root)
    tree_begin();
  tree_take((const char *)data, size);
  if (system_init(&s, &hardware.system, &reason))
    abort();
  try_topology(&s);
  try_perf(&s);
  try_devices(&s);
  return 0;
}
