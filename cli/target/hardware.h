/* SPDX-License-Identifier: MIT */
/* Commands that examine the host: the location of its files, and its registers. */
#ifndef CLI_TARGET_HARDWARE_H
#define CLI_TARGET_HARDWARE_H

#include "cli/common/cli.h"
#include "machine/machine.h"

/* The remedy for a processor that has a discovery page and no tables. */
#define HARDWARE_OWN_TABLES                                                                                            \
  "pmon discover -o FILE.platform makes some of its discovery page, which -p FILE.platform measures with"

struct hardware {
  char dev[300], sys[300], proc[300];
  bool root; /* --root: the files are those of another system */
  struct pmon_system system;
  struct pmon_capture *replay; /* capture that replaces the system; NULL: the system */
};

/* ---- hardware.c ---- */

/* Initialises for the system below `root`; NULL: this one. */
void hardware_init(struct hardware *h, const char *root);

/* Applies --root: uses the system below it; without -p, the platform is that of its processor. */
int hardware_take_root(struct cli *cli, struct hardware *h, const char *root);

/* Frees what hardware_replay() loaded. */
void hardware_fini(struct hardware *h);

/* Refuses --replay FILE (NULL: not given) beside another machine: the option `machine` that selects the emulated one
 * (NULL: none), or --root. CLI_DONE, or CLI_USAGE after printing an error. */
int hardware_check_replay(struct cli *cli, const struct hardware *h, const char *replay, const char *machine);
/* Uses a captured machine in place of the system; also its platform, unless -p names one. An exit code. */
int hardware_replay(struct cli *cli, struct hardware *h, const char *path);

/* Number of PMUs of the kernel's uncore driver. */
unsigned hardware_kernel_pmus(const struct hardware *h);

/* Whether the file begins like a capture. */
bool hardware_is_capture(const char *path);

/* Takes the options that determine the platform, at any position and in any order: -p; --root, as hardware_take_root();
 * without -p, --replay selects the platform of a capture or log. Returns an exit code. */
int hardware_read_platform(struct cli *cli, struct hardware *h, int argc, char **argv);

/* Identifies the processor: by CPUID on this host, by /proc/cpuinfo below a root, from a capture. False: unknown. */
bool hardware_cpu(const struct hardware *h, struct pmon_cpu *cpu);

/* Like pmon_system_packages(). */
uint32_t hardware_packages(const struct hardware *h, struct pmon_package *packages, uint32_t n);

/* Reads the beginning of a file below the root as text. False: it cannot be read, or is empty. */
bool hardware_text(const char *root, const char *name, char *text, size_t size);

/* From now on an access to a memory-mapped register of a removed device fails, instead of ending the process with
 * SIGBUS. hardware_open() already does this. Returns the backend for which this was the case before; NULL: none. */
struct pmon_backend *hardware_watch(struct pmon_backend *backend);
/* Closes such a backend; NULL is ignored. */
void hardware_close(struct pmon_backend *backend);

/* Writes formatted text to the command's output. */
void hardware_print(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- hardware_platform.c ---- */

/* Whether the facts contain this processor; the name of its platform in *ret_platform, else NULL. */
bool hardware_known(struct cli *cli, const struct hardware *h, const char **ret_platform);

/* Whether the measured platform is this host's: the platform of its processor, a user-supplied file based on it, or,
 * for a processor without facts, a platform whose units are on its discovery page. */
bool hardware_is_host(struct cli *cli, const struct hardware *h);

/* Call before registers are written: rejects a host whose processor is known and is not the platform's, because the
 * registers could have any meaning. CLI_DONE, or an exit code after printing the reason. */
int hardware_check(struct cli *cli, const struct hardware *h);

/* Whether the host has a discovery page that lists its units. */
bool hardware_has_page(const struct hardware *h);

/* Reports why a backend could not be opened. An exit code. */
int hardware_refuse(struct cli *cli, const struct hardware *h, int status, const struct pmon_reason *reason);

/* The message for a host without uncore counters. */
extern const char hardware_none[];
/* The message for a virtual machine without them. */
extern const char hardware_hidden[];

/* The name of the processor's platform where the measured one is another; NULL: they are the same, or the processor is
 * unknown. */
const char *hardware_other_platform(struct cli *cli, const struct hardware *h, const struct pmon_cpu *cpu);

/* Reports that the emulated machine is used by default, and why. */
void hardware_report_emulated(struct cli *cli, const struct hardware *h);

/* ---- hardware_open.c ---- */

/* Opens the registers of the host, or of the captured machine in its place. An exit code after printing the reason. */
int hardware_open(struct cli *cli, const struct hardware *h, struct pmon_backend **ret_backend);

/* Opens those of the platform's emulated machine, without a workload. Free *ret_machine after the backend. An exit code
 * after printing the reason. */
int hardware_open_machine(struct cli *cli, struct machine **ret_machine, struct pmon_backend **ret_backend);

#endif
