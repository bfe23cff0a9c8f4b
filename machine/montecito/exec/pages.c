/* SPDX-License-Identifier: MIT */
#include "machine/montecito/exec/pages.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <pmon/status.h>

enum { FIRST_SIZE = 1024, SINGLES = 128, BLOCK_BYTES = 2 << 20, BLOCK_PAGES = BLOCK_BYTES / EXEC_PAGE_BYTES };

static size_t page_hash(uint64_t number, size_t size)
{
  return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);
}

int exec_memory_init(struct exec_memory *m, size_t most_pages)
{
  *m = (struct exec_memory){.size = FIRST_SIZE, .most = most_pages};
  m->table = calloc(m->size, sizeof *m->table);
  return m->table ? PMON_OK : PMON_E_MEMORY;
}

static bool page_has_attribute(const struct exec_page *p)
{
  return p->access >> EXEC_ATTRIBUTE_SHIFT;
}

/* Returns the bytes of a page in a block. A program with much memory gets it in blocks of adjacent pages, which the
 * host maps as huge pages if it has them; otherwise each page would take four page faults of the host. NULL: the host
 * has no memory for a block. */
static uint8_t *block_take(struct exec_memory *m)
{
  if (m->spare) {
    struct exec_spare *s = m->spare;
    m->spare = s->next;
    return memset(s, 0, EXEC_PAGE_BYTES);
  }
  if (!m->n_blocks || m->block_used == BLOCK_PAGES) {
    uint8_t **blocks = realloc(m->blocks, (m->n_blocks + 1) * sizeof *blocks);
    void *block =
        blocks ? mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    m->blocks = blocks ? blocks : m->blocks;
    if (block == MAP_FAILED)
      return NULL;
    madvise(block, BLOCK_BYTES, MADV_HUGEPAGE);
    m->blocks[m->n_blocks++] = block;
    m->block_used = 0;
  }
  return m->blocks[m->n_blocks - 1] + m->block_used++ * EXEC_PAGE_BYTES; /* fresh from the host: zeros */
}

/* Allocates the page's bytes, all 0. */
static bool page_fill(struct exec_memory *m, struct exec_page *p)
{
  p->in_block = m->n_single >= SINGLES && (p->bytes = block_take(m)) != NULL;
  if (!p->in_block && (p->bytes = calloc(1, EXEC_PAGE_BYTES)))
    m->n_single++;
  return p->bytes != NULL;
}

static void page_free(struct exec_memory *m, struct exec_page *p)
{
  if (p->in_block) {
    struct exec_spare *s = (struct exec_spare *)(void *)p->bytes;
    s->next = m->spare;
    m->spare = s;
  } else if (!p->alias && p->bytes) {
    free(p->bytes);
    m->n_single--;
  }
  free(p->code);
  free(p);
}

void exec_memory_fini(struct exec_memory *m)
{
  for (size_t i = 0; m->table && i < m->size; i++)
    if (m->table[i])
      page_free(m, m->table[i]);
  for (size_t i = 0; i < m->n_blocks; i++)
    munmap(m->blocks[i], BLOCK_BYTES);
  free(m->blocks);
  free(m->table);
  *m = (struct exec_memory){0};
}

/* Returns the place of a page in the table, or the empty place where it belongs. */
static size_t page_place(struct exec_page **table, size_t size, uint64_t number)
{
  size_t i = page_hash(number, size);
  while (table[i] && table[i]->number != number)
    i = (i + 1) & (size - 1);
  return i;
}

struct exec_page *exec_memory_find(struct exec_memory *m, uint64_t address)
{
  const uint64_t number = address >> EXEC_PAGE_SHIFT;
  struct exec_page *p = m->table[page_place(m->table, m->size, number)];
  if (p && !p->bytes && !page_fill(m, p))
    return NULL;
  if (p)
    m->way[number % EXEC_PAGE_WAYS] = p;
  return p;
}

static bool table_grow(struct exec_memory *m)
{
  const size_t size = m->size * 2;
  struct exec_page **table = calloc(size, sizeof *table);
  if (!table)
    return false;
  for (size_t i = 0; i < m->size; i++)
    if (m->table[i])
      table[page_place(table, size, m->table[i]->number)] = m->table[i];
  free(m->table);
  m->table = table;
  m->size = size;
  return true;
}

static struct exec_page *page_new(struct exec_memory *m, uint64_t number)
{
  struct exec_page *p;
  if (m->n >= m->most || (m->n * 2 >= m->size && !table_grow(m)))
    return NULL;
  p = calloc(1, sizeof *p);
  if (!p)
    return NULL;
  p->number = number;
  m->table[page_place(m->table, m->size, number)] = p;
  m->n++;
  return p;
}

static struct exec_page *page_at(const struct exec_memory *m, uint64_t number)
{
  return m->table[page_place(m->table, m->size, number)];
}

/* Removes the page at place i and closes the gap in its chain. The target of an alias then has one alias fewer. */
static void page_remove(struct exec_memory *m, size_t i)
{
  m->way[m->table[i]->number % EXEC_PAGE_WAYS] = NULL;
  m->n_attributes -= page_has_attribute(m->table[i]);
  if (m->table[i]->alias)
    page_at(m, m->table[i]->alias)->n_aliases--;
  page_free(m, m->table[i]);
  m->table[i] = NULL;
  m->n--;
  for (size_t k = (i + 1) & (m->size - 1); m->table[k]; k = (k + 1) & (m->size - 1)) {
    struct exec_page *p = m->table[k];
    m->table[k] = NULL;
    m->table[page_place(m->table, m->size, p->number)] = p;
  }
}

int exec_memory_map(struct exec_memory *m, uint64_t address, uint64_t bytes, unsigned access)
{
  const uint64_t first = address >> EXEC_PAGE_SHIFT;
  uint64_t last = (address + bytes - 1) >> EXEC_PAGE_SHIFT;
  if (!bytes)
    return PMON_OK;
  if (address + bytes - 1 < address)
    return PMON_E_RANGE;
  if (last - first >= m->most)
    return PMON_E_MEMORY;
  for (uint64_t n = first; n <= last; n++) {
    struct exec_page *p = page_at(m, n);
    if (p && p->alias) { /* it gets bytes of its own */
      page_remove(m, page_place(m->table, m->size, n));
      p = NULL;
    }
    if (!p && !(p = page_new(m, n)))
      return PMON_E_MEMORY;
    m->n_attributes -= page_has_attribute(p);
    p->access = (uint8_t)access;
  }
  return PMON_OK;
}

void exec_memory_unmap(struct exec_memory *m, uint64_t address, uint64_t bytes)
{
  const uint64_t first = address >> EXEC_PAGE_SHIFT, last = (address + bytes - 1) >> EXEC_PAGE_SHIFT;
  if (!bytes || address + bytes - 1 < address || last - first >= m->most)
    return;
  for (uint64_t n = first; n <= last; n++) {
    const size_t i = page_place(m->table, m->size, n);
    if (m->table[i])
      page_remove(m, i);
  }
}

void exec_memory_unalias(struct exec_memory *m, uint64_t address, uint64_t bytes)
{
  for (uint64_t n = address >> EXEC_PAGE_SHIFT, end = n + (bytes >> EXEC_PAGE_SHIFT); n < end; n++) {
    const struct exec_page *p = page_at(m, n);
    if (!p || !p->alias)
      continue;
    page_remove(m, page_place(m->table, m->size, n));
  }
}

int exec_memory_alias(struct exec_memory *m, uint64_t address, uint64_t target, uint64_t bytes, unsigned access)
{
  const uint64_t first = address >> EXEC_PAGE_SHIFT, from = target >> EXEC_PAGE_SHIFT, n = bytes >> EXEC_PAGE_SHIFT;
  bool any = false;
  for (uint64_t i = 0; i < n; i++) {
    const struct exec_page *p = page_at(m, first + i), *t = page_at(m, from + i);
    if (p || (t && (t->alias || !exec_memory_find(m, (from + i) << EXEC_PAGE_SHIFT))))
      return PMON_E_RANGE;
    any |= t != NULL;
  }
  if (!any || first == from || !from)
    return PMON_E_RANGE;
  for (uint64_t i = 0; i < n; i++) {
    struct exec_page *t = page_at(m, from + i);
    if (!t)
      continue;
    struct exec_page *p = page_new(m, first + i);
    if (!p) {
      exec_memory_unalias(m, address, bytes);
      return PMON_E_MEMORY;
    }
    p->bytes = t->bytes;
    p->access = (uint8_t)access;
    p->alias = from + i;
    m->n_attributes += page_has_attribute(p);
    t->n_aliases++;
  }
  return PMON_OK;
}

unsigned exec_memory_attribute(struct exec_memory *m, uint64_t address)
{
  const struct exec_page *p = exec_memory_page(m, address);
  return p ? (unsigned)p->access >> EXEC_ATTRIBUTE_SHIFT << EXEC_ATTRIBUTE_SHIFT : 0;
}

bool exec_memory_physical(struct exec_memory *m, uint64_t address, uint64_t *ret_target)
{
  const struct exec_page *p = page_at(m, address >> EXEC_PAGE_SHIFT);
  if (p)
    *ret_target = (p->alias ? p->alias << EXEC_PAGE_SHIFT : address & ~(uint64_t)(EXEC_PAGE_BYTES - 1)) |
                  (address & (EXEC_PAGE_BYTES - 1));
  return p != NULL;
}

bool exec_memory_has_aliases(struct exec_memory *m, uint64_t address, uint64_t bytes)
{
  const uint64_t first = address >> EXEC_PAGE_SHIFT, last = (address + bytes - 1) >> EXEC_PAGE_SHIFT;
  if (!bytes || address + bytes - 1 < address || last - first >= m->most)
    return false;
  for (uint64_t n = first; n <= last; n++) {
    const struct exec_page *p = page_at(m, n);
    if (p && p->n_aliases)
      return true;
  }
  return false;
}

static bool memory_copy(struct exec_memory *m, uint64_t address, uint8_t *host, size_t bytes, unsigned access)
{
  while (bytes) {
    const size_t offset = address % EXEC_PAGE_BYTES;
    const size_t n = bytes < EXEC_PAGE_BYTES - offset ? bytes : EXEC_PAGE_BYTES - offset;
    struct exec_page *p = exec_memory_page(m, address);
    if (!p || !(p->access & access))
      return false;
    if (access == EXEC_READ)
      memcpy(host, p->bytes + offset, n);
    else
      memcpy(p->bytes + offset, host, n);
    address += n;
    host += n;
    bytes -= n;
  }
  return true;
}

bool exec_memory_read(struct exec_memory *m, uint64_t address, void *to, size_t bytes)
{
  return memory_copy(m, address, to, bytes, EXEC_READ);
}

bool exec_memory_write(struct exec_memory *m, uint64_t address, const void *from, size_t bytes)
{
  return memory_copy(m, address, (uint8_t *)(uintptr_t)from, bytes, EXEC_WRITE);
}
