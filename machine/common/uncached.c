/* SPDX-License-Identifier: MIT */
/* Accesses past the caches: non-temporal stores and flushes. */
#include "machine/common/request.h"
#include "machine/common/queues.h"

/* Sends a write-combining buffer, in which non-temporal stores gather, when it is full or has to make room. */
static void combining_send(struct traffic *t, struct core *c, unsigned i)
{
  uint64_t line;
  struct page *page;
  if (!c->combining[i].bytes || !core_translate(t, c, c->combining[i].line, &line, &page))
    return;
  const enum tor_op op = c->combining[i].bytes == UINT64_MAX ? OP_WCILF : OP_WCIL;
  struct request r = core_request(c, line, page, op, c->front.time);
  struct answer a;
  core_set_began(t, c);
  request_place(t, &r);
  c->combining[i].bytes = 0;
  if (!t->fill)
    core_drop(t, c, line, true);
  uint32_t entry = holders_take(&c->mshr, &r.at);
  if (r.at > c->front.time)
    c->front.time = r.at;
  t->uncore->request(t, &r, &a);
  holders_keep(&c->mshr, entry, a.released);
}

void core_stream(struct traffic *t, struct core *c, uint64_t va, uint32_t size)
{
  uint64_t line = va >> 6, bytes = (size < 64 ? (1ull << size) - 1 : UINT64_MAX) << (va & 63);
  unsigned i = 0;
  while (i < 4 && (c->combining[i].line != line || !c->combining[i].bytes))
    i++;
  if (i == 4) {
    i = c->next_combining++ % 4;
    combining_send(t, c, i);
    c->combining[i].line = line;
  }
  c->combining[i].bytes |= bytes;
  if (c->combining[i].bytes == UINT64_MAX)
    combining_send(t, c, i);
}

void core_flush(struct traffic *t, struct core *c, uint64_t virtual)
{
  uint64_t line;
  struct page *page;
  stores_end(t, c); /* earlier stores to its line come first */
  if (!core_translate(t, c, virtual, &line, &page))
    return;
  struct request r = {.line = line,
                      .page = page,
                      .socket = c->socket,
                      .tile = c->tile,
                      .core = MAX_CORES,
                      .tid = c->tid,
                      .op = OP_CLFLUSH,
                      .at = c->front.time};
  struct answer a;
  request_place(t, &r);
  if (t->fill) /* only L1 has copies */
    core_front_drop(t, c, line, true);
  t->uncore->request(t, &r, &a);
}

void core_stream_end(struct traffic *t, struct core *c)
{
  for (unsigned i = 0; i < 4; i++)
    combining_send(t, c, i);
}

void traffic_core_end(struct traffic *t, unsigned core)
{
  core_stream_end(t, &t->core[core]);
  stores_end(t, &t->core[core]);
}

bool traffic_core_combines(const struct traffic *t, unsigned core)
{
  bool any = false;
  for (unsigned i = 0; i < 4; i++)
    any |= t->core[core].combining[i].bytes != 0;
  return any;
}
