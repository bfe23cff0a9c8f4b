/* SPDX-License-Identifier: MIT */
/*
 * Reads lines of its own memory of 256 MB, each of 65,536 once: in steps of 256 KB, then the next line of each. Its
 * argument says which pages map it:
 *
 * small: of 4 KB; advised: madvise(MADV_HUGEPAGE); 2M, 1G: mmap(MAP_HUGETLB)
 * again: of 4 KB, all of which are used and unmapped; then as advised, in their place
 * back: as advised, all of which are used and unmapped; then of 4 KB, in their place
 * moved: as advised, but mremap() moves it before it is read
 * child: as advised, by a child of the process
 *
 * Exits with 77 where the host has no such pages.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BYTES = 256 << 20, LARGE = 2 << 20, STEP = 256 << 10, LINES = 64, BITS_1G = 30, SHIFT = 26 };

static void memory_read(const volatile char *at, size_t lines, size_t step)
{
  for (size_t line = 0; line < lines; line++)
    for (size_t i = line * 64; i < BYTES; i += step)
      at[i];
}

/* Maps memory that begins with a large page, at `place` unless that is NULL. Where the kernel must use large pages,
 * QEMU needs an aligned address. */
static char *memory_map(char *place, int flags)
{
  char *at = place ? place : flags ? (char *)(UINT64_C(1) << 40) : NULL;
  char *p = mmap(at, BYTES + LARGE, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED : 0) | flags, -1, 0);
  if (p == MAP_FAILED)
    _exit(flags & MAP_HUGETLB ? 77 : 1);
  return p + (-(uintptr_t)p & (LARGE - 1));
}

int main(int argc, char **argv)
{
  const char *how = argc > 1 ? argv[1] : "";
  const int is_2m = !strcmp(how, "2M"), is_1g = !strcmp(how, "1G"), back = !strcmp(how, "back");
  char *p = memory_map(NULL, is_2m ? MAP_HUGETLB : is_1g ? MAP_HUGETLB | BITS_1G << SHIFT : 0);
  if (!strcmp(how, "again")) {
    memory_read(p, 1, 4096);
    munmap(p, BYTES);
    p = memory_map(p, 0);
  }
  if (strcmp(how, "small") && !is_2m && !is_1g && madvise(p, BYTES, MADV_HUGEPAGE))
    return 1;
  if (back) {
    memory_read(p, 1, 4096);
    munmap(p, BYTES);
    p = memory_map(p, 0);
  }
  if (!strcmp(how, "moved") &&
      (p = mremap(p, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, memory_map(NULL, 0))) == MAP_FAILED)
    return 1;
  if (!strcmp(how, "child") && fork() > 0)
    return wait(NULL) < 0;
  memory_read(p, LINES, STEP);
  return 0;
}
