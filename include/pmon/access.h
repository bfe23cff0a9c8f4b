/* SPDX-License-Identifier: MIT */
#ifndef PMON_ACCESS_H
#define PMON_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/api.h>
#include <pmon/status.h>

PMON_BEGIN_DECLS

struct pmon_context;
struct pmon_counting;
struct pmon_platform;
struct pmon_session;

/* A register's address space. PMON_SPACES lists each constant with its name (pmon_space_name()). */
#define PMON_SPACES(X)                                                                                                 \
  X(PMON_SPACE_MSR, "msr")         /* model-specific registers */                                                      \
  X(PMON_SPACE_PCI, "pci")         /* PCI configuration space */                                                       \
  X(PMON_SPACE_MMIO, "mmio")       /* memory-mapped registers */                                                       \
  X(PMON_SPACE_PMC, "pmc")         /* Itanium: performance monitor configuration registers */                          \
  X(PMON_SPACE_PMD, "pmd")         /* Itanium: performance monitor data registers */                                   \
  X(PMON_SPACE_IBR, "ibr")         /* Itanium: instruction breakpoint registers */                                     \
  X(PMON_SPACE_DBR, "dbr")         /* Itanium: data breakpoint registers */                                            \
  X(PMON_SPACE_RESCTRL, "resctrl") /* values of Linux' resctrl file system, by number of the event */
#define PMON_SPACE_VALUE(id, name) id,
enum pmon_space { PMON_SPACES(PMON_SPACE_VALUE) };

struct pmon_address {
  uint32_t package;   /* socket, from 0 */
  uint8_t space;      /* enum pmon_space */
  uint8_t width_bits; /* of one access: 32 or 64 */
  uint16_t reserved;
  uint32_t device; /* PCI: uncore bus as the guide numbers it (30, 31), or PMON_BUS_OF_SYSTEM plus the system's bus
                      number in the first package, << 8 | device << 3 | function; MMIO: enum pmon_bar; MSR: 0 for a
                      register of the package, or 1 + the index of the package's hardware thread that has it (its online
                      CPUs in numerical order, from 0); else 0 */
  uint64_t offset; /* MSR number, configuration-space offset, or offset from the BAR */
};

/* The base of a memory-mapped register: a memory BAR of the package (MEM0 to MEM3 are 0 to 3), its discovery page, the
 * register block of its CXL ports, or 0 (the offset is a physical address). */
enum pmon_bar { PMON_BAR_LAST_MEM = 3, PMON_BAR_DISCOVERY = 16, PMON_BAR_CXL = 17, PMON_BAR_PHYSICAL = 18, PMON_BARS };

/* Added to a bus number of a processor without a guide: the number is the system's bus number in the first package. In
 * another package the bus number is higher by the distance between that package's discovery device and the first
 * package's. */
enum { PMON_BUS_OF_SYSTEM = 256 };

/*
 * A backend reads and writes one register at a time. The emulated machine is a backend. So is each access method of
 * real hardware. Wrappers (trace, allow, dry run, error injection) are backends that own another backend.
 *
 * Threads: a backend, the wrappers around it and the sessions on it are used by one thread at a time, in every function
 * of this header. Different backends share nothing.
 */
struct pmon_backend;

/* One read of a batch. `value` is valid when `status`, the result of the backend's read, is 0. */
struct pmon_read {
  struct pmon_address address;
  uint64_t value;
  int status;
};

/*
 * The operations of a backend. Each function returns 0 or a negative enum pmon_status. On failure it sets *error_text
 * (may be NULL; owned by the backend, valid until its next call). wait: lets time pass until `until_ns` on the
 * backend's clock (simulated or monotonic), or until the workload ends. It can return earlier when an overflow has just
 * frozen counters, as on the emulated machine of Montecito, or when a signal arrives. ret_now_ns receives the time
 * reached, ret_ended whether the workload ended. UINT64_MAX waits for the end. Set `size` to sizeof (struct
 * pmon_backend_ops). Sessions, pmon_restore() and wrappers refuse a size that does not reach to the end of `close`
 * (PMON_E_INVALID). The library never calls a function that lies beyond the size that a backend states.
 */
struct pmon_backend_ops {
  size_t size;
  const char *name;
  int (*read)(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value);
  int (*write)(struct pmon_backend *b, const struct pmon_address *a, uint64_t value);
  int (*wait)(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended);
  void (*close)(struct pmon_backend *b);
};

/* The head of a backend: the first member of each backend's own struct, so its layout is fixed. */
struct pmon_backend {
  const struct pmon_backend_ops *ops;
  const char *error_text;
  uint32_t packages; /* number of sockets */
  /* Performs `n` reads in one operation. Reads in the same address space keep their order. Each read has its own
   * status. NULL: the backend has no method that is faster than single reads. */
  void (*sweep)(struct pmon_backend *b, struct pmon_read *reads, uint32_t n);
  struct pmon_backend *inner;     /* wrappers: the backend that the wrapper owns; else NULL */
  struct pmon_session *sessions;  /* set by the library: the open sessions; initially NULL */
  struct pmon_counting *counting; /* set by the library's backends that count without registers (Linux perf) */
  /* Called by pmon_backend_bus_error(). NULL: accesses of this backend cause no signals. */
  bool (*fault)(struct pmon_backend *b);
  /* Frequency of the time stamp counter of the processor whose registers these are, in Hz, which sessions use unless
   * their options state one; 0: not known, sessions use that of the facts. The library's backends of this host measure
   * it, unless the host is a virtual machine. */
  uint64_t tsc_hz;
  /* Whether the backend measures a real host, or replays the log of one. The facts state the clocks of a reference
   * machine: on a host, sessions use only the clocks that their options state, and that of `tsc_hz`. */
  bool host;
};

/* Closes a backend. A wrapper also closes the backend that it owns. NULL is allowed. */
PMON_API void pmon_backend_close(struct pmon_backend *backend);

/*
 * Wrappers. A wrapper owns `inner`, forwards each access to it, and closes it. When the constructor fails, `inner`
 * still belongs to the caller. Each constructor returns PMON_OK, PMON_E_INVALID (inner->ops->size is not set) or
 * PMON_E_MEMORY.
 */

/* Receives one line of a log without a line end. `line` is valid during the call only. */
typedef void (*pmon_line_sink)(void *user, const char *line);

/*
 * Reports every access to `sink` after it was made:
 *   TIME_NS read|write PACKAGE ADDRESS WIDTH VALUE [STATUS]
 * for example `1200 write 0 msr 0x2002 64 0x400335`. STATUS is the name of the status of a failed access. TIME_NS is
 * the backend's clock at its last wait. Each wait is a line `TIME_NS wait`, or `TIME_NS end` when the workload ended,
 * or `TIME_NS wait STATUS` when it failed. The log begins with the lines `# pmon-log 1` and `# packages N`;
 * pmon_backend_trace_note() adds others.
 */
PMON_API int pmon_backend_trace_new(struct pmon_backend *inner, pmon_line_sink sink, void *user,
                                    struct pmon_backend **ret_backend);

/* Adds a line `# KEY VALUE` to the log for the replay. Control characters become blanks. */
PMON_API void pmon_backend_trace_note(struct pmon_backend *trace, const char *key, const char *value);

/*
 * Makes a backend that replays a log of pmon_backend_trace_new(). The same accesses in the same order return the
 * recorded answers. Any other access fails with PMON_E_STATE, and so do all later ones; the error text names the line
 * of the log, the recorded access and the attempted one. Waits end and fail as recorded. Lines with `#` are notes;
 * lines with `# region` between accesses are region marks of the program. PMON_OK, PMON_E_IO, PMON_E_SYNTAX (not a
 * log), PMON_E_MEMORY.
 */
PMON_API int pmon_backend_replay_new(struct pmon_context *context, const char *path, struct pmon_backend **ret_backend);

/* The i-th note with key `key` before the first access; NULL when there is none. Owned by the backend. */
PMON_API const char *pmon_backend_replay_note(const struct pmon_backend *replay, const char *key, uint32_t i);

/* Refuses (PMON_E_PERMISSION) each write whose address is not a monitoring register of `platform`, or whose value has a
 * bit set outside the register's writable fields. Reads are forwarded. The platform must outlive the wrapper. */
PMON_API int pmon_backend_allow_new(struct pmon_backend *inner, const struct pmon_platform *platform,
                                    struct pmon_backend **ret_backend);

/* A dry run: no write reaches `inner`. Each write is reported to `sink` as `write PACKAGE ADDRESS WIDTH VALUE`, and
 * later reads of that register return the value. `inner` belongs to the wrapper from a successful return on. PMON_OK,
 * PMON_E_INVALID, PMON_E_MEMORY. */
PMON_API int pmon_backend_dry_new(struct pmon_backend *inner, pmon_line_sink sink, void *user,
                                  struct pmon_backend **ret_backend);

/* Error injection for tests: access number `n` (from 1, reads and writes counted together) fails with PMON_E_IO and
 * does not reach `inner`. 0: no access fails. */
PMON_API int pmon_backend_inject_new(struct pmon_backend *inner, uint64_t n, struct pmon_backend **ret_backend);

/* The number of reads and writes that an error injection wrapper has received. */
PMON_API uint64_t pmon_backend_inject_accesses(const struct pmon_backend *backend);

PMON_END_DECLS

#endif
