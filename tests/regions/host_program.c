/* SPDX-License-Identifier: MIT */
/*
 * A program with regions for a host whose counters follow the work that the program reports: nanoseconds in a file that
 * both map (tests/hardware/tree.h). The counts of a region are then known, however long it takes. usage: host_program
 * WORK-FILE WHAT [ARGUMENT]
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmon/region.h>

static uint64_t *work_ns;
static const char *program, *file;

static void work(uint64_t us)
{
  __atomic_add_fetch(work_ns, us * 1000, __ATOMIC_RELEASE);
}

static void simple(void)
{
  work(500);
  PMON_REGION_BEGIN("first");
  work(1000);
  PMON_REGION_END("first");
  work(700);
  for (int i = 0; i < 3; i++) {
    pmon_region_begin("second, with \"quotes\"");
    work(1000);
    pmon_region_end("second, with \"quotes\"");
  }
}

static void recursive(int depth)
{
  PMON_REGION_BEGIN("recursive");
  work(500);
  if (depth)
    recursive(depth - 1);
  PMON_REGION_END("recursive");
}

static void nested(void)
{
  PMON_REGION_BEGIN("outer");
  work(1000);
  PMON_REGION_BEGIN("inner");
  work(2000);
  PMON_REGION_END("outer");
  work(4000);
  PMON_REGION_END("inner");
  recursive(3);
}

/* A name of 200 bytes is truncated to 119. */
static void long_name(void)
{
  char name[201];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  pmon_region_begin(name);
  work(1000);
  pmon_region_end(name);
}

static pthread_barrier_t barrier;

/* Barriers let one thread work at a time. */
static void *thread_in_turn(void *data)
{
  const int mine = *(const int *)data;
  for (int i = 0; i < 2; i++) {
    pthread_barrier_wait(&barrier);
    if (i != mine)
      continue;
    PMON_REGION_BEGIN("shared");
    work(mine ? 4000 : 1000);
    PMON_REGION_END("shared");
  }
  pthread_barrier_wait(&barrier);
  return NULL;
}

static void in_threads(void *(*run)(void *), unsigned n)
{
  static const int number[2] = {0, 1};
  pthread_t other[16];
  pthread_barrier_init(&barrier, NULL, n);
  for (unsigned i = 0; i < n; i++)
    if (pthread_create(&other[i], NULL, run, (void *)(uintptr_t)&number[i & 1]))
      exit(1);
  for (unsigned i = 0; i < n; i++)
    pthread_join(other[i], NULL);
}

static void *many_calls(void *data)
{
  (void)data;
  for (int i = 0; i < 50; i++) {
    PMON_REGION_BEGIN("busy");
    work(1);
    PMON_REGION_END("busy");
  }
  return NULL;
}

static pid_t ended_thread;

static void *thread_that_ends(void *data)
{
  (void)data;
  ended_thread = gettid();
  PMON_REGION_BEGIN("never ends");
  work(1000);
  return NULL;
}

/* Work after the thread's end is not counted in its region: the next begin detects that the thread has ended. */
static void thread_ends(void)
{
  in_threads(thread_that_ends, 1);
  while (!tgkill(getpid(), ended_thread, 0))
    sched_yield();
  PMON_REGION_BEGIN("later");
  work(7000);
  PMON_REGION_END("later");
}

static void forked(void)
{
  PMON_REGION_BEGIN("parent");
  work(1000);
  const pid_t child = fork();
  if (!child) {
    PMON_REGION_BEGIN("child");
    work(2000);
    PMON_REGION_END("child");
    _exit(0);
  }
  waitpid(child, NULL, 0);
  PMON_REGION_END("parent");
  const pid_t other = fork();
  if (!other) {
    execl(program, program, file, "simple", (char *)NULL);
    _exit(1);
  }
  waitpid(other, NULL, 0);
}

/* The program dies in a region, after some work. */
static void killed(void)
{
  PMON_REGION_END("never began");
  PMON_REGION_BEGIN("never ends");
  work(1000);
  raise(SIGKILL);
}

/* Descriptors that the program closes and reuses are not touched. */
static void closes_descriptors(void)
{
  int ends[2], memory = -1, to = -1;
  char byte;
  PMON_REGION_BEGIN("before");
  work(1000);
  PMON_REGION_END("before");
  const char *text = getenv("PMON_REGIONS");
  if (!text || sscanf(text, "%d,%d", &memory, &to) != 2 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) ||
      dup2(ends[0], to) < 0 || dup2(ends[0], memory) < 0)
    exit(1);
  PMON_REGION_BEGIN("after");
  work(1000);
  PMON_REGION_END("after");
  if (recv(ends[1], &byte, 1, 0) >= 0 || errno != EAGAIN)
    exit(1);
}

/* Hostile programs: they access the memory and the socket directly. */
static struct pmon_region_area_ *area;
static int channel_socket, channel_memory;

static void open_channel(void)
{
  const char *text = getenv("PMON_REGIONS");
  if (!text || sscanf(text, "%d,%d", &channel_memory, &channel_socket) != 2)
    exit(1);
  void *at = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, channel_memory, 0);
  if (at == MAP_FAILED)
    exit(1);
  area = at;
}

static void wake(void)
{
  if (send(channel_socket, "x", 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno != EAGAIN)
    exit(1);
}

/* Fills in a slot and waits until it is acknowledged. */
static void request(unsigned slot, uint32_t kind, int32_t thread, char fill)
{
  struct pmon_region_slot_ *s = &area->slots[slot % PMON_REGION_SLOTS_];
  s->kind = kind;
  s->process = -thread;
  s->thread = thread;
  memset(s->name, fill, sizeof s->name);
  __atomic_store_n(&s->state, (uint32_t)PMON_REGION_REQUESTED_, __ATOMIC_RELEASE);
  wake();
  while (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == PMON_REGION_REQUESTED_)
    sched_yield();
  __atomic_store_n(&s->state, (uint32_t)PMON_REGION_FREE_, __ATOMIC_RELEASE);
}

/* Unknown kinds, names without an end or without a character, impossible threads. Valid requests are measured
 * nevertheless. */
static void hostile_requests(void)
{
  static const int32_t threads[] = {0, -1, INT32_MIN, INT32_MAX, 1};
  open_channel();
  for (unsigned i = 0; i < sizeof threads / sizeof *threads; i++) {
    request(i, 0, threads[i], 'a');
    request(i, UINT32_MAX, threads[i], 'a');
    request(i, PMON_REGION_BEGINS_, threads[i], '\0');
    request(i, PMON_REGION_ENDS_, threads[i], 'a');
    request(i, PMON_REGION_BEGINS_, threads[i], (char)0xff);
    request(i, PMON_REGION_ENDS_, threads[i], (char)0xff);
  }
  PMON_REGION_BEGIN("valid");
  work(1000);
  PMON_REGION_END("valid");
}

/* More threads than pmon follows. */
static void hostile_threads(void)
{
  open_channel();
  for (int32_t i = 0; i < 5000; i++)
    request((unsigned)i, PMON_REGION_ENDS_, 100000 + i, 'a');
}

/* The memory changes all the time while pmon reads it, and is full of requests at the end. */
static void hostile_memory(void)
{
  uint32_t random = 1, *words;
  open_channel();
  if (!ftruncate(channel_memory, 0) || !ftruncate(channel_memory, 1 << 20))
    exit(1); /* its size cannot change */
  words = (uint32_t *)(void *)area;
  for (int i = 0; i < 20000000; i++) {
    random = random * 1664525 + 1013904223;
    const uint32_t at = (random >> 8) % (sizeof *area / sizeof *words);
    __atomic_store_n(&words[at], i & 1 ? (uint32_t)PMON_REGION_REQUESTED_ : random, __ATOMIC_RELAXED);
    if (!(i & 0xffff))
      wake();
  }
  memset(area, PMON_REGION_REQUESTED_, sizeof *area);
  for (unsigned i = 0; i < PMON_REGION_SLOTS_; i++)
    area->slots[i].state = PMON_REGION_REQUESTED_;
  wake();
}

static void hostile_socket(void)
{
  open_channel();
  shutdown(channel_socket, SHUT_RDWR);
  PMON_REGION_BEGIN("after");
  work(1000);
  PMON_REGION_END("after");
}

/* All slots stay in use: nothing is measured, and no thread waits. */
static void hostile_slots(void)
{
  open_channel();
  for (unsigned i = 0; i < PMON_REGION_SLOTS_; i++)
    area->slots[i].state = PMON_REGION_CLAIMED_;
  PMON_REGION_BEGIN("none");
  work(1000);
  PMON_REGION_END("none");
}

/* The measuring process is killed during a region: the program continues. */
static void kills(void)
{
  PMON_REGION_BEGIN("first");
  kill(getppid(), SIGKILL);
  PMON_REGION_END("first");
  for (int i = 0; i < 1000; i++) {
    PMON_REGION_BEGIN("second");
    PMON_REGION_END("second");
  }
  puts("the program has ended");
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*run)(void);
  } all[] = {{"simple", simple},
             {"nested", nested},
             {"long", long_name},
             {"thread-ends", thread_ends},
             {"forked", forked},
             {"killed", killed},
             {"closes", closes_descriptors},
             {"requests", hostile_requests},
             {"many-threads", hostile_threads},
             {"memory", hostile_memory},
             {"socket", hostile_socket},
             {"slots", hostile_slots},
             {"kills", kills}};
  if (argc < 3)
    return 2;
  program = argv[0];
  file = argv[1];
  const int fd = open(file, O_RDWR | O_CLOEXEC);
  void *at = mmap(NULL, sizeof *work_ns, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd < 0 || at == MAP_FAILED)
    return 1;
  work_ns = at;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!strcmp(argv[2], all[i].name))
      return all[i].run(), 0;
  if (!strcmp(argv[2], "threads"))
    in_threads(thread_in_turn, 2);
  else if (!strcmp(argv[2], "busy"))
    in_threads(many_calls, 16);
  else
    return 2;
  return 0;
}
