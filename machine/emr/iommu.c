/* SPDX-License-Identifier: MIT */
/*
 * A stack's address translation for devices (guide 2.4, IOMMU0 to IOMMU3), when enabled: caches of translated pages
 * (IOTLB), of device contexts, and of the upper page-table levels. A level that misses in all of them is read from
 * memory. After a device has used a buffer completely, the buffer is unmapped and its page invalidated. The sizes are
 * choices; the guide gives none.
 */
#include <stdlib.h>
#include "machine/emr/coherence.h"
#include "machine/emr/devices.h"

enum { IOTLB = 64, WALKS = 4 };
enum { IOMMU_REQ = 0x01, IOMMU_HIT = 0x02 };
enum { FIRST_LOOKUPS = 0x01, ALL_LOOKUPS = 0x02, MISSES = 0x20, CONTEXT_LOOKUPS = 0x40, CONTEXT_HITS = 0x80 };
enum {
  WALK_LOOKUPS = 0x01,
  WALK_FILLS = 0x20,
  READS_LOW = 0x40,
  WALKS_FULL = 0x02,
  WALKS_MSB = 0x01,
  INVALIDATED = 0x04,
  INTERRUPT_LOOKUPS = 0x40,
  INTERRUPT_HITS = 0x80
};
#define DEVICE_TABLES (TABLE_PAGES + (UINT64_C(1) << 32)) /* page tables' own pages */

struct iommu {
  uint64_t tlb[IOTLB];             /* page + 1 */
  uint64_t level[WALK_LEVELS + 1]; /* per level: the most recently used entry, + 1 */
  uint8_t contexts;                /* ports whose context is cached */
  uint8_t interrupts;
  fs_t walk[WALKS], full;
};

static void iommu_pulse(const struct iio *iio, unsigned code, unsigned umask, fs_t at)
{
  block_pulse(iio->block, (uint8_t)code, EMR_UMASK(umask), 0, at, 1);
}

/* IOMMU 0 for ports 0 to 3, 1 for the others. */
static uint64_t dma_iommu_umask(const struct dma *d)
{
  return IIO_PART(8 + (d->stream.port >> 2));
}

/* An access to one entry of a table in memory, as a device would make it. kind: bits of IIO's events; n: dwords. */
struct table_access {
  enum tor_op op;
  uint64_t kind;
  uint32_t n;
};
static const struct table_access reads = {OP_PCIRDCUR, IIO_MEM_READ | IIO_FC_NONPOSTED, 2},
                                 sets = {OP_IO_RFO, IIO_ATOMIC | IIO_FC_NONPOSTED, 2},
                                 writes = {OP_ITOMCACHENEAR, IIO_MEM_WRITE | IIO_FC_POSTED, 1};

static fs_t table_access(struct traffic *t, const struct dma *d, const struct table_access *how, uint64_t entry,
                         fs_t at)
{
  struct iio *iio = &emr_socket(t->socket[d->stream.socket])->iio[d->stream.stack];
  uint64_t byte = entry * 8;
  struct page *page = address_page(&t->map, DEVICE_TABLES + (byte >> 12), d->stream.socket, -1);
  if (!page)
    return at;
  struct request r = {.line = page->frame << PAGE_LINES_SHIFT | (byte >> 6 & 63),
                      .page = page,
                      .socket = d->stream.socket,
                      .tile = iio->stack.tile,
                      .core = MAX_CORES,
                      .tid = EMR_TID_STACK,
                      .at = at,
                      .op = how->op};
  struct answer a;
  request_place(t, &r);
  t->uncore->request(t, &r, &a);
  block_pulse(iio->block, IIO_DATA_REQ_OF_CPU, how->kind | dma_iommu_umask(d), 0, at, how->n);
  block_pulse(iio->block, IIO_TXN_REQ_OF_CPU, how->kind | dma_iommu_umask(d), 0, at, 1);
  if (how == &reads)
    iommu_pulse(iio, IIO_IOMMU1, READS_LOW, at);
  return a.done;
}

static fs_t table_read(struct traffic *t, const struct dma *d, uint64_t entry, fs_t at)
{
  return table_access(t, d, &reads, entry, at);
}

/* Looks the upper levels up in the cache and reads the rest from memory. Level n covers 9 n bits of page numbers;
 * `leaf` is the level of the page's own entry: 1 for 4 KB, 2 for 2 MB, 3 for 1 GB. */
static fs_t iommu_walk_pages(struct traffic *t, const struct dma *d, struct iommu *m, uint64_t page, fs_t at)
{
  static const uint8_t hits[] = {0, 0x02, 0x04, 0x08, 0x10}; /* 2M, 1G, 512G, 256T: range of an entry */
  struct iio *iio = &emr_socket(t->socket[d->stream.socket])->iio[d->stream.stack];
  const unsigned leaf = (unsigned)t->config.value[CONFIG_IOMMU];
  unsigned known = leaf;
  fs_t begin = at;
  iommu_pulse(iio, IIO_IOMMU1, WALK_LOOKUPS, at);
  while (known <= WALK_LEVELS && m->level[known] != (page >> LEVEL_BITS * known) + 1)
    known++;
  if (known <= WALK_LEVELS)
    iommu_pulse(iio, IIO_IOMMU1, hits[known], at);
  const unsigned entry = few_take(m->walk, WALKS, &begin);
  fs_t done = begin;
  for (unsigned level = known; level >= leaf; level--)
    done = table_read(t, d, (uint64_t)level << 27 | (page >> LEVEL_BITS * (level - 1) & 0x7ffffff), done);
  /* Sets the accessed bit in the page's entry. */
  table_access(t, d, &sets, (uint64_t)leaf << 27 | (page >> LEVEL_BITS * (leaf - 1) & 0x7ffffff), done);
  for (unsigned level = leaf; level <= WALK_LEVELS; level++)
    m->level[level] = (page >> LEVEL_BITS * level) + 1;
  if (known > leaf)
    iommu_pulse(iio, IIO_IOMMU1, WALK_FILLS, done);
  m->walk[entry] = done;
  unsigned under_way = 0;
  fs_t first = done;
  for (unsigned i = 0; i < WALKS; i++) {
    under_way += m->walk[i] > begin;
    first = m->walk[i] < first ? m->walk[i] : first;
  }
  block_span(iio->block, IIO_PWT_OCCUPANCY, EMR_UMASK(0xff), 0, begin, done, 1);
  if (under_way >= WALKS / 2)
    iommu_pulse(iio, IIO_IOMMU3, WALKS_MSB, begin);
  if (under_way == WALKS && first > begin)
    block_span(iio->block, IIO_IOMMU3, EMR_UMASK(WALKS_FULL), 0, begin, first, 1);
  return done;
}

/* A pass through the stack's arbiter, of a translation request or of its result. */
static void arbiter_report_pass(const struct iio *iio, unsigned pass, uint64_t part, fs_t at)
{
  block_pulse(iio->block, IIO_INBOUND_ARB_REQ, EMR_UMASK(pass) | part | IIO_FC_POSTED, 0, at, 1);
  block_pulse(iio->block, IIO_INBOUND_ARB_WON, EMR_UMASK(pass) | part | IIO_FC_POSTED, 0, at, 1);
}

static struct iommu *iommu_of(const struct traffic *t, struct iio *iio)
{
  if (!iio->iommu && t->config.value[CONFIG_IOMMU])
    iio->iommu = calloc(1, sizeof *iio->iommu); /* NULL: translation is off */
  return iio->iommu;
}

fs_t iommu_translate(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at)
{
  static const uint8_t hits[] = {0, 0x04, 0x08, 0x10};
  struct iio *iio = &emr_socket(t->socket[d->stream.socket])->iio[d->stream.stack];
  struct iommu *m = iommu_of(t, iio);
  const unsigned leaf = (unsigned)t->config.value[CONFIG_IOMMU], port = d->stream.port;
  if (!m)
    return at;
  const uint64_t page = byte >> 12, tag = page >> LEVEL_BITS * (leaf - 1);
  uint64_t *slot = &m->tlb[address_mix(tag) % IOTLB];
  iommu_pulse(iio, IIO_IOMMU0, FIRST_LOOKUPS | ALL_LOOKUPS, at);
  arbiter_report_pass(iio, IOMMU_REQ, IIO_PART(port), at);
  block_pulse(iio->block, IIO_REQ_FROM_PCIE_CMPL, EMR_UMASK(0x01) | IIO_PART(port), 0, at, 1);
  if (*slot == tag + 1) {
    iommu_pulse(iio, IIO_IOMMU0, hits[leaf], at);
    arbiter_report_pass(iio, IOMMU_HIT, IIO_PART(port), at);
  } else {
    iommu_pulse(iio, IIO_IOMMU0, CONTEXT_LOOKUPS, at);
    if (m->contexts >> port & 1)
      iommu_pulse(iio, IIO_IOMMU0, CONTEXT_HITS, at);
    else
      at = table_read(t, d, UINT64_C(6) << 27 | port, at);
    m->contexts |= (uint8_t)(1u << port);
    at = iommu_walk_pages(t, d, m, page, at);
    *slot = tag + 1;
    iommu_pulse(iio, IIO_IOMMU0, MISSES, at);
    iommu_pulse(iio, IIO_IOMMU0, ALL_LOOKUPS, at);
  }
  block_pulse(iio->block, IIO_REQ_FROM_PCIE_CMPL, EMR_UMASK(0x02) | IIO_PART(port), 0, at, 1);
  return at;
}

void iommu_unmap(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at)
{
  struct iio *iio = &emr_socket(t->socket[d->stream.socket])->iio[d->stream.stack];
  struct iommu *m = iio->iommu;
  if (!m)
    return;
  m->tlb[address_mix(byte >> 12 >> LEVEL_BITS * (t->config.value[CONFIG_IOMMU] - 1)) % IOTLB] = 0;
  iommu_pulse(iio, IIO_IOMMU3, INVALIDATED, at);
  /* The driver requests the invalidation by a register of the IOMMU; the IOMMU writes the completion to memory. */
  block_pulse(iio->block, IIO_DATA_REQ_BY_CPU, IIO_MEM_WRITE | IIO_FC_POSTED | dma_iommu_umask(d), 0, at, 1);
  block_pulse(iio->block, IIO_TXN_REQ_BY_CPU, IIO_MEM_WRITE | IIO_FC_POSTED | dma_iommu_umask(d), 0, at, 1);
  table_access(t, d, &writes, UINT64_C(5) << 27 | d->stream.port, at);
}

fs_t iommu_interrupt(struct traffic *t, const struct dma *d, fs_t at)
{
  struct iio *iio = &emr_socket(t->socket[d->stream.socket])->iio[d->stream.stack];
  struct iommu *m = iommu_of(t, iio);
  if (!m)
    return at;
  iommu_pulse(iio, IIO_IOMMU3, INTERRUPT_LOOKUPS, at);
  if (m->interrupts >> d->stream.port & 1)
    iommu_pulse(iio, IIO_IOMMU3, INTERRUPT_HITS, at);
  else
    at = table_read(t, d, UINT64_C(7) << 27 | d->stream.port, at);
  m->interrupts |= (uint8_t)(1u << d->stream.port);
  return at;
}

void iommu_fini(struct iio *iio)
{
  free(iio->iommu);
  iio->iommu = NULL;
}
