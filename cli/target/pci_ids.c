/* SPDX-License-Identifier: MIT */
/*
 * The format of pci.ids: "VVVV  vendor", below it "<tab>DDDD  device"; "C CC  class", below it "<tab>SS  subclass".
 */
#include "cli/target/pci_ids.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A list has about 1.5 MB. */
enum { LIST_MAX = 16 << 20 };

struct pci_ids {
  char *text;
};

/* A name within the list. */
struct piece {
  const char *s;
  int n;
};

static char *read_list(const char *path)
{
  FILE *f = fopen(path, "re");
  char *text = f ? malloc(LIST_MAX) : NULL;
  const size_t n = text ? fread(text, 1, LIST_MAX - 1, f) : 0;
  if (f)
    fclose(f);
  if (text)
    text[n] = 0;
  if (n)
    return text;
  free(text);
  return NULL;
}

struct pci_ids *pci_ids_open(const char *sys)
{
  static const char *const folders[] = {"usr/share/misc", "usr/share/hwdata", "usr/share"};
  const size_t root = strlen(sys) - strlen("/sys");
  struct pci_ids *ids = calloc(1, sizeof *ids);
  for (unsigned i = 0; ids && !ids->text && i < sizeof folders / sizeof *folders; i++) {
    char path[600];
    snprintf(path, sizeof path, "%.*s/%s/pci.ids", (int)root, sys, folders[i]);
    ids->text = read_list(path);
  }
  if (ids && ids->text)
    return ids;
  free(ids);
  return NULL;
}

void pci_ids_free(struct pci_ids *ids)
{
  if (ids)
    free(ids->text);
  free(ids);
}

/* Returns the name after a line's beginning `begin`, in the lines from `at` on; `below`: only the lines below a
 * heading. */
static struct piece find_line(const char *at, const char *begin, int below)
{
  const size_t n = strlen(begin);
  for (; at && *at; at = strchr(at, '\n'), at = at ? at + 1 : NULL) {
    if (!strncmp(at, begin, n))
      return (struct piece){at + n, (int)strcspn(at + n, "\n")};
    if (below && *at != '\t' && *at != '#' && *at != '\n')
      break;
  }
  return (struct piece){NULL, 0};
}

/* Returns the name of `below` under the heading `head`; *ret_head: the heading's own name. */
static struct piece find_pair(const char *text, const char *head, const char *below, struct piece *ret_head)
{
  *ret_head = find_line(text, head, 0);
  const char *next = ret_head->s ? strchr(ret_head->s, '\n') : NULL;
  return next ? find_line(next + 1, below, 1) : (struct piece){NULL, 0};
}

void pci_ids_name(const struct pci_ids *ids, const struct pci_function *f, char name[PCI_NAME])
{
  char lines[4][16];
  struct piece vendor = {NULL, 0}, device = {NULL, 0}, base = {NULL, 0}, class_name = {NULL, 0};
  snprintf(lines[0], sizeof *lines, "%04x  ", f->vendor & 0xffff);
  snprintf(lines[1], sizeof *lines, "\t%04x  ", f->device & 0xffff);
  snprintf(lines[2], sizeof *lines, "C %02x  ", f->class_code >> 16 & 0xff);
  snprintf(lines[3], sizeof *lines, "\t%02x  ", f->class_code >> 8 & 0xff);
  if (ids) {
    device = find_pair(ids->text, lines[0], lines[1], &vendor);
    class_name = find_pair(ids->text, lines[2], lines[3], &base);
  }
  if (!class_name.s)
    class_name = base;
  int n = class_name.s ? snprintf(name, PCI_NAME, "%.*s: ", class_name.n, class_name.s)
                       : snprintf(name, PCI_NAME, "class %04x: ", f->class_code >> 8 & 0xffff);
  if (n < 0 || n >= PCI_NAME)
    return;
  if (device.s)
    snprintf(name + n, (size_t)(PCI_NAME - n), "%.*s %.*s", vendor.n, vendor.s, device.n, device.s);
  else
    snprintf(name + n, (size_t)(PCI_NAME - n), "%.*s%s%04x:%04x", vendor.n, vendor.s ? vendor.s : "",
             vendor.s ? " " : "", f->vendor, f->device);
}
