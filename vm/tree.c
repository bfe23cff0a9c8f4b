/* SPDX-License-Identifier: MIT */
#include "vm/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "machine/smbios.h"

enum { FUNCTION_NAME = 12, CLASS_AT = 8, RESOURCES = 13 };

static size_t put_vendor(struct machine_tree *t, const struct tree_node *n, char *text)
{
  return (size_t)snprintf(text, TREE_TEXT_SIZE, "0x%04x\n", bus_config_read(&t->bus, n->devfn, 0, 2));
}

static size_t put_device(struct machine_tree *t, const struct tree_node *n, char *text)
{
  return (size_t)snprintf(text, TREE_TEXT_SIZE, "0x%04x\n", bus_config_read(&t->bus, n->devfn, 2, 2));
}

static size_t put_class(struct machine_tree *t, const struct tree_node *n, char *text)
{
  return (size_t)snprintf(text, TREE_TEXT_SIZE, "0x%06x\n", bus_config_read(&t->bus, n->devfn, CLASS_AT, 4) >> 8);
}

static size_t put_zero(struct machine_tree *t, const struct tree_node *n, char *text)
{
  (void)t, (void)n;
  return (size_t)snprintf(text, TREE_TEXT_SIZE, "0\n");
}

/* No function has memory here: a FUSE file cannot be mapped. */
static size_t put_resources(struct machine_tree *t, const struct tree_node *n, char *text)
{
  size_t length = 0;
  (void)t, (void)n;
  for (int i = 0; i < RESOURCES; i++)
    length += (size_t)snprintf(text + length, TREE_TEXT_SIZE - length, "0x%016x 0x%016x 0x%016x\n", 0, 0, 0);
  return length;
}

static size_t put_near_cpus(struct machine_tree *t, const struct tree_node *n, char *text)
{
  const unsigned first = (n->devfn >> 8) / t->bus.kind->n_buses * t->shape.cores;
  return (size_t)snprintf(text, TREE_TEXT_SIZE, "%u-%u\n", first, first + t->shape.cores - 1);
}

static size_t put_online(struct machine_tree *t, const struct tree_node *n, char *text)
{
  (void)n;
  return (size_t)snprintf(text, TREE_TEXT_SIZE, "0-%u\n", t->shape.sockets * t->shape.cores - 1);
}

static size_t put_package(struct machine_tree *t, const struct tree_node *n, char *text)
{
  return (size_t)snprintf(text, TREE_TEXT_SIZE, "%u\n", n->processor / t->shape.cores);
}

/* Returns the number after `key` in QEMU's description of the processor. */
static unsigned cpu_number(const struct machine_tree *t, const char *key)
{
  const char *at = strstr(t->bus.kind->cpu, key);
  return at ? (unsigned)strtoul(at + strlen(key), NULL, 10) : 0;
}

static size_t put_cpuinfo(struct machine_tree *t, const struct tree_node *n, char *text)
{
  (void)n;
  return (size_t)snprintf(text, TREE_TEXT_SIZE,
                          "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: %u\nmodel\t\t: %u\n"
                          "model name\t: emulated %s\nstepping\t: %u\nflags\t\t: msr\n\n",
                          cpu_number(t, "family="), cpu_number(t, "model="), t->shape.platform,
                          cpu_number(t, "stepping="));
}

static size_t put_memory(struct machine_tree *t, const struct tree_node *n, char *text)
{
  (void)n;
  return machine_smbios(t->shape.config, (uint8_t *)text);
}

/* `#` stands for a processor's number, `@` for a function's name. */
static const struct {
  const char *pattern;
  enum tree_kind kind;
  size_t (*put)(struct machine_tree *t, const struct tree_node *n, char *text);
} rows[] = {
    {"time", TREE_TIME, NULL},
    {"#/msr", TREE_MSR, NULL},
    {"dev/cpu/#/msr", TREE_MSR, NULL},
    {"proc/cpuinfo", TREE_TEXT, put_cpuinfo},
    {"sys/bus/pci/devices/@/config", TREE_CONFIG, NULL},
    {"sys/bus/pci/devices/@/vendor", TREE_TEXT, put_vendor},
    {"sys/bus/pci/devices/@/device", TREE_TEXT, put_device},
    {"sys/bus/pci/devices/@/class", TREE_TEXT, put_class},
    {"sys/bus/pci/devices/@/irq", TREE_TEXT, put_zero},
    {"sys/bus/pci/devices/@/resource", TREE_TEXT, put_resources},
    {"sys/bus/pci/devices/@/local_cpulist", TREE_TEXT, put_near_cpus},
    {"sys/firmware/dmi/tables/DMI", TREE_TEXT, put_memory},
    {"sys/devices/system/cpu/online", TREE_TEXT, put_online},
    {"sys/devices/system/cpu/cpu#/topology/physical_package_id", TREE_TEXT, put_package},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void name_function(const struct bus *b, unsigned devfn, char name[16])
{
  snprintf(name, 16, "0000:%02x:%02x.%x", bus_system_number(b, devfn) & 0xff, devfn >> 3 & 31, devfn & 7);
}

/* The number of functions without the doorbell, which only a guest has; here the file `time` takes its place. */
static unsigned functions(const struct bus *b)
{
  return b->n - 1;
}

static bool take_function(const struct bus *b, const char **path, unsigned *ret_devfn)
{
  char name[16];
  for (unsigned i = 0; i < functions(b); i++) {
    name_function(b, b->devfn[i], name);
    if (!strncmp(*path, name, FUNCTION_NAME)) {
      *path += FUNCTION_NAME;
      *ret_devfn = b->devfn[i];
      return true;
    }
  }
  return false;
}

static bool take_processor(const struct machine_tree *t, const char **path, unsigned *ret_processor)
{
  char *end;
  if (**path < '0' || **path > '9' || (**path == '0' && (*path)[1] >= '0' && (*path)[1] <= '9'))
    return false;
  const unsigned long n = strtoul(*path, &end, 10);
  *path = end;
  *ret_processor = (unsigned)n;
  return n < (unsigned long)t->shape.sockets * t->shape.cores;
}

/* Follows a row's pattern along the path. Returns the rest of the pattern; NULL: the path does not match it. */
static const char *follow(const struct machine_tree *t, unsigned row, const char *path, struct tree_node *node)
{
  const char *pattern = rows[row].pattern;
  while (*path && *pattern) {
    if (*pattern == '#'   ? !take_processor(t, &path, &node->processor)
        : *pattern == '@' ? !take_function(&t->bus, &path, &node->devfn)
                          : *path++ != *pattern)
      return NULL;
    pattern++;
  }
  return *path ? NULL : pattern;
}

struct tree_node tree_find(const struct machine_tree *t, const char *path)
{
  for (unsigned i = 0; i < ROWS; i++) {
    struct tree_node node = {.row = i};
    const char *left = follow(t, i, path, &node);
    if (!left || (*left && *left != '/' && *path))
      continue;
    node.kind = *left ? TREE_FOLDER : rows[i].kind;
    return node;
  }
  return (struct tree_node){.kind = TREE_NOTHING};
}

/* The part of a pattern between two slashes. */
struct part {
  const char *at;
  size_t n;
};

static struct part next_part(const char *left)
{
  left += *left == '/';
  return (struct part){left, strcspn(left, "/")};
}

/* Returns the i-th name that matches a part. */
static bool expand(struct machine_tree *t, struct part part, unsigned i, char *name, size_t size)
{
  const char *hash = memchr(part.at, '#', part.n);
  char function[16] = "";
  if (*part.at == '@') {
    if (i >= functions(&t->bus))
      return false;
    name_function(&t->bus, t->bus.devfn[i], function);
    snprintf(name, size, "%s", function);
  } else if (hash) {
    if (i >= t->shape.sockets * t->shape.cores)
      return false;
    snprintf(name, size, "%.*s%u", (int)(hash - part.at), part.at, i);
  } else {
    if (i)
      return false;
    snprintf(name, size, "%.*s", (int)part.n, part.at);
  }
  return true;
}

/* True if an earlier row has the same part after the path. */
static bool is_repeated(const struct machine_tree *t, const char *path, unsigned row, struct part part)
{
  struct tree_node unused;
  for (unsigned i = 0; i < row; i++) {
    const char *left = follow(t, i, path, &unused);
    const struct part other = left ? next_part(left) : (struct part){"", 0};
    if (left && other.n == part.n && !strncmp(other.at, part.at, part.n))
      return true;
  }
  return false;
}

bool tree_entry(struct machine_tree *t, const char *path, unsigned i, char *name, size_t size)
{
  struct tree_node unused;
  for (unsigned row = 0; row < ROWS; row++) {
    const char *left = follow(t, row, path, &unused);
    if (!left || !*left || (*left != '/' && *path))
      continue;
    const struct part part = next_part(left);
    if (is_repeated(t, path, row, part))
      continue;
    for (unsigned k = 0; expand(t, part, k, name, size); k++)
      if (!i--)
        return true;
  }
  return false;
}

size_t tree_text(struct machine_tree *t, const struct tree_node *node, char text[TREE_TEXT_SIZE])
{
  return rows[node->row].put(t, node, text);
}

size_t tree_config_size(const struct machine_tree *t)
{
  return t->bus.kind->express ? 4096 : 256;
}

/* Returns how many bytes of a range one access covers. */
static unsigned access_size(size_t offset, size_t n)
{
  return offset % 4 == 0 && n >= 4 ? 4 : offset % 2 == 0 && n >= 2 ? 2 : 1;
}

void tree_config_read(struct machine_tree *t, unsigned devfn, size_t offset, char *to, size_t n)
{
  for (size_t done = 0, size; done < n; done += size) {
    size = access_size(offset + done, n - done);
    const uint32_t value = bus_config_read(&t->bus, devfn, (unsigned)(offset + done), (unsigned)size);
    for (size_t i = 0; i < size; i++)
      to[done + i] = (char)(value >> 8 * i);
  }
}

void tree_config_write(struct machine_tree *t, unsigned devfn, size_t offset, const char *from, size_t n)
{
  for (size_t done = 0, size; done < n; done += size) {
    uint32_t value = 0;
    size = access_size(offset + done, n - done);
    for (size_t i = 0; i < size; i++)
      value |= (uint32_t)(unsigned char)from[done + i] << 8 * i;
    bus_config_write(&t->bus, devfn, (unsigned)(offset + done), (unsigned)size, value);
  }
}

void tree_init(struct machine_tree *t, const struct tree_shape *shape)
{
  t->shape = *shape;
  bus_init(&t->bus, shape->machine, shape->backend, guest_kind_named(shape->platform),
           &(struct guest_shape){.sockets = shape->sockets, .cores = shape->cores, .running = 1});
}
