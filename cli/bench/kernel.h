/* SPDX-License-Identifier: MIT */
/* Kernels for benches: a bzImage, Debian's package of one, or the tree in which one was built. */
#ifndef CLI_BENCH_KERNEL_H
#define CLI_BENCH_KERNEL_H

#include "cli/common/cli.h"

/* Checks that `kernel` can be read and, if it is a file that is not unpacked, is a bzImage. CLI_DONE; CLI_USAGE after a
 * message. */
int bench_kernel_check(struct cli *cli, const char *kernel);
/* Unpacks a kernel that is not a bzImage into the new folder, with the modules that a guest loads. CLI_DONE; CLI_USAGE
 * after a message. The caller frees *ret_path, the path of the bzImage. */
int bench_kernel_open(struct cli *cli, const char *kernel, const char *folder, char **ret_path);
/* The release in the name of a bzImage (vmlinuz-RELEASE), or "". */
const char *bench_kernel_release(const char *path);

#endif
