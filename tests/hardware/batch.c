/* SPDX-License-Identifier: MIT */
/* The device of msr-safe in the tree: the machine answers a list of reads in one call. */
#include <errno.h>
#include <stdint.h>
#include "tests/hardware/tree.h"

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument);

/* The list of operations that the module takes, declared independently from its documentation. */
struct operation {
  uint16_t cpu, is_read;
  int32_t error;
  uint32_t msr, hole;
  uint64_t value, mask;
};
struct operations {
  uint32_t n, hole;
  struct operation *at;
};

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
  int result = 0;
  if (!tree_batch(fd))
    return __real_ioctl(fd, request, argument);
  tree_now->batches++;
  if (request != 0xc01063a2 || tree_now->batch_refuses) {
    errno = ENOTTY;
    return -1;
  }
  struct operations *list = argument;
  for (uint32_t i = 0; i < list->n; i++) {
    struct operation *o = &list->at[i];
    const struct pmon_address a = {.package = o->cpu / 2u, .space = PMON_SPACE_MSR, .width_bits = 64, .offset = o->msr};
    if (!o->is_read || tree_fails(fd) || (int)o->cpu == tree_now->offline_cpu ||
        machine_read(tree_now->machine, &a, &o->value))
      result = o->error = -EIO;
  }
  errno = EIO;
  return result ? -1 : 0;
}
