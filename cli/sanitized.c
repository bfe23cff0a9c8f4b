/* SPDX-License-Identifier: MIT */
/* Options of the address sanitizer for the command, in builds with sanitizers only: no search for leaks at the end,
 * which takes as long as a short command, and no stacks of allocations in reports, of which each start makes hundreds
 * for its variables. Tests that start the command in each way have other ones in their environment (`leaks` in
 * meson.build). */

const char *__asan_default_options(void);

/* The runtime calls it, which is a shared library with gcc. */
__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
  return "detect_leaks=0:malloc_context_size=1";
}
