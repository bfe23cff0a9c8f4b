/* SPDX-License-Identifier: MIT */
/* Built where libfuse3 is not. */
#include <stdio.h>
#include <pmon/status.h>
#include "vm/mount.h"

int mount_run(const struct mount_options *o, char *error, size_t error_size, int *ret_exit_code)
{
  (void)o;
  *ret_exit_code = 0;
  snprintf(error, error_size,
           "this pmon was built without libfuse3 (remedy: apt install libfuse3-dev, and build "
           "again)");
  return PMON_E_UNSUPPORTED;
}
