/* SPDX-License-Identifier: MIT */
/*
 * A measured program that writes into the measurement's shared memory, which it finds among the descriptors of the
 * measuring process. usage: ring-writer MODE READY [SEED]. It writes a line into the file READY, and then runs until a
 * signal ends it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "machine/trace/ring.h"

static struct ring_area *area;
static int memory = -1;
static uint64_t random_state = 1;

static uint64_t next_random(void)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

/* Opens the shared memory of this name in the parent; -1: it does not exist. */
static int open_memory(const char *name, int how)
{
  char folder[64], path[400], to[200];
  struct dirent *entry;
  int fd = -1;
  snprintf(folder, sizeof folder, "/proc/%d/fd", (int)getppid());
  DIR *d = opendir(folder);
  while (fd < 0 && d && (entry = readdir(d))) {
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    const ssize_t n = readlink(path, to, sizeof to - 1);
    to[n > 0 ? n : 0] = 0;
    if (strstr(to, name))
      fd = open(path, how);
  }
  if (d)
    closedir(d);
  return fd;
}

/* All rings, its own and the others: what is written into all of them reaches its own. */
#define FOR_EACH_RING(r) for (struct ring *r = area->ring; r < area->ring + RING_THREADS; r++)

static void write_words(uint64_t word, unsigned step)
{
  FOR_EACH_RING(r)
  if (r->state)
    for (unsigned i = 0; i < RING_RECORDS; i += step)
      r->record[i] = word;
}

static int hostile_sizes(void)
{
  char byte = 0;
  const int setup = open_memory("memfd:pmon-setup", O_RDWR);
  const bool refused = ftruncate(memory, 0) && ftruncate(memory, (off_t)sizeof *area + 4096) &&
                       (setup < 0 || (pwrite(setup, &byte, 1, 0) < 0 && ftruncate(setup, 0)));
  return refused ? 0 : 3;
}

static int hostile_published(void)
{
  FOR_EACH_RING(r)
  r->published = r->head = UINT64_MAX;
  return 0;
}

static int hostile_published_back(void)
{
  FOR_EACH_RING(r)
  r->published = r->head = 1;
  return 0;
}

static int hostile_states(void)
{
  for (uint32_t i = 0; i < RING_THREADS; i++)
    area->ring[i].state = i % 2 ? i : UINT32_MAX - i;
  return 0;
}

static int hostile_serials(void)
{
  area->serials = UINT32_MAX;
  return 0;
}

/* Threads that never existed, in every slot. */
static int hostile_threads(void)
{
  for (uint32_t i = 0; i < RING_THREADS; i++)
    if (!area->ring[i].state) {
      area->ring[i].serial = area->serials++;
      area->ring[i].process = (int32_t)next_random();
      area->ring[i].state = RING_RUNNING;
    }
  return 0;
}

static int hostile_processes(void)
{
  FOR_EACH_RING(r)
  r->process = 1;
  return 0;
}

static int hostile_end(void)
{
  area->gone = 1;
  return 0;
}

static int hostile_sizes_of_accesses(void)
{
  write_words(record_access(0x1000, 15, false, 1), 1);
  return 0;
}

static int hostile_sleeps(void)
{
  write_words(RECORD_SLEEP | RECORD_ADDRESS, 1);
  return 0;
}

static int hostile_blocks(void)
{
  write_words(RECORD_BLOCK | UINT64_C(0xffff0000), 1);
  return 0;
}

static int hostile_marks(void)
{
  memset(area->name, 'x', sizeof area->name);
  for (unsigned i = 0; i < RING_NAMES; i++)
    area->name[i].state = i % 2 ? NAME_READY : NAME_CLAIMED;
  write_words(record_mark(RING_NAMES - 1, false), 512); /* each stops the machine: not too many */
  return 0;
}

static int hostile_waits(void)
{
  area->bell = area->reader_waits = UINT32_MAX;
  FOR_EACH_RING(r)
  {
    r->tail = next_random();
    r->space = r->producer_waits = UINT32_MAX;
  }
  return 0;
}

static int hostile_head(void)
{
  FOR_EACH_RING(r)
  r->head = UINT64_MAX / 2;
  _exit(0);
}

static int hostile_numbers(void)
{
  area->lost_threads = area->children = area->unseen = area->unnamed = area->started = 1701978156;
  _exit(0);
}

/* Random words, some of them valid. */
static int hostile_random(void)
{
  uint64_t *const word = (uint64_t *)area;
  for (int i = 0; i < 200000; i++) {
    struct ring *r = &area->ring[next_random() % 4];
    const uint64_t value = next_random() >> (next_random() & 63);
    if (i % 4 == 0)
      word[next_random() % (offsetof(struct ring_area, ring) / sizeof *word)] = value;
    else if (i % 4 == 1)
      ((uint64_t *)r)[next_random() % (offsetof(struct ring, record) / sizeof *word)] = value;
    else
      r->record[next_random() % RING_RECORDS] = value;
  }
  return 0;
}

static const struct {
  const char *name;
  int (*act)(void);
} modes[] = {{"sizes", hostile_sizes},
             {"published", hostile_published},
             {"published-back", hostile_published_back},
             {"states", hostile_states},
             {"serials", hostile_serials},
             {"threads", hostile_threads},
             {"processes", hostile_processes},
             {"end", hostile_end},
             {"access-sizes", hostile_sizes_of_accesses},
             {"sleeps", hostile_sleeps},
             {"blocks", hostile_blocks},
             {"marks", hostile_marks},
             {"waits", hostile_waits},
             {"head", hostile_head},
             {"numbers", hostile_numbers},
             {"random", hostile_random}};

int main(int argc, char **argv)
{
  if (argc == 2 && !strcmp(argv[1], "list")) {
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
      puts(modes[i].name);
    return 0;
  }
  if (argc < 3 || (memory = open_memory("memfd:pmon-trace", O_RDWR)) < 0)
    return 4;
  area = mmap(NULL, sizeof *area, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (area == MAP_FAILED || area->magic != RING_MAGIC)
    return 5;
  random_state = argc > 3 ? strtoull(argv[3], NULL, 10) * 2 + 1 : 1;
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
    if (!strcmp(argv[1], modes[i].name)) {
      /* Opened in advance, so that nothing else happens after the damage. */
      const int ready = open(argv[2], O_WRONLY);
      const int result = modes[i].act();
      if (result || ready < 0 || write(ready, "ready\n", 6) != 6)
        _exit(result ? result : 6);
      for (;;)
        modes[i].act();
    }
  return 7;
}
