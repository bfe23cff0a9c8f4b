/* SPDX-License-Identifier: MIT */
#include "tests/hardware/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

char *place_make(char *ret_folder, size_t size, const char *stem)
{
  static const char *const roots[] = {"/dev/shm", "/tmp"};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
    snprintf(ret_folder, size, "%s/%s-XXXXXX", roots[i], stem);
    if (access(roots[i], W_OK) == 0 && mkdtemp(ret_folder))
      return ret_folder;
  }
  return NULL;
}
