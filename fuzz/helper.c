/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes what the privileged helper does for a hostile caller: the input is a series of messages, each answered without
 * a socket, for a tree of files with the MSRs of an E5-2600. No other MSR than a monitoring register is written, and
 * none without the lock.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include "helper/serve.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { WORDS = 20, FIELDS = 3, MESSAGES = 64 }; /* bytes of a register, and of a message before them */

static struct helper h;
static char root[] = "/tmp/pmon-fuzz-XXXXXX", dev[64], sys[64], proc[64];

/* Stubs: this process keeps its rights. */
bool sandbox_drop_privileges(void)
{
  return true;
}

bool sandbox_filter_calls(void)
{
  return true;
}

static void make_file(const char *name, const char *text, off_t size)
{
  char path[300];
  snprintf(path, sizeof path, "%s/%s", root, name);
  for (char *slash = strchr(path + sizeof root, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  const size_t n = strlen(text);
  if (fd < 0 || write(fd, text, n) != (ssize_t)n || (size && ftruncate(fd, size)))
    abort();
  close(fd);
}

/* Removes the tree as soon as its files are open. */
static void remove_tree(const char *folder)
{
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[600];
    snprintf(path, sizeof path, "%s/%.250s", folder, e->d_name);
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && unlink(path))
      remove_tree(path);
  }
  if (d)
    closedir(d);
  rmdir(folder);
}

static void open_tree(void)
{
  static const struct pmon_system system = {.size = sizeof system, .dev = dev, .sys = sys, .proc = proc, .end_fd = -1};
  if (!mkdtemp(root))
    abort();
  snprintf(dev, sizeof dev, "%s/dev", root);
  snprintf(sys, sizeof sys, "%s/sys", root);
  snprintf(proc, sizeof proc, "%s/proc", root);
  make_file("dev/cpu/0/msr", "", INT64_C(1) << 33);
  make_file("proc/cpuinfo", "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 45\nstepping\t: 7\n", 0);
  make_file("sys/devices/system/cpu/online", "0\n", 0);
  make_file("sys/devices/system/cpu/present", "0\n", 0);
  make_file("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n", 0);
  make_file("sys/devices/system/cpu/cpu0/topology/package_cpus_list", "0\n", 0);
  if (helper_open(&h, &system) || h.status)
    abort();
  remove_tree(root);
}

/* The MSRs that software may write (E5-2600 guide 2.2 to 2.6; SDM4 309h, 38Dh, 38Fh). */
static bool is_monitoring_msr(uint64_t n)
{
  static const struct {
    uint16_t first, last;
  } ranges[] = {{0x309, 0x30b}, {0x38d, 0x38d}, {0x38f, 0x38f}, {0xc08, 0xc09}, {0xc10, 0xc11},
                {0xc16, 0xc17}, {0xc24, 0xc24}, {0xc30, 0xc34}, {0xc36, 0xc39}};
  static const uint32_t of_cbo = 1u << 0 | 0x1fu << 0xc | 0xfu << 0x12;
  for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    if (n >= ranges[i].first && n <= ranges[i].last)
      return true;
  return n >= 0xd04 && n < 0xe04 && of_cbo >> (n - 0xd04) % 0x20 & 1;
}

static uint64_t helper_take_number(const uint8_t *at, unsigned bytes)
{
  uint64_t value = 0;
  while (bytes--)
    value = value << 8 | at[bytes];
  return value;
}

/* Answers the message at `at`. Returns its size; 0: the helper ended. */
static size_t answer_one(const uint8_t *at, size_t size)
{
  struct remote_message *m = &h.message;
  memset(m, 0, sizeof *m);
  m->version = REMOTE_VERSION + (at[0] >> 7);
  m->operation = at[0] & 7;
  m->n = at[1];
  m->zero = at[2] == 255;
  size_t used = FIELDS;
  for (uint32_t i = 0; i < REMOTE_REGISTERS && i < m->n && used + WORDS <= size; i++, used += WORDS) {
    const uint8_t *r = at + used;
    m->registers[i] = (struct remote_register){.space = r[0] & 3,
                                               .width_bits = r[1] == 1   ? 32
                                                             : r[1] == 0 ? 64
                                                                         : r[1],
                                               .package = r[2],
                                               .zero = r[3] == 255,
                                               .device = (uint32_t)helper_take_number(r + 4, 3),
                                               .offset = helper_take_number(r + 7, 5),
                                               .value = helper_take_number(r + 12, 8)};
  }
  const uint32_t locks = h.locks;
  if (!helper_handle(&h))
    return 0;
  const struct remote_register *r = &m->registers[0];
  if (m->operation == REMOTE_WRITE && !m->status &&
      (r->space != PMON_SPACE_MSR || !is_monitoring_msr(r->offset) || !locks))
    abort();
  return used;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!h.backend)
    open_tree();
  for (size_t n, i = 0; i < MESSAGES && size >= FIELDS && (n = answer_one(data, size)); i++) {
    data += n;
    size -= n;
  }
  for (; h.locks; h.locks--)
    access_unlock(h.backend);
  return 0;
}
