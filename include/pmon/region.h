/* SPDX-License-Identifier: MIT */
/*
 * Regions: a program names parts of itself, and pmon counts events while these run. Header-only: the program needs no
 * library, and runs unchanged without a measurement.
 *
 *   PMON_REGION_BEGIN("solve");
 *   ...
 *   PMON_REGION_END("solve");
 *
 * Each thread has its own regions. A region may contain others, and itself (recursion: the outermost begin and end
 * count). Regions need not be nested properly: "a" may end before "b" that began inside it. A begin without an end, and
 * an end without a begin, are reported with the results.
 *
 * Uncore counters belong to a socket, not to a thread: a region's count is everything that the machine did while the
 * region was open, whichever thread caused it. docs/regions.md states what is exact.
 *
 * Cost without a measurement, on x86-64: a load, a branch and one instruction without operation (7 bytes); a function
 * also reads the first byte of the name. `pmon stat -- PROGRAM` recognises these instructions in the programs that it
 * emulates. On a real host the program asks the measuring process to read the counters, and waits for it
 * (pmon/region_channel.h). PMON_REGION_EMULATED_ONLY, defined before the header is included, leaves this request out,
 * and with it every use of the C library. On other processors a begin or end does nothing.
 */
#ifndef PMON_REGION_H
#define PMON_REGION_H

#ifndef PMON_REGION_EMULATED_ONLY
#include <pmon/region_channel.h>
#endif

/* Maximum length of a name, in bytes without the NUL; longer names are truncated. */
#ifndef PMON_REGION_NAME_MAX
#define PMON_REGION_NAME_MAX 119
#endif

#if defined(__x86_64__) && !defined(__ILP32__)

/* Notifies the measuring process: before the mark of a begin and after the mark of an end, so that the notification is
 * not part of an emulated region. */
#ifdef PMON_REGION_EMULATED_ONLY
#define PMON_REGION_NOTIFY_(kind, name) ((void)0)
#else
#define PMON_REGION_NOTIFY_(kind, name) pmon_region_notify_(kind, name)
#endif

/*
 * The instruction `nopl MARK(%rip)`. MARK is in section pmon_regions: the 8 bytes "pmonregn", a byte that is 1 for a
 * begin and 2 for an end, and the name with a terminating zero. No compiler generates this form of nopl for alignment.
 * Basic asm: no character of the name has a special meaning. The empty statements keep the compiler from moving memory
 * accesses across the mark.
 */
#define PMON_REGION_MARK_(kind, name)                                                                                  \
  do {                                                                                                                 \
    __asm__ __volatile__("" ::: "memory");                                                                             \
    __asm__(".pushsection pmon_regions,\"a\",@progbits\n"                                                              \
            "777: .ascii \"pmonregn\"\n"                                                                               \
            ".byte " kind "\n"                                                                                         \
            ".asciz " #name "\n"                                                                                       \
            ".popsection\n"                                                                                            \
            "nopl 777b(%rip)");                                                                                        \
    __asm__ __volatile__("" ::: "memory");                                                                             \
  } while (0)

/* Begins or ends a region of this thread. `name` is a string literal. */
#define PMON_REGION_BEGIN(name)                                                                                        \
  do {                                                                                                                 \
    PMON_REGION_NOTIFY_(1, name);                                                                                      \
    PMON_REGION_MARK_("1", name);                                                                                      \
  } while (0)
#define PMON_REGION_END(name)                                                                                          \
  do {                                                                                                                 \
    PMON_REGION_MARK_("2", name);                                                                                      \
    PMON_REGION_NOTIFY_(2, name);                                                                                      \
  } while (0)

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the code is C as well */
#endif

/* Begin or end a region whose name is known at run time only: `name` is not NULL, and is read during the call only. The
 * instruction `cmpb $KIND, 0x706d6f6e(%rdi)` reads the name's first byte and changes only flags. */
static inline void pmon_region_begin(const char *name)
{
  PMON_REGION_NOTIFY_(1, name);
  __asm__ __volatile__("cmpb $0x42, 0x706d6f6e(%0)" : : "D"((__UINTPTR_TYPE__)name - 0x706d6f6e) : "cc", "memory");
}

static inline void pmon_region_end(const char *name)
{
  __asm__ __volatile__("cmpb $0x45, 0x706d6f6e(%0)" : : "D"((__UINTPTR_TYPE__)name - 0x706d6f6e) : "cc", "memory");
  PMON_REGION_NOTIFY_(2, name);
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#else

#define PMON_REGION_BEGIN(name) ((void)(name))
#define PMON_REGION_END(name) ((void)(name))

static inline void pmon_region_begin(const char *name)
{
  (void)name;
}

static inline void pmon_region_end(const char *name)
{
  (void)name;
}

#endif

#ifdef __cplusplus
namespace pmon
{
/* A region from its construction to the end of the scope, also when an exception leaves the scope. `name` must live as
 * long. */
class region
{
public:
  explicit region(const char *name) : name_(name)
  {
    pmon_region_begin(name_);
  }
  ~region()
  {
    pmon_region_end(name_);
  }
  region(const region &) = delete;
  region &operator=(const region &) = delete;

private:
  const char *name_;
};
} // namespace pmon
#endif

#endif
