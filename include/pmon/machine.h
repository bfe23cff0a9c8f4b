/* SPDX-License-Identifier: MIT */
/*
 * The emulated machine as a separate library, libpmon-machine: register-accurate monitoring hardware with its
 * processor, memory and links. The machine provides a backend, on which a session measures as on any other. Time is
 * simulated. The same input always gives the same counts.
 *
 *   struct pmon_machine_options options = {.size = sizeof options, .platform = "emr", .scenario = "run.scn"};
 *   pmon_machine_new(&options, &reason, &machine);
 *   pmon_machine_backend(machine, &backend);         pmon_session_new(plan, backend, NULL, &session) ...
 *   pmon_session_close(session); pmon_backend_close(backend); pmon_machine_free(machine);
 *
 * A session computes times from cycles with the frequencies of the facts. If settings or a scenario change a frequency
 * (`uncore.ghz=1.1`), pass the clocks of pmon_machine_clocks() in struct pmon_session_options, not NULL.
 *
 * A machine, its backends and the sessions on them are used by one thread at a time; different machines share nothing.
 */
#ifndef PMON_MACHINE_H
#define PMON_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pmon/access.h>
#include <pmon/api.h>
#include <pmon/hardware.h>
#include <pmon/session.h>
#include <pmon/status.h>

PMON_BEGIN_DECLS

struct pmon_machine;

/* The kind of a memory access of a thread. */
enum pmon_machine_access_kind {
  PMON_MACHINE_READ,
  PMON_MACHINE_WRITE,
  PMON_MACHINE_PREFETCH,
  PMON_MACHINE_WRITE_PAST, /* a store that bypasses the caches */
  PMON_MACHINE_SLEEP,      /* no access: the thread's core sleeps for `address` nanoseconds */
  PMON_MACHINE_ACCESS_KINDS
};

/* One access of a thread. The size of this struct does not change. */
struct pmon_machine_access {
  uint64_t address;      /* virtual; below 2^47 */
  uint32_t size_bytes;   /* 1 to 64, a power of two; not used by PMON_MACHINE_SLEEP */
  uint32_t instructions; /* executed since the previous access, including this one: 1 to 63; 0 counts as 1 */
  uint32_t kind;         /* enum pmon_machine_access_kind */
  uint32_t reserved;     /* 0 */
};

/* Writes up to `n` next accesses of thread `thread` and returns their number; 0 ends the thread. The machine calls it
 * whenever it needs records of that thread, in an order that follows simulated time. The instructions of all accesses
 * are fetched from the line at address 0x400000. The callback must not use the machine. */
typedef uint32_t (*pmon_machine_feed)(void *user, uint32_t thread, struct pmon_machine_access *accesses, uint32_t n);

enum { PMON_MACHINE_THREADS = 256 }; /* maximum of pmon_machine_options.feed_threads */

/* Zero all members except `size` first. At most one of scenario, trace, command, bundles, generate and feed is given;
 * without an input, time passes on an idle machine. Texts are copied. */
struct pmon_machine_options {
  size_t size;
  const char *platform;   /* platform: "emr", "spr", "snbep", "montecito"; NULL: "emr" */
  const char *settings;   /* parameters, separated by blanks: "cores=8 numa=interleave", for montecito
                             "memory.latency=300"; NULL: the reference machine */
  const char *place;      /* threads to cores: "compact", "spread", or a list such as "0,64,1-3"; NULL: "compact";
                             without an input it is not used */
  const char *scenario;   /* file: threads and devices as text; its `set` lines apply after `settings` */
  const char *trace;      /* file: a recorded trace (`pmon machine record`) or Valgrind lackey text. Its beginning is
                             checked at once (PMON_E_SYNTAX); where its contents are wrong later, a wait of the backend
                             fails */
  char *const *command;   /* a program and its arguments, NULL at the end; it runs under QEMU's user-mode emulation */
  const char *plugin;     /* for a command: the file pmon-trace.so; NULL: looked up next to the program and where it is
                             installed */
  const char *bundles;    /* file: retired bundles, for platforms whose machine runs them (montecito) */
  const char *generate;   /* generated bundles: NAME[:BUNDLES[:SEED]] */
  pmon_machine_feed feed; /* accesses from a callback */
  void *feed_user;
  uint32_t feed_threads; /* threads of `feed`: 1 to PMON_MACHINE_THREADS; 0: 1 */
};

/* Builds a machine and starts its input. On failure *reason (may be NULL) names the cause: file and line, parameter, or
 * program. The caller frees the machine with pmon_machine_free(). PMON_OK; PMON_E_INVALID (size 0, more than one input,
 * an input that this platform's machine does not take, a command without a program); PMON_E_UNKNOWN (no such platform,
 * parameter or command); PMON_E_RANGE; PMON_E_SYNTAX (also a file that is no trace); PMON_E_CONFLICT (lines of a
 * scenario contradict each other); PMON_E_IO; PMON_E_UNSUPPORTED (a scenario that accesses registers itself: use `pmon
 * machine run`; or a member of a newer version is set); PMON_E_NO_DEVICE (QEMU or the plugin is missing);
 * PMON_E_PERMISSION (not an executable file); PMON_E_MEMORY. */
PMON_API int pmon_machine_new(const struct pmon_machine_options *options, struct pmon_reason *reason,
                              struct pmon_machine **ret_machine);

/* Ends the machine, and its command if that still runs. Close its backends first. NULL is allowed. */
PMON_API void pmon_machine_free(struct pmon_machine *machine);

/* Makes a backend for the machine's registers; waiting on it lets simulated time pass. The caller closes it with
 * pmon_backend_close() before pmon_machine_free(). PMON_OK, PMON_E_MEMORY. */
PMON_API int pmon_machine_backend(struct pmon_machine *machine, struct pmon_backend **ret_backend);

/* Lists the clocks of this machine whose frequencies its parameters set, for pmon_session_options.clocks. Writes up
 * to `n` clocks and returns the number of all of them. Their names belong to the machine. */
PMON_API uint32_t pmon_machine_clocks(const struct pmon_machine *machine, struct pmon_clock *clocks, uint32_t n);

/* How a command ended. */
struct pmon_machine_end {
  size_t size;
  int exit_code; /* of the program; 128 + signal when a signal ended it */
  int signal;    /* 0: none */
  uint32_t threads, children;
  uint32_t unseen; /* programs that it executed and that pmon could not follow */
};

/* Waits for the end of the command and describes it. The command runs only while the machine's time passes: call this
 * after pmon_session_run() has reported the end of the workload. PMON_OK; PMON_E_STATE (the machine runs no command);
 * PMON_E_NO_DEVICE (the emulator ended before the program began); PMON_E_IO (the exit status is lost: the process
 * ignores SIGCHLD, or has waited for all of its children); PMON_E_INVALID (size 0). */
PMON_API int pmon_machine_result(struct pmon_machine *machine, struct pmon_machine_end *ret_end);

/* A parameter of a platform's machine. `least`, `most` and `default_value` are in `unit`: bytes, MHz, ps, 1/1000 (""
 * for a plain number). pmon_machine_options.settings takes sizes as 64K, frequencies in GHz and times in ns. */
struct pmon_machine_parameter_info {
  size_t size;
  const char *name, *meaning; /* constant */
  const char *words;          /* names of the values 0, 1, ..., separated by blanks; NULL: plain numbers */
  uint64_t least, most, default_value;
  const char *unit; /* constant */
};

/* Describes parameter `i` of a platform's machine (pmon_machine_options.platform; NULL: "emr") with the platform's own
 * default. PMON_OK; PMON_E_UNKNOWN (no such platform); PMON_E_RANGE (past the last); PMON_E_INVALID (size 0). */
PMON_API int pmon_machine_parameter(const char *platform, uint32_t i, struct pmon_machine_parameter_info *info);

PMON_END_DECLS

#endif
