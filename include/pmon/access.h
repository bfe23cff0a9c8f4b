/* SPDX-License-Identifier: MIT */
#ifndef PMON_ACCESS_H
#define PMON_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/status.h>

PMON_BEGIN_DECLS

struct pmon_context;
struct pmon_counting;
struct pmon_platform;

/*
 * Where registers live. A backend answers reads and writes of one register; the emulated machine is one, real
 * hardware's access_methods are others, and wrappers (trace, allow, fault) are backends that hold another.
 */
enum pmon_space {
  PMON_SPACE_MSR,
  PMON_SPACE_PCI,
  PMON_SPACE_MMIO,
  PMON_SPACE_PMC,
  PMON_SPACE_PMD,
  PMON_SPACE_IBR,
  PMON_SPACE_DBR
};

struct pmon_address {
  uint32_t package;   /* socket, from 0 */
  uint8_t space;      /* enum pmon_space */
  uint8_t width_bits; /* of one access: 32 or 64 */
  uint16_t reserved;
  uint32_t device; /* PCI: uncore bus as the guide numbers it (30, 31), or PMON_BUS_OF_SYSTEM and the system's
                      number of it in the first package, << 8 | device << 3 | function;
                      MMIO: enum pmon_bar; else 0 */
  uint64_t offset; /* MSR number, configuration-space offset, or offset from the BAR */
};

/* Where registers in memory are: behind a memory BAR of the package (MEM0 to MEM3 are 0 to 3), in its discovery page,
 * in its CXL ports' blocks; or the offset is the physical address. */
enum pmon_bar { PMON_BAR_LAST_MEM = 3, PMON_BAR_DISCOVERY = 16, PMON_BAR_CXL = 17, PMON_BAR_PHYSICAL = 18, PMON_BARS };

/* Buses of a processor without a guide: numbered as the system does for the first package; another package's lie as far
 * from them as its discovery device does from the first one's. */
enum { PMON_BUS_OF_SYSTEM = 256 };

struct pmon_backend;

/* One of several reads: status as of the backend's read, value valid when that is 0. */
struct pmon_read {
  struct pmon_address address;
  uint64_t value;
  int status;
};

/*
 * One backend. Each function returns 0 or a negative enum pmon_status, and then leaves a text in *error_text (may be
 * NULL; owned by the backend, valid until its next call).
 * wait: let time pass until `until_ns` on the backend's clock (simulated or monotonic), or the measured thing ends;
 *   ret_now_ns gets the time reached, ret_ended whether it ended. UINT64_MAX waits for the end.
 */
struct pmon_backend_ops {
  const char *name;
  int (*read)(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value);
  int (*write)(struct pmon_backend *b, const struct pmon_address *a, uint64_t value);
  int (*wait)(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended);
  void (*close)(struct pmon_backend *b);
};

struct pmon_backend {
  const struct pmon_backend_ops *ops;
  const char *error_text;
  uint32_t packages; /* sockets it answers for */
  /* Makes `n` reads, faster than one after another where the system has a way: in their order for each kind of
   * register. NULL: it has none. Each read tells its own status. */
  void (*sweep)(struct pmon_backend *b, struct pmon_read *reads, uint32_t n);
  struct pmon_counting *counting; /* of the library's own backends that count by themselves, without registers */
  /* What pmon_backend_bus_error() calls; NULL: its accesses cause no signals. */
  bool (*fault)(struct pmon_backend *b);
};

/* Closes a backend and, if it is a wrapper, the one it holds. NULL is fine. */
PMON_API void pmon_backend_close(struct pmon_backend *backend);

/*
 * Wrappers. Each holds `inner` from then on, passes everything on to it, and closes it when it is closed; when making
 * the wrapper fails, `inner` stays the caller's. PMON_OK, PMON_E_MEMORY.
 */

/* Gets one line of a log, without a line end; `line` is valid during the call only. */
typedef void (*pmon_line_sink)(void *user, const char *line);

/* Reports every access to `sink` after it was made:
 *   TIME_NS read|write PACKAGE ADDRESS WIDTH VALUE [STATUS]
 * such as `1200 write 0 msr 0x2002 64 0x400335`; STATUS is the name of the status of an access that failed. Time is the
 * backend's clock as of its last wait; each wait is a line `TIME_NS wait`, `TIME_NS end` when the measured thing ended,
 * `TIME_NS wait STATUS` when it failed. Two lines come first: `# pmon-log 1` and `# packages N`; others may be added
 * with pmon_backend_trace_note().
 */
PMON_API int pmon_backend_trace_new(struct pmon_backend *inner, pmon_line_sink sink, void *user,
                                    struct pmon_backend **ret_backend);

/* Adds a line `# KEY VALUE` to the log, of things that a replay has to know (control characters become blanks). */
PMON_API void pmon_backend_trace_note(struct pmon_backend *trace, const char *key, const char *value);

/*
 * A backend that answers from such a log: the same accesses in the same order get the same answers. Any other is
 * refused (PMON_E_STATE, as all that follow are), and the error text names the log's line, what stands there and what
 * was asked for. The measured thing's ends and failures are those of the log. Lines with `#` are notes. PMON_OK,
 * PMON_E_IO, PMON_E_SYNTAX (no log), PMON_E_MEMORY.
 */
PMON_API int pmon_backend_replay_new(struct pmon_context *context, const char *path, struct pmon_backend **ret_backend);

/* The i-th value noted for `key` before the first access; NULL: there is none. The backend's own. */
PMON_API const char *pmon_backend_replay_note(const struct pmon_backend *replay, const char *key, uint32_t i);

/* Refuses (PMON_E_PERMISSION) every write that is not to a monitoring register that `platform` describes, or that has
 * a bit set outside the register's writable fields. Reads pass. The platform must outlive the wrapper. */
PMON_API int pmon_backend_allow_new(struct pmon_backend *inner, const struct pmon_platform *platform,
                                    struct pmon_backend **ret_backend);

/* Lets no write through: each is told to `sink` as `write PACKAGE ADDRESS WIDTH VALUE`, and what it would have written
 * is what is read there from then on. `inner` stays the caller's until the wrapper is there, then closes with it. 0 or
 * PMON_E_MEMORY. */
PMON_API int pmon_backend_dry_new(struct pmon_backend *inner, pmon_line_sink sink, void *user,
                                  struct pmon_backend **ret_backend);

/* For tests: access number `n` (from 1, reads and writes counted together) fails with PMON_E_IO and does not reach
 * `inner`; 0 fails none. */
PMON_API int pmon_backend_inject_new(struct pmon_backend *inner, uint64_t n, struct pmon_backend **ret_backend);

/* How many reads and writes a fault wrapper has seen. */
PMON_API uint64_t pmon_backend_inject_accesses(const struct pmon_backend *backend);

PMON_END_DECLS

#endif
