/* SPDX-License-Identifier: MIT */
/* Requests for lines: the requester, the operation, the place of the line, and the answer. */
#ifndef MACHINE_COMMON_REQUEST_H
#define MACHINE_COMMON_REQUEST_H

#include "machine/common/state.h"

/* A core's or a device's request at a CHA. */
struct request {
  uint64_t line;
  struct page *page;
  unsigned socket, tile, core; /* core: of its socket; MAX_CORES: none */
  unsigned cha, home;          /* that the line belongs to: CHA within its socket, and socket */
  uint16_t tid;
  enum tor_op op;
  fs_t at;
};
/* done: time at which the data are at the requester's tile; released: time at which its CHA has finished with it. */
struct answer {
  fs_t done, released;
  enum line_state state;
  bool missed;
};

/* True if the line's home is another socket. */
static inline bool request_remote(const struct request *r)
{
  return r->home != r->socket;
}
/* Sets cha and home from line and page. */
static inline void request_place(const struct traffic *t, struct request *r)
{
  r->cha = address_page_cha(&t->map, r->page, r->line);
  r->home = t->map.identity ? r->page->node : (unsigned)(r->line >> (FRAME_BITS + PAGE_LINES_SHIFT)) & 1;
}

/* What an operation requests: ownership (the only copy), the line's data, code. */
struct op_kind {
  bool owns, reads, code;
};
extern const struct op_kind op_kinds[OP_N];
static inline const struct op_kind *op_kind(enum tor_op op)
{
  return &op_kinds[op];
}

#endif
