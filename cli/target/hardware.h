/* SPDX-License-Identifier: MIT */
/* Commands that look at the host: where its files stand, and its registers. */
#ifndef CLI_TARGET_HARDWARE_H
#define CLI_TARGET_HARDWARE_H

#include "cli/common/cli.h"
#include "machine/machine.h"

/* What to do where a processor has a discovery page and no tables. */
#define HARDWARE_OWN_TABLES                                                                                            \
  "pmon discover -o FILE.platform makes some of its discovery page, which -p FILE.platform measures with"

struct hardware {
  char dev[300], sys[300], proc[300];
  bool root; /* the system's files are not this computer's */
  struct pmon_system system;
  struct pmon_capture *replay; /* what is looked at instead; NULL: the system */
};

/* The system below `root`; NULL: this one. */
void hardware_init(struct hardware *h, const char *root);

/* What --root says: the system below it, whose processor's platform is meant where -p names none. */
void hardware_take_root(struct cli *cli, struct hardware *h, const char *root);

/* Frees what hardware_replay() loaded. */
void hardware_fini(struct hardware *h);

/* A captured machine in the place of the system; its platform too, unless -p names one. An exit code. */
int hardware_replay(struct cli *cli, struct hardware *h, const char *path);

/* How many PMUs of this hardware the kernel's own driver has. */
unsigned hardware_kernel_pmus(const struct hardware *h);

/* Whether the file begins as a capture does. */
bool hardware_is_capture(const char *path);

/* Whose processor it is: by CPUID here, by /proc/cpuinfo below a root, as captured. False: it is not known. */
bool hardware_cpu(const struct hardware *h, struct pmon_cpu *cpu);

/* As pmon_system_packages(). */
uint32_t hardware_packages(const struct hardware *h, struct pmon_package *packages, uint32_t n);

/* Reads the beginning of a file below a root as text. False: it cannot be read, or is empty. */
bool hardware_text(const char *root, const char *name, char *text, size_t size);

/* Whether this is a processor that the facts know; the name of their platform in *ret_platform, else NULL. */
bool hardware_known(struct cli *cli, const struct hardware *h, const char **ret_platform);

/* Whether the platform that is measured is this host's: the one that the facts have for its processor, a file of the
 * user's that takes that over, or, of a processor without facts, one whose units its discovery page lists. */
bool hardware_is_host(struct cli *cli, const struct hardware *h);

/* Before registers are written: refuses a host whose processor is told and is not the platform's, where they may be
 * anything. CLI_DONE, or an exit code after telling why not. */
int hardware_check(struct cli *cli, const struct hardware *h);

/* Whether the host's units can be found by a discovery page. */
bool hardware_has_page(const struct hardware *h);

/* What there is to measure with: a backend of the emulated machine of the platform's, with nothing running on it, when
 * `machine`, else the host's registers. An exit code after telling why not. `*ret_machine` (may be NULL after it) is to
 * be freed after the backend; without `machine`, ret_machine may be NULL. */
int hardware_open(struct cli *cli, const struct hardware *h, bool machine, struct machine **ret_machine,
                  struct pmon_backend **ret_backend);

/* From now on an access to a register in memory whose device is taken away fails, instead of ending the command by
 * SIGBUS. Of backends that hardware_open() opened, it is done already. */
void hardware_watch(struct pmon_backend *backend);
/* Closes such a backend; NULL is fine. */
void hardware_close(struct pmon_backend *backend);

/* Tells why a backend could not be opened. An exit code. */
int hardware_refuse(struct cli *cli, const struct hardware *h, int status, const struct pmon_reason *reason);

/* Formatted, to the command's output. */
void hardware_print(struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One sentence for a host without any of this hardware. */
extern const char hardware_none[];
/* And for a virtual machine without it. */
extern const char hardware_hidden[];
/* Tells that the emulated machine steps in unasked, and why. */
void hardware_report_emulated(struct cli *cli, const struct hardware *h);

#endif
