/* SPDX-License-Identifier: MIT */
#include "src/access/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct batch_list {
  uint32_t n;
  struct batch_operation *operations;
};

#define BATCH_CALL _IOWR('c', 0xa2, struct batch_list)

void batch_open(struct batch *b, const struct system *s)
{
  struct system_file file = {.root = s->dev, .name = "cpu/msr_batch", .needs = "", .flags = O_RDWR};
  b->n = 0;
  b->fd = -1;
  if (system_open(&file, NULL, &b->fd))
    b->fd = -1;
}

void batch_close(struct batch *b)
{
  if (b->fd >= 0)
    close(b->fd);
  b->fd = -1;
}

void batch_add(struct batch *b, uint32_t cpu, struct pmon_read *read)
{
  if (b->n == BATCH_MOST)
    batch_read(b);
  b->operations[b->n] =
      (struct batch_operation){.cpu = (uint16_t)cpu, .is_read = 1, .msr = (uint32_t)read->address.offset};
  b->reads[b->n++] = read;
}

void batch_read(struct batch *b)
{
  struct batch_list list = {b->n, b->operations};
  /* If one operation is refused, the others may not have been performed. Each is then repeated alone. */
  const bool made = b->n && b->fd >= 0 && ioctl(b->fd, BATCH_CALL, &list) >= 0;
  const bool unknown = !made && b->n && (errno == ENOTTY || errno == EINVAL || errno == EPERM || errno == EFAULT);
  for (uint32_t i = 0; made && i < b->n; i++)
    if (!b->operations[i].error) {
      b->reads[i]->value = b->operations[i].value;
      b->reads[i]->status = 0;
    }
  if (unknown)
    batch_close(b);
  b->n = 0;
}
