/* SPDX-License-Identifier: MIT */
/*
 * The state of a machine under traffic, which the files of this room share: its parts (parts.h), its timing, and what
 * differs by platform. The parts' functions for each other: core.h, coherence.h, mesh.h, memory.h, devices.h,
 * conditions.h; on the E5-2600 snbep/uncore.h. Private to the room.
 */
#ifndef MACHINE_COMMON_STATE_H
#define MACHINE_COMMON_STATE_H

#include "machine/common/parts.h"

/* Times in femtoseconds, computed once. */
struct timing {
  uint32_t uclk, core, hop, enter, cha_pipe, m2m_pipe, dclk, burst, slot, flit, l2_line;
  fs_t l2, dtlb, dram_pipe, cl, ccd, rcd, rp, ras, rtp, wr, rfc, refresh, refresh_apart, refi, postpone, faw, wtr,
      wtr_s, rtw, idle, flight, wc_age;
};

struct event_name {
  bool reported;
  uint8_t code;
  uint64_t attr;
}; /* not reported: the platform has no such event */
enum condition_step { CONDITION_POSSIBLE, CONDITION_BEGINS, CONDITION_ENDS };

struct request;
struct answer;
struct power_model;
/* A device's access of a line or a part of one, which has been answered. */
struct device_access {
  const struct dma *dma; /* its offset is that of the next access */
  uint64_t byte;         /* of the buffer */
  const struct request *request;
  const struct answer *answer;
};

/*
 * The part of the machine between the cores' L2 and memory, one for each platform. Cores, devices and memory channels
 * are the same for all platforms; the events that they report have the platform's own names.
 */
enum uncore_feature {
  UNCORE_CODE_PREFETCH = 1 << 0,   /* the parameter prefetch.code has an effect */
  UNCORE_OPTIMIZED_READS = 1 << 1, /* core.reads */
  UNCORE_PAGE_WALKS = 1 << 2,      /* core.walks */
  UNCORE_RFO_PREFETCH = 1 << 3     /* prefetches into the LLC for ownership have an opcode of their own */
};
struct uncore {
  size_t socket_bytes; /* of the model's structure that begins with struct socket */
  int (*init)(struct traffic *t, struct socket *s, struct machine *m); /* blocks, tiles, caches; PMON_E_MEMORY */
  void (*start)(struct traffic *t, struct socket *s);                  /* after the cores: states at time 0 */
  void (*fini)(struct socket *s);
  void (*listen)(struct traffic *t, struct socket *s); /* updates what the counters observe; NULL: no need */
  void (*request)(struct traffic *t, const struct request *r, struct answer *ret_answer);
  void (*evict)(struct traffic *t, const struct request *r, enum line_state state); /* an eviction from an L2 */
  void (*prefetch_tags)(const struct traffic *t, unsigned socket, uint64_t line);   /* into the host's caches */
  /* A device's access of memory at `byte` of its buffer leaves its port at `at`; returns when its request goes out.
   * NULL: at once. */
  fs_t (*device_begin)(struct traffic *t, const struct dma *d, uint64_t byte, fs_t at);
  fs_t (*device_end)(struct traffic *t, const struct device_access *access); /* after the answer; returns the end */
  fs_t (*other)(struct traffic *t, struct dma *d, fs_t at);                  /* an access to anything but memory */
  void (*core_active)(struct traffic *t, struct core *c, bool active, fs_t at);
  void (*advance)(struct traffic *t, struct socket *s, fs_t until);
  const struct event_name (*memory)[2]; /* by enum memory_event (memory.h) and sub-channel */
  unsigned tid_shift;                   /* position of the core's number in a thread's number */
  const struct power_model *power;      /* power.h */
  uint16_t device_tid;                  /* in requests of devices, which belong to no thread */
  /* A condition begins or ends, or is checked. False: the platform does not have it. NULL: the platform has no
   * conditions. */
  bool (*condition)(struct traffic *t, const struct traffic_condition *c, enum condition_step step, fs_t at);
  unsigned actions;  /* of devices: 1 << enum device_action */
  unsigned messages; /* the first of enum system_message that it lacks */
  unsigned features; /* enum uncore_feature */
  /* A core writes a line back or sends it on, and keeps it. Returns the time at which that is done. NULL: the processor
   * has no such requests. */
  fs_t (*write_back)(struct traffic *t, const struct request *r);
};

/* The arguments of traffic_condition_add(), and the condition's progress. */
struct pending_condition {
  struct traffic_condition of;
  bool begun, ended;
};

struct extent {
  uint64_t first, end; /* pages */
};

struct traffic {
  struct traffic_front front; /* first: fast.h reads it */
  const struct uncore *uncore;
  struct machine_config config;
  struct timing time;
  struct address_map map;
  struct core *core; /* of all sockets */
  struct core_front *fronts[MAX_SOCKETS * MAX_CORES];
  unsigned n_cores, sockets, cores, chas, imcs, channels, subs, links, stacks;
  uint32_t window, loads, mlp, stores, degree, ahead, mispredict;
  bool prefetch, prefetch_l1, next_page, fill, closed, same_bank;
  bool code_ahead, optimized, walks; /* kinds of core requests (Emerald Rapids) */
  struct socket *socket[MAX_SOCKETS];
  struct extent *memory; /* of programs, touched or not */
  unsigned n_memory;
  struct dma *dma;
  unsigned n_dma;
  struct pcie_link *pcie; /* of the ports that have streams (pcie.h) */
  unsigned n_pcie;
  struct pending_condition *condition;
  unsigned n_conditions;
  fs_t next_condition;          /* time at which the next one begins or ends */
  fs_t next_dma, reached, seen; /* seen: latest time for which anything has been simulated */
  fs_t began;                   /* time at which the core or device began its current access */
  bool in_dma;
  struct first_level l1; /* of all cores' first levels */
  struct cache l2;       /* of all cores, a bank each */
  uint64_t *settled;     /* core.settled of all cores */
  uint64_t n_l1_sets;
  struct block_head absent; /* replaces a block that the machine lacks */
};

/* Returns block `i` of a unit; `absent`, if the machine does not have it. */
struct block *traffic_block_find(struct traffic *t, struct machine *m, const struct socket *s, const char *unit,
                                 unsigned i);

/* Call this after the machine's time has advanced, or something is due earlier: all cores check again. */
static inline void cores_look(struct traffic *t)
{
  for (unsigned i = 0; i < t->n_cores; i++)
    t->core[i].front.due = 0;
}

/* As block_level_set(), with its parameters, for a block that the machine may not have. */
static inline void level_set(struct traffic *t, struct block *b, uint8_t code, uint64_t attr, fs_t at, uint32_t level)
{
  if (b != (struct block *)(void *)&t->absent)
    block_level_set(b, code, attr, at, level);
}

#endif
