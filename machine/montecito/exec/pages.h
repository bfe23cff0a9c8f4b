/* SPDX-License-Identifier: MIT */
/* The memory of a program: pages of a 64-bit address space, with the decoded bundles of executed pages. */
#ifndef MACHINE_MONTECITO_EXEC_PAGES_H
#define MACHINE_MONTECITO_EXEC_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EXEC_PAGE_SHIFT = 14, EXEC_PAGE_BYTES = 1 << EXEC_PAGE_SHIFT, EXEC_PAGE_WAYS = 256 };
enum exec_access { EXEC_READ = 1, EXEC_WRITE = 2, EXEC_EXECUTE = 4 };
/* Bits above the access, for a page that a translation maps: its memory attribute (PTE.ma; 0: cacheable), and whether
 * its physical address belongs to the ports or to the device. */
enum { EXEC_ATTRIBUTE_SHIFT = 3, EXEC_ATTRIBUTE = 7 << EXEC_ATTRIBUTE_SHIFT, EXEC_PORTS = 64, EXEC_DEVICE = 128 };

struct exec_code; /* code.h: the page's bundles, decoded */

struct exec_page {
  uint64_t number;        /* address >> EXEC_PAGE_SHIFT */
  uint8_t *bytes;         /* NULL: the page was not accessed yet */
  struct exec_code *code; /* NULL: no bundle of it was executed yet */
  uint8_t access;         /* enum exec_access, and the attribute */
  uint64_t alias;         /* number of the page whose bytes this page shows; 0: it has its own */
  uint32_t n_aliases;     /* number of pages that show this page's bytes */
  bool in_block;          /* its bytes are part of a block of many pages */
};

/* A free page of a block. */
struct exec_spare {
  struct exec_spare *next;
};

struct exec_memory {
  struct exec_page **table;              /* open addressing */
  size_t size, n, most;                  /* most: limit of the number of pages */
  size_t n_attributes;                   /* pages whose attribute is not 0 */
  struct exec_page *way[EXEC_PAGE_WAYS]; /* pages found last */
  size_t n_single;                       /* pages with separately allocated bytes */
  uint8_t **blocks;                      /* blocks of bytes for later pages */
  size_t n_blocks, block_used;           /* block_used: pages used of the last block */
  struct exec_spare *spare;
};

/* PMON_E_MEMORY. */
int exec_memory_init(struct exec_memory *m, size_t most_pages);
void exec_memory_fini(struct exec_memory *m);

/* Returns the page of an address, with its bytes allocated; NULL: it is not mapped, or the host has no memory. */
struct exec_page *exec_memory_find(struct exec_memory *m, uint64_t address);

/* Maps the pages of a range, filled with zeros, or changes the access of pages already mapped; an alias is replaced by
 * a page of its own. PMON_E_MEMORY: the limit is reached, or the host has no memory; PMON_E_RANGE: the range wraps. */
int exec_memory_map(struct exec_memory *m, uint64_t address, uint64_t bytes, unsigned access);
void exec_memory_unmap(struct exec_memory *m, uint64_t address, uint64_t bytes);

/* Maps the pages of a range as aliases, which show the bytes of other pages. PMON_E_RANGE: a page of the range is
 * already mapped, or there are no such target pages; PMON_E_MEMORY. */
int exec_memory_alias(struct exec_memory *m, uint64_t address, uint64_t target, uint64_t bytes, unsigned access);
void exec_memory_unalias(struct exec_memory *m, uint64_t address, uint64_t bytes);
/* Returns the attribute of an address's page, with EXEC_PORTS and EXEC_DEVICE. 0: cacheable, or not mapped. */
unsigned exec_memory_attribute(struct exec_memory *m, uint64_t address);
/* Finds the address whose bytes an address shows. False: it is not mapped. */
bool exec_memory_physical(struct exec_memory *m, uint64_t address, uint64_t *ret_target);
/* True if pages of the range have aliases. */
bool exec_memory_has_aliases(struct exec_memory *m, uint64_t address, uint64_t bytes);

/* Copy between the program's memory and the host's, across pages. False: some page is not mapped with that access. */
bool exec_memory_read(struct exec_memory *m, uint64_t address, void *to, size_t bytes);
bool exec_memory_write(struct exec_memory *m, uint64_t address, const void *from, size_t bytes);

static inline struct exec_page *exec_memory_page(struct exec_memory *m, uint64_t address)
{
  const uint64_t number = address >> EXEC_PAGE_SHIFT;
  struct exec_page *p = m->way[number % EXEC_PAGE_WAYS];
  return p && p->number == number ? p : exec_memory_find(m, address);
}

/* Returns a pointer to bytes of one page. NULL: not mapped with that access, or the bytes reach into the next page. */
static inline uint8_t *exec_memory_at(struct exec_memory *m, uint64_t address, unsigned bytes, unsigned access)
{
  const uint64_t offset = address % EXEC_PAGE_BYTES;
  struct exec_page *p = exec_memory_page(m, address);
  return p && (p->access & access) && offset + bytes <= EXEC_PAGE_BYTES ? p->bytes + offset : NULL;
}

#endif
