/* SPDX-License-Identifier: MIT */
#include "vm/callers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pmon/status.h>
#include "vm/loaded.h"
#include "vm/orc.h"

/* Software has few paths to its registers, compared to the number of its accesses. Beyond the limit an access has no
 * chain. */
enum { CHAINS_MOST = 4096, SLOTS = 2 * CHAINS_MOST, DIGITS = 16, PAGE_DIGITS = 13, MODULES_MOST = 4 };

/* Addresses at which Linux loads modules on x86-64, with and without CONFIG_RANDOMIZE_BASE. */
static const uint64_t MODULES_FROM = 0xffffffffa0000000, MODULES_TO = 0xffffffffff000000;

struct chain {
  struct chain_key {
    uint64_t code[CALLERS_FRAMES]; /* up to the first function that is not the kernel's */
    uint64_t n, modules;           /* modules: a hash of the module addresses on the rest of the stack */
  } key;
  struct orc_state end; /* the state at the last code address; the stack is owned */
};

struct callers {
  struct symbols symbols;
  struct orc orc[1 + MODULES_MOST]; /* the kernel's, its modules' */
  struct loaded module[MODULES_MOST];
  size_t n_modules;
  bool placed; /* a section was placed since the modules were resolved */
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
  for (size_t i = 0; i < c->n_modules; i++)
    loaded_free(&c->module[i]);
  for (size_t i = 0; i < c->n; i++)
    free((void *)(uintptr_t)c->chain[i].end.stack);
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
  orc_init(&c->orc[0], image);
  return c->symbols.table && elf_section(image, "__ex_table", &table) && table.address != c->symbols.table
             ? PMON_E_INVALID
             : PMON_OK;
}

void callers_add_module(struct callers *c, struct file *module)
{
  if (c->n_modules == MODULES_MOST)
    file_free(module);
  else if (loaded_init(&c->module[c->n_modules], module))
    c->n_modules++;
}

void callers_place(struct callers *c, const char *line)
{
  char module[LOADED_NAME], section[64];
  uint64_t address;
  if (sscanf(line, "/sys/module/%55[^/]/sections/%63s 0x%16" SCNx64, module, section, &address) != 3)
    return;
  for (size_t i = 0; i < c->n_modules; i++)
    if (!strcmp(c->module[i].name, module)) {
      loaded_place(&c->module[i], section, address);
      c->placed = true;
    }
}

/* Resolves the modules' functions and frames with the lines that the guest has sent. */
static void callers_resolve(struct callers *c)
{
  if (!c->placed)
    return;
  c->placed = false;
  for (size_t i = 0; i < c->n_modules; i++) {
    loaded_resolve(&c->module[i], &c->symbols);
    c->orc[1 + i] = c->module[i].orc;
  }
}

/* Keeps the stack of a chain that continues in a module; it is read when the module's tables are known. Out of memory:
 * the chain ends there. */
static void chain_keep(struct chain *chain)
{
  const uint64_t code = chain->end.rip;
  uint64_t *stack = NULL;
  if (code >= MODULES_FROM && code < MODULES_TO && chain->end.words)
    stack = malloc(chain->end.words * sizeof *stack);
  if (stack)
    memcpy(stack, chain->end.stack, chain->end.words * sizeof *stack);
  chain->end.words = stack ? chain->end.words : 0;
  chain->end.stack = stack;
}

/* Returns the chain's index + 1; 0: there are too many. */
static uint16_t callers_find_or_add(struct callers *c, const struct chain *chain)
{
  const struct chain_key *key = &chain->key;
  uint64_t hash = key->n ^ key->modules;
  for (size_t i = 0; i < key->n; i++)
    hash = (hash ^ key->code[i]) * UINT64_C(0x9e3779b97f4a7c15);
  for (size_t at = hash >> 32 & (SLOTS - 1);; at = (at + 1) & (SLOTS - 1)) {
    if (c->slot[at] && memcmp(&c->chain[c->slot[at] - 1].key, key, sizeof *key) != 0)
      continue;
    if (!c->slot[at] && c->n < CHAINS_MOST) {
      c->chain[c->n] = *chain;
      chain_keep(&c->chain[c->n]);
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
  const struct orc_all kernel = {c->orc, 1};
  struct chain chain = {.key = {.n = 0}};
  if (!access || !at->rip || !callers_reserve(c, access))
    return;
  chain.key.n = orc_walk(&kernel, &now, chain.key.code, CALLERS_FRAMES, &chain.end);
  for (size_t i = 0; i < chain.end.words; i++)
    if (chain.end.stack[i] >= MODULES_FROM && chain.end.stack[i] < MODULES_TO)
      chain.key.modules = (chain.key.modules ^ chain.end.stack[i]) * UINT64_C(0x9e3779b97f4a7c15);
  c->of[access - 1] = callers_find_or_add(c, &chain);
  c->accesses = access;
}

/* Returns all code addresses of a chain, also those after the first function of a module. */
static size_t callers_walk(const struct callers *c, const struct chain *chain, uint64_t *ret_code)
{
  const struct orc_all all = {c->orc, 1 + c->n_modules};
  const size_t n = chain->key.n;
  memcpy(ret_code, chain->key.code, sizeof chain->key.code);
  if (!chain->end.words)
    return n;
  return n - 1 + orc_walk(&all, &chain->end, ret_code + n - 1, CALLERS_FRAMES - n + 1, NULL);
}

void callers_end(struct callers *c)
{
  callers_resolve(c);
  for (size_t i = 0; i < c->n; i++) {
    struct chain *chain = &c->chain[i];
    uint64_t code[CALLERS_FRAMES] = {0};
    chain->key.n = callers_walk(c, chain, code);
    memcpy(chain->key.code, code, sizeof code);
    free((void *)(uintptr_t)chain->end.stack);
    chain->end = (struct orc_state){.words = 0};
  }
  c->orc[0] = (struct orc){.n = 0};
}

void callers_wanted(struct callers *c, char *text, size_t size)
{
  uint64_t code[CALLERS_FRAMES];
  size_t n = 0;
  *text = 0;
  callers_resolve(c);
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = 0, frames = callers_walk(c, &c->chain[i], code); k < frames; k++) {
      char page[DIGITS + 1];
      if (symbols_find(&c->symbols, code[k]))
        continue;
      /* The function may begin on the page before. */
      for (unsigned before = 0; before < 2; before++) {
        snprintf(page, sizeof page, "%0*" PRIx64, DIGITS, code[k] - (before ? UINT64_C(0x1000) : 0));
        page[PAGE_DIGITS] = 0;
        if (!strstr(text, page) && n + PAGE_DIGITS + 2 < size)
          n += (size_t)sprintf(text + n, "%s%s", n ? "|" : "", page);
      }
    }
}

/* Prefixes of the kernel's functions on the path from a driver to an MSR or to configuration space. */
static bool is_kernel_path(const char *name)
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
  callers_resolve(c);
  ret->n = ret->driver = callers_walk(c, &c->chain[at - 1], ret->code);
  for (size_t i = 0; i < ret->n; i++)
    ret->function[i] = symbols_find(&c->symbols, ret->code[i]);
  for (size_t i = 0; i < ret->n && ret->driver == ret->n; i++)
    if (ret->function[i] && *ret->function[i]->module)
      ret->driver = i;
  for (size_t i = 0; i < ret->n && ret->driver == ret->n; i++)
    if (ret->function[i] && !is_kernel_path(ret->function[i]->name))
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
