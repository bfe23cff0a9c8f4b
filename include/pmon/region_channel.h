/* SPDX-License-Identifier: MIT */
/*
 * The channel between the regions of pmon/region.h and a `pmon stat` that measures the real host: shared memory with
 * slots for requests, and a socket that wakes the measuring process. pmon/region.h includes this header; programs do
 * not use it directly. docs/regions.md describes the protocol.
 *
 * `pmon stat` sets the environment variable PMON_REGIONS=MEMORY,SOCKET,INODE: two inherited descriptors, and the
 * socket's inode number, which shows whether the program has closed the descriptor and reused its number. Without the
 * variable nothing is measured, and a begin or end costs a load and a branch.
 *
 * At a begin or end a thread claims a slot, fills it in, wakes the measuring process, and waits until that process has
 * read the counters. It never waits for a process that has ended: the socket reports this. The code calls the kernel
 * directly: it does not change errno, and works in signal handlers and after fork().
 */
#ifndef PMON_REGION_CHANNEL_H
#define PMON_REGION_CHANNEL_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>

/* Maximum length of a name, in bytes without the NUL; longer names are truncated. */
#define PMON_REGION_NAME_MAX 119

#define PMON_REGION_VARIABLE_ "PMON_REGIONS"
#define PMON_REGION_MAGIC_ UINT64_C(0x316e6f6967657270) /* "pregion1" */

enum { PMON_REGION_SLOTS_ = 256, PMON_REGION_BEGINS_ = 1, PMON_REGION_ENDS_ = 2 };

/* A slot's states. The measuring process makes the change from requested to read; the slot's thread makes all
 * others. */
enum { PMON_REGION_FREE_, PMON_REGION_CLAIMED_, PMON_REGION_REQUESTED_, PMON_REGION_READ_ };

struct pmon_region_slot_ {
  uint32_t state; /* a futex */
  uint32_t kind;
  int32_t process, thread;
  char name[PMON_REGION_NAME_MAX + 1];
  char unused[56]; /* padding: no two slots share a cache line */
};

struct pmon_region_area_ {
  uint64_t magic;
  uint32_t closed; /* not 0: the measurement has ended */
  uint32_t lost;   /* number of begins and ends that found no free slot */
  char unused[48];
  struct pmon_region_slot_ slots[PMON_REGION_SLOTS_];
};

#if defined(__x86_64__) && !defined(__ILP32__)

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* the code is C as well */
#endif

/* The link of this program or shared object. area NULL: the environment has not been read yet; PMON_REGION_IDLE_:
 * nothing is measured. */
struct pmon_region_link_ {
  struct pmon_region_area_ *area;
  long socket;
  uint64_t inode;
};
__attribute__((weak, visibility("hidden"))) struct pmon_region_link_ pmon_region_link_;

#define PMON_REGION_IDLE_ ((struct pmon_region_area_ *)(uintptr_t)1)

/* Makes a Linux system call. Returns its result, or a negative errno. */
static inline long pmon_region_call_(long number, const long *a)
{
  register long d __asm__("r10") = a[3], e __asm__("r8") = a[4], f __asm__("r9") = a[5];
  long result;
  __asm__ __volatile__("syscall"
                       : "=a"(result)
                       : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(d), "r"(e), "r"(f)
                       : "rcx", "r11", "memory");
  return result;
}

/* System call numbers and options. */
enum {
  PMON_REGION_FSTAT_ = 5,
  PMON_REGION_MMAP_ = 9,
  PMON_REGION_MUNMAP_ = 11,
  PMON_REGION_SCHED_YIELD_ = 24,
  PMON_REGION_GETPID_ = 39,
  PMON_REGION_SENDTO_ = 44,
  PMON_REGION_GETTID_ = 186,
  PMON_REGION_FUTEX_ = 202,
  PMON_REGION_READ_WRITE_ = 3, /* PROT_READ | PROT_WRITE */
  PMON_REGION_SHARED_ = 1,     /* MAP_SHARED */
  PMON_REGION_SEND_ = 0x4040,  /* MSG_DONTWAIT | MSG_NOSIGNAL */
  PMON_REGION_WAIT_ = 0,       /* FUTEX_WAIT */
  PMON_REGION_AGAIN_ = -11,    /* EAGAIN, EINTR */
  PMON_REGION_INTERRUPTED_ = -4,
  PMON_REGION_WAIT_NS_ = 100000000,
  PMON_REGION_TRIES_ = 1000
};

static inline long pmon_region_call_2_(long number, long first, long second)
{
  const long a[6] = {first, second, 0, 0, 0, 0};
  return pmon_region_call_(number, a);
}

/* Parses the next number of a comma-separated list. Returns -1 if there is none. */
static inline long pmon_region_number_(const char **text)
{
  const char *at = *text;
  long number = 0;
  if (*at < '0' || *at > '9')
    return -1;
  for (; *at >= '0' && *at <= '9' && number < 1000000000000000l; at++)
    number = 10 * number + (*at - '0');
  *text = *at == ',' ? at + 1 : at;
  return number;
}

/* Maps the memory of a descriptor, if it has the expected size and magic number; NULL otherwise. */
static inline struct pmon_region_area_ *pmon_region_map_(long fd)
{
  struct stat st;
  if (pmon_region_call_2_(PMON_REGION_FSTAT_, fd, (long)(uintptr_t)&st) ||
      (unsigned long)st.st_size != sizeof(struct pmon_region_area_))
    return 0;
  const long a[6] = {0, (long)sizeof(struct pmon_region_area_), PMON_REGION_READ_WRITE_, PMON_REGION_SHARED_, fd, 0};
  const long at = pmon_region_call_(PMON_REGION_MMAP_, a);
  if (at < 0 && at > -4096)
    return 0;
  struct pmon_region_area_ *area = (struct pmon_region_area_ *)(uintptr_t)at;
  if (area->magic == PMON_REGION_MAGIC_)
    return area;
  pmon_region_call_2_(PMON_REGION_MUNMAP_, at, (long)sizeof(struct pmon_region_area_));
  return 0;
}

/* Reads the environment variable, once, and links to the measuring process. A set-user-ID program ignores the
 * variable. */
static inline struct pmon_region_area_ *pmon_region_look_(void)
{
  const char *text = getauxval(AT_SECURE) ? 0 : getenv(PMON_REGION_VARIABLE_);
  struct pmon_region_area_ *area = 0, *before = 0;
  if (text) {
    const long memory = pmon_region_number_(&text), to = pmon_region_number_(&text), inode = pmon_region_number_(&text);
    area = inode < 0 ? 0 : pmon_region_map_(memory);
    __atomic_store_n(&pmon_region_link_.socket, to, __ATOMIC_RELAXED);
    __atomic_store_n(&pmon_region_link_.inode, (uint64_t)inode, __ATOMIC_RELAXED);
  }
  struct pmon_region_area_ *found = area ? area : PMON_REGION_IDLE_;
  if (__atomic_compare_exchange_n(&pmon_region_link_.area, &before, found, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return found;
  if (area) /* another thread has set the link first */
    pmon_region_call_2_(PMON_REGION_MUNMAP_, (long)(uintptr_t)area, (long)sizeof *area);
  return before;
}

/* Wakes the measuring process. Returns 0 if the process has ended, or the descriptor is no longer the socket. */
static inline int pmon_region_wake_(void)
{
  const long to = __atomic_load_n(&pmon_region_link_.socket, __ATOMIC_RELAXED);
  const long a[6] = {to, (long)(uintptr_t) "r", 1, PMON_REGION_SEND_, 0, 0};
  struct stat st;
  if (pmon_region_call_2_(PMON_REGION_FSTAT_, to, (long)(uintptr_t)&st) ||
      st.st_ino != __atomic_load_n(&pmon_region_link_.inode, __ATOMIC_RELAXED))
    return 0;
  const long sent = pmon_region_call_(PMON_REGION_SENDTO_, a);
  return sent == 1 || sent == PMON_REGION_AGAIN_ || sent == PMON_REGION_INTERRUPTED_;
}

/* Claims a slot for this thread. Returns NULL if all slots remain in use. */
static inline struct pmon_region_slot_ *pmon_region_claim_(struct pmon_region_area_ *area, unsigned first)
{
  for (int i = 0; i < PMON_REGION_TRIES_; i++) {
    for (unsigned k = 0; k < PMON_REGION_SLOTS_; k++) {
      struct pmon_region_slot_ *slot = &area->slots[(first + k) % PMON_REGION_SLOTS_];
      uint32_t state = PMON_REGION_FREE_;
      if (__atomic_compare_exchange_n(&slot->state, &state, (uint32_t)PMON_REGION_CLAIMED_, 0, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED))
        return slot;
    }
    pmon_region_call_2_(PMON_REGION_SCHED_YIELD_, 0, 0);
  }
  __atomic_add_fetch(&area->lost, 1, __ATOMIC_RELAXED);
  return 0;
}

/* Requests a counter read, and waits for it. */
__attribute__((noinline, cold, unused)) static void pmon_region_request_(uint32_t kind, const char *name)
{
  static const int64_t timeout[2] = {0, PMON_REGION_WAIT_NS_};
  struct pmon_region_area_ *area = __atomic_load_n(&pmon_region_link_.area, __ATOMIC_ACQUIRE);
  if (!area)
    area = pmon_region_look_();
  if (area == PMON_REGION_IDLE_)
    return;
  const long thread = pmon_region_call_2_(PMON_REGION_GETTID_, 0, 0);
  struct pmon_region_slot_ *slot = pmon_region_claim_(area, (unsigned)thread);
  if (!slot)
    return;
  slot->kind = kind;
  slot->process = (int32_t)pmon_region_call_2_(PMON_REGION_GETPID_, 0, 0);
  slot->thread = (int32_t)thread;
  unsigned n = 0;
  for (; n < PMON_REGION_NAME_MAX && name[n]; n++)
    slot->name[n] = name[n];
  slot->name[n] = 0;
  __atomic_store_n(&slot->state, (uint32_t)PMON_REGION_REQUESTED_, __ATOMIC_RELEASE);
  while (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE) == PMON_REGION_REQUESTED_) {
    if (__atomic_load_n(&area->closed, __ATOMIC_ACQUIRE) || !pmon_region_wake_()) {
      __atomic_store_n(&pmon_region_link_.area, PMON_REGION_IDLE_, __ATOMIC_RELEASE);
      break;
    }
    const long a[6] = {
        (long)(uintptr_t)&slot->state, PMON_REGION_WAIT_, PMON_REGION_REQUESTED_, (long)(uintptr_t)timeout, 0, 0};
    pmon_region_call_(PMON_REGION_FUTEX_, a);
  }
  __atomic_store_n(&slot->state, (uint32_t)PMON_REGION_FREE_, __ATOMIC_RELEASE);
}

/* Called at each begin and end. */
static inline void pmon_region_notify_(uint32_t kind, const char *name)
{
  if (__builtin_expect(__atomic_load_n(&pmon_region_link_.area, __ATOMIC_RELAXED) != PMON_REGION_IDLE_, 0))
    pmon_region_request_(kind, name);
}

#ifdef __cplusplus
#pragma GCC diagnostic pop
#endif

#endif

#endif
