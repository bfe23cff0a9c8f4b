/* SPDX-License-Identifier: MIT */
/* Additions of an Emerald Rapids socket to the shared parts: M2Ms, links, I/O stacks, CXL links, the mesh. */
#ifndef MACHINE_EMR_SOCKET_H
#define MACHINE_EMR_SOCKET_H

#include "machine/common/host_pages.h"
#include "machine/common/state.h"
#include "machine/emr/filter.h"
#include "machine/emr/mesh_ring.h"

#define MAX_IMCS 4
#define MAX_LINKS 4
#define MAX_TILES (MAX_CHAS + MAX_IMCS + MAX_LINKS + MAX_STACKS)
#define MESH_SIDE 68u /* columns or lines, edges included */

/* A CHA's cache of lines that moved between the sockets (hitme.c). */
struct hitme {
  uint64_t line[256];
};

enum { M2M_EGRESS = 4 };
struct m2m {
  struct block *block;
  unsigned tile;
  struct slots pipe[4], acknowledge; /* by channel; acknowledgements' path onto the mesh */
  struct holders reads[4], writes[4];
  fs_t egress[2][M2M_EGRESS], acks[M2M_EGRESS];
  fs_t egress_ne[2], writes_ne[2], acks_ne, acks_full, no_credit[2]; /* end of the reported intervals of these states */
};

/* Messages that wait at a link's mesh stop (m3upi.c). Arrays of entries contain the time until which each is held; the
 * other times are ends of reported intervals of states. */
enum { LINK_CREDITS = 32, LINK_FLOW = 8, LINK_DIRECT = 8, LINK_TO_CHA = 16, LINK_TO_STACK = 4 };
struct link_stop {
  struct block *block, *link;
  fs_t shared[LINK_CREDITS], own[6], none[1], low[4], in_use, not_empty[7], direct_low[2], path, fifo;
  fs_t flow[3][LINK_FLOW], flow_ne[2][4], flow_low[3][4], write_backs, header, header_end, data_until;
  struct slots out[3];
  fs_t to_cha[LINK_TO_CHA], to_class[2], cha_none[3]; /* credits of CHAs: shared; for requests, for snoops */
  fs_t to_stack[6][LINK_TO_STACK], stack_none[6];
  uint32_t messages;
  bool data, ahead;
};

/* Errors of a scenario that will occur on a link. */
struct link_errors {
  fs_t from;
  uint64_t n;
};

struct link {
  struct block *block, *stop; /* stop: M3UPI; NULL: none */
  fs_t direct[LINK_DIRECT];   /* credits for data that memory sends straight to the link */
  struct link_stop queues;
  struct link_errors errors;
  /* last: last transmission; saved: end of the reported power saving; up: end of both ends' last initialization */
  fs_t last, saved, up;
  struct slots tx;
  fs_t lost;                       /* time in L1 and in initializations */
  uint64_t slots_sent, nulls_sent; /* null flits */
  uint32_t uncredited;             /* received flits whose credits have not been returned */
  unsigned tile;
  uint32_t rotate;
};

/* An I/O stack. stop, ring_port: its M2PCIe and IRP; NULL: none. Arrays of credits contain the time until which each is
 * held. credit: for data into the stack, by class (DRS, NCB, NCS); shared, reserved: for requests to peers (NCS, NCB),
 * shared by all destinations, or dedicated to one. */
enum { UBOX_NUMBERS = 4 };
enum { FAF = 32, PORT_EGRESS = 4 }; /* reads in a ring port's queue (FAF) */
enum { IO_CREDITS = 4, IO_DRS = 0, IO_NCB, IO_NCS, IO_CLASSES };
struct iio {
  struct io_stack stack; /* as the shared parts see it */
  struct block *block, *stop, *ring_port;
  struct slots answers;
  uint32_t turn;
  fs_t credit[2][IO_CLASSES][IO_CREDITS], used[2][IO_CLASSES];
  fs_t shared[2][IO_CREDITS], reserved[MAX_STACKS][2][IO_CREDITS];
  fs_t data_shared[IO_CREDITS], data_reserved[MAX_LINKS][IO_CREDITS]; /* for data to the other socket */
  fs_t ingress[8], ingress_ne; /* end of the reported not-empty intervals; by kind */
  fs_t faf[FAF], faf_full, egress[3][PORT_EGRESS], egress_full[3];
  uint32_t next_faf, next_egress[3];
  uint32_t bandwidth_rest[16]; /* dwords that do not yet make a unit, by free-running counter of bandwidth */
  struct iommu *iommu;         /* iommu.c */
};

/* A CXL link, behind the I/O stack of the same number: CXLCM, CXLDP; NULL: none (cxl.c). */
struct cxl {
  struct block *block, *mesh;
  struct cxl_state *state;
  struct link_errors errors;
};

/* A tile's position in the mesh: in its column, whose rings have the column's number, and in its line. */
struct mesh_place {
  _Alignas(32) struct ring_stop in_column;
  struct ring_stop in_line;
};
/* Rings of the mesh for data, in pairs: up and down each column, then left and right along each line; the edges have
 * rings, too. A ring's place takes `step` to pass a stop. */
struct mesh_rings {
  struct mesh_ring *ring;
  uint32_t columns, lines, hop;
  struct ring_step step;
  struct mesh_place place[MAX_TILES];
};

struct emr_socket {
  struct socket base; /* first: emr_socket() */
  struct cache llc;
  uint64_t llc_lines; /* number of lines in it */
  struct filter filter;
  struct slice_order order; /* of the sets of both */
  struct huge_pages huge;   /* for their tags */
  struct hitme hitme[MAX_CHAS];
  struct m2m m2m[MAX_IMCS];
  struct active_times active[MAX_IMCS][2]; /* per controller: queues of reads, of writes */
  struct link link[MAX_LINKS];
  struct iio iio[MAX_STACKS];
  struct slots ingress[MAX_TILES][2]; /* the path off the mesh at each tile: requests, data */
  struct mesh_rings rings;
  uint8_t column[MAX_TILES], line[MAX_TILES];
  struct stops *stops;                   /* mesh_stops.h */
  uint8_t tile_at[MESH_SIDE][MESH_SIDE]; /* by line and column: tile + 1 */
  bool stops_observed;                   /* a counter observes mesh stops */
  bool rejects_observed;                 /* ... rejections of CHAs */
  struct cha_rejects *rejects;           /* one per CHA (reject.c) */
  bool write_caches_observed;            /* ... write caches of I/O ring ports */
  struct write_cache *write_cache;       /* of all ring ports (write_cache.c) */
  bool memory_observed;                  /* ... queues of M2Ms */
  bool links_observed;                   /* ... links and their stops */
  struct cxl cxl[CXL_DEVICES];
  struct ahead *ahead; /* memory prefetch before the home agent's read; NULL: none (memory_prefetch.c) */
  /* busy: end of the last message's processing; full: end of the reported queue-full interval; number: when each random
   * number is available */
  struct {
    struct block *block;
    fs_t busy, full, number[UBOX_NUMBERS];
  } ubox;
  unsigned limits;        /* number of limits on the cores' clock in force */
  struct change clocking; /* change of that clock (pcu.c) */
  fs_t changing;          /* end of the last change in progress; 0: none */
};

/* The structure that a socket of this model begins; const if the socket is. */
#define emr_socket(s)                                                                                                  \
  _Generic((s), struct socket * : (struct emr_socket *)(s), const struct socket * : (const struct emr_socket *)(s))

#endif
