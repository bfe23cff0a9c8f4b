/* SPDX-License-Identifier: MIT */
#include "vm/callers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "vm/orc.h"

/* Software has few ways to its registers, compared to the number of its accesses. Beyond the limit an access has none.
 */
enum { CHAINS_MOST = 4096, SLOTS = 2 * CHAINS_MOST, DIGITS = 16, PAGE_DIGITS = 13 };

struct chain {
  uint64_t code[CALLERS_FRAMES];
  uint64_t n;
};

struct callers {
  struct symbols symbols;
  struct orc orc;
  struct chain chain[CHAINS_MOST];
  size_t n;
  uint16_t slot[SLOTS]; /* index + 1 of a chain, by its hash; 0: free */
  uint16_t *of;         /* for each access: index + 1 of its chain; 0: not known */
  uint64_t accesses, room;
};

int callers_new(struct callers **ret_callers)
{
  *ret_callers = calloc(1, sizeof **ret_callers);
  return *ret_callers ? PMON_OK : PMON_E_MEMORY;
}

void callers_free(struct callers *c)
{
  if (!c)
    return;
  symbols_free(&c->symbols);
  free(c->of);
  free(c);
}

struct symbols *callers_symbols(struct callers *c)
{
  return &c->symbols;
}

int callers_set_kernel(struct callers *c, const struct elf *image)
{
  struct elf_segment table;
  orc_init(&c->orc, image);
  return c->symbols.table && elf_section(image, "__ex_table", &table) && table.address != c->symbols.table
             ? PMON_E_INVALID
             : PMON_OK;
}

/* Index + 1; 0: there are too many. */
static uint16_t callers_find_or_add(struct callers *c, const struct chain *chain)
{
  uint64_t hash = chain->n;
  for (size_t i = 0; i < chain->n; i++)
    hash = (hash ^ chain->code[i]) * UINT64_C(0x9e3779b97f4a7c15);
  for (size_t at = hash >> 32 & (SLOTS - 1);; at = (at + 1) & (SLOTS - 1)) {
    if (c->slot[at] && memcmp(&c->chain[c->slot[at] - 1], chain, sizeof *chain) != 0)
      continue;
    if (!c->slot[at] && c->n < CHAINS_MOST) {
      c->chain[c->n] = *chain;
      c->slot[at] = (uint16_t)++c->n;
    }
    return c->slot[at];
  }
}

static bool callers_reserve(struct callers *c, uint64_t access)
{
  if (access <= c->room)
    return true;
  const uint64_t room = access > 2 * c->room ? access + 1024 : 2 * c->room;
  uint16_t *larger = realloc(c->of, room * sizeof *larger);
  if (!larger)
    return false;
  memset(larger + c->room, 0, (room - c->room) * sizeof *larger);
  c->of = larger;
  c->room = room;
  return true;
}

void callers_note(struct callers *c, uint64_t access, const struct shared_memory *at)
{
  const struct orc_state now = {at->rip, at->rsp, at->rbp, at->stack,
                                at->words < SHARED_WORDS ? at->words : SHARED_WORDS};
  struct chain chain = {.n = 0};
  if (!access || !at->rip || !callers_reserve(c, access))
    return;
  chain.n = orc_walk(&c->orc, &now, chain.code, CALLERS_FRAMES);
  c->of[access - 1] = callers_find_or_add(c, &chain);
  c->accesses = access;
}

void callers_wanted(struct callers *c, char *text, size_t size)
{
  size_t n = 0;
  *text = 0;
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = 0; k < c->chain[i].n; k++) {
      char page[DIGITS + 1];
      if (symbols_find(&c->symbols, c->chain[i].code[k]))
        continue;
      /* The function may begin on the page before. */
      for (unsigned before = 0; before < 2; before++) {
        snprintf(page, sizeof page, "%0*" PRIx64, DIGITS, c->chain[i].code[k] - (before ? UINT64_C(0x1000) : 0));
        page[PAGE_DIGITS] = 0;
        if (!strstr(text, page) && n + PAGE_DIGITS + 2 < size)
          n += (size_t)sprintf(text + n, "%s%s", n ? "|" : "", page);
      }
    }
}

/* The kernel's functions on the way from a driver to an MSR or to configuration space. Names begin so. */
static bool is_way(const char *name)
{
  static const char *const ways[] = {"native_read_msr",
                                     "native_write_msr",
                                     "pv_native_",
                                     "xen_read_msr",
                                     "xen_write_msr",
                                     "do_trace_",
                                     "pci_conf1_",
                                     "pci_mmcfg_",
                                     "raw_pci_",
                                     "pci_read",
                                     "pci_write",
                                     "pci_bus_read_",
                                     "pci_bus_write_",
                                     "pci_user_read_",
                                     "pci_user_write_",
                                     "__rdmsr_",
                                     "__wrmsr_",
                                     "rdmsr_",
                                     "rdmsrl_",
                                     "wrmsr_",
                                     "wrmsrl_",
                                     "generic_exec_single",
                                     "smp_call_function_single",
                                     "ioread",
                                     "iowrite",
                                     "memcpy",
                                     "__x86_"};
  if (!strcmp(name, "pci_read_config") || !strcmp(name, "pci_write_config")) /* the files of sysfs */
    return false;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (!strncmp(name, ways[i], strlen(ways[i])))
      return true;
  return false;
}

void callers_get(struct callers *c, uint64_t access, struct callers_chain *ret)
{
  const uint16_t at = access && access <= c->accesses ? c->of[access - 1] : 0;
  *ret = (struct callers_chain){.n = 0};
  if (!at)
    return;
  const struct chain *chain = &c->chain[at - 1];
  ret->n = ret->driver = chain->n;
  for (size_t i = 0; i < chain->n; i++) {
    ret->code[i] = chain->code[i];
    ret->function[i] = symbols_find(&c->symbols, chain->code[i]);
  }
  for (size_t i = 0; i < ret->n && ret->driver == ret->n; i++)
    if (ret->function[i] && *ret->function[i]->module)
      ret->driver = i;
  for (size_t i = 0; i < ret->n && ret->driver == ret->n; i++)
    if (ret->function[i] && !is_way(ret->function[i]->name))
      ret->driver = i;
}

void callers_format(const struct callers_chain *chain, size_t i, char *text, size_t size)
{
  const struct symbol *f = chain->function[i];
  if (!f)
    snprintf(text, size, "0x%" PRIx64, chain->code[i]);
  else
    snprintf(text, size, "%s%s%s%s", f->name, *f->module ? " [" : "", f->module, *f->module ? "]" : "");
}
