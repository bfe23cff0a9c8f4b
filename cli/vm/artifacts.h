/* SPDX-License-Identifier: MIT */
/* The folder with everything about a run of `pmon vm` (docs/vm.md lists its files). */
#ifndef CLI_VM_ARTIFACTS_H
#define CLI_VM_ARTIFACTS_H

#include "cli/common/cli.h"
#include "vm/vm.h"

struct artifacts {
  const char *folder; /* NULL: none; the functions then do nothing */
  FILE *console, *output, *errors;
};

/* Creates the folder if it does not exist, and opens the files of the guest's outputs. CLI_DONE, or CLI_USAGE after a
 * message. Call artifacts_close() in any case. */
int artifacts_open(struct cli *cli, const char *folder, struct artifacts *ret);
/* Closes the files. False: a file of the outputs could not be written. */
bool artifacts_close(struct artifacts *a);
void artifacts_output(struct artifacts *a, enum vm_stream stream, const char *bytes, size_t n);
/* The path of a file in the folder, which the caller frees; NULL: no memory. */
char *artifacts_path(const struct artifacts *a, const char *name);
/* Writes a capture of the machine behind the backend; reads registers only. CLI_DONE, or CLI_FAILED after a message. */
int artifacts_capture(struct cli *cli, const struct artifacts *a, const char *name, struct pmon_backend *backend);
/* Writes the versions of pmon, QEMU and kernel, the command line, and the kernel's configuration if it is next to the
 * kernel. As above. */
int artifacts_versions(struct cli *cli, const struct artifacts *a, const struct vm_options *o,
                       const struct vm_result *result);

#endif
