/* SPDX-License-Identifier: MIT */
/* Filling a caller's info struct, which may be shorter or longer than the one that this library knows. */
#ifndef PMON_PLATFORM_INFO_H
#define PMON_PLATFORM_INFO_H

#include <stddef.h>
#include <string.h>

static inline void info_fill(void *info, size_t info_size, const void *full, size_t full_size)
{
  memcpy(info, full, info_size < full_size ? info_size : full_size);
}

/* `size` is the first member of both and stays the caller's. */
#define INFO_FILL(info, full) ((full).size = (info)->size, info_fill((info), (info)->size, &(full), sizeof(full)))

#endif
