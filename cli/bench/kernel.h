/* SPDX-License-Identifier: MIT */
/* Kernels that a bench takes: a bzImage, Debian's package of one, or the tree in which one was built. */
#ifndef CLI_BENCH_KERNEL_H
#define CLI_BENCH_KERNEL_H

#include "cli/common/cli.h"

/* Whether `kernel` can be read, and, where it is a file that need not be unpacked, is a bzImage. CLI_DONE; CLI_USAGE
 * after a message. */
int bench_kernel_check(struct cli *cli, const char *kernel);
/* Unpacks what is no bzImage into the new folder, with the modules that a guest loads. CLI_DONE; CLI_USAGE after a
 * message. `ret_path` is of the bzImage, and is freed by the caller; `release` is "" where its name does not have it.
 */
int bench_kernel_open(struct cli *cli, const char *kernel, const char *folder, char **ret_path);
/* The release in the name of a bzImage (vmlinuz-RELEASE), or "". */
const char *bench_kernel_release(const char *path);

#endif
