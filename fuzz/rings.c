/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the shared memory of a live run, written by an honest and by a hostile producer: a small machine reads it to
 * the end, or it is refused. The first byte selects the reader, for a program or for a guest. Then come steps, each a
 * letter, the number of a slot and the step's arguments (below). A step is executed whenever the reader looks for
 * records.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz/small.h"
#include "machine/trace/area.h"
#include "machine/trace/guest.h"
#include "machine/trace/live_state.h"
#include "machine/trace/placement.h"
#include "machine/trace/workload.h"

enum { STEPS_MOST = 2000, WORDS_MOST = 1 << 18, TURNS_MOST = 4000, PROCESSORS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The producers: the rest of the input, and the reader that it is for. */
struct script {
  const uint8_t *at, *end;
  struct ring_area *area;
  struct live *live; /* NULL: a guest */
  struct guest *guest;
  const struct trace_source_ops *ops; /* the original operations of the reader */
  struct trace_source_ops turns;      /* as `ops`, but with a step before each call */
  unsigned steps, words, waits;
};
static struct script script;

static uint64_t take(unsigned bytes)
{
  uint64_t v = 0;
  for (unsigned i = 0; i < bytes && script.at < script.end; i++)
    v |= (uint64_t)*script.at++ << 8 * i;
  return v;
}

static void ring_put(struct ring *r, uint64_t word)
{
  if (script.words++ < WORDS_MOST)
    r->record[r->head++ & (RING_RECORDS - 1)] = word;
}

/* c: starts a thread in the slot, as ring_attach() of the plugin does; of this process or of another. */
static void step_claim(struct ring *r)
{
  r->head = r->limit = r->seen_tail = r->published = r->tail = 0;
  r->process = take(1) & 1 ? (int32_t)getppid() : script.live ? script.live->pid : 0;
  r->serial = script.area->serials++;
  r->state = RING_RUNNING;
}

/* b: blocks, each with an access after it. */
static void step_blocks(struct ring *r)
{
  const uint32_t shape = (uint32_t)take(2), n = (uint32_t)take(1) + 1;
  const uint64_t pc = take(4), address = take(6);
  for (uint32_t i = 0; i < n; i++) {
    ring_put(r, record_block(pc + 64 * i, shape % RECORD_MAX_BYTES + 1, shape % RECORD_MAX_COUNT + 1));
    ring_put(r, record_access(address + 61 * i, shape % (RING_SIZE_LOG2_MOST + 1), shape >> 9 & 1, shape >> 10));
  }
  r->published = r->head;
}

/* w: any word, repeated. */
static void step_words(struct ring *r)
{
  const uint32_t n = (uint32_t)take(2) + 1;
  const uint64_t word = take(8);
  for (uint32_t i = 0; i < n; i++)
    ring_put(r, word);
  r->published = r->head;
}

/* m: a mark, and the state and the text of its name. */
static void step_mark(struct ring *r)
{
  const uint32_t number = (uint32_t)take(2);
  struct ring_name *name = &script.area->name[number % RING_NAMES];
  name->state = (uint32_t)take(1) % 4;
  memset(name->text, (int)take(1), take(1) % (RING_NAME_BYTES + 1));
  ring_put(r, record_mark(number, take(1) & 1));
  r->published = r->head;
}

/* s: any state of the slot. */
static void step_state(struct ring *r)
{
  r->state = (uint32_t)take(1) % 8;
}

/* h: any value in a word of the ring before its records. */
static void step_header(struct ring *r)
{
  const size_t at = take(1) % (3 * 64 / sizeof(uint32_t));
  const unsigned bytes = (unsigned)(1 + take(1) % 8);
  uint64_t value = take(bytes);
  if (bytes & 1)
    value = ~value;
  memcpy((char *)r + at * sizeof(uint32_t), &value, at % 2 ? sizeof(uint32_t) : sizeof value);
}

/* a: any value in a word of the area's header. */
static void step_area(struct ring *r)
{
  const size_t at = take(1) % (128 / sizeof(uint32_t));
  uint32_t value = (uint32_t)take(4);
  (void)r;
  memcpy((char *)script.area + at * sizeof value, &value, sizeof value);
}

/* e: the command has ended, or the guest's processors wait for a response. q: the guest's processors wait for time to
 * pass. */
static void step_end(struct ring *r)
{
  (void)r;
  if (script.live)
    script.live->gone = true;
  else
    guest_stands(script.guest, true);
}

static void step_sleep(struct ring *r)
{
  (void)r;
  if (script.guest)
    guest_sleeps(script.guest, true);
}

static const struct {
  char letter;
  void (*act)(struct ring *r);
} steps[] = {{'c', step_claim},  {'b', step_blocks}, {'w', step_words}, {'m', step_mark}, {'s', step_state},
             {'h', step_header}, {'a', step_area},   {'e', step_end},   {'q', step_sleep}};

/* Executes the next step. False: the script has ended, and with it the program. */
static bool next_step(void)
{
  const bool more = script.at < script.end && script.steps++ < STEPS_MOST;
  if (!more) {
    step_end(NULL);
    return false;
  }
  const uint8_t letter = (uint8_t)take(1);
  struct ring *r = &script.area->ring[take(1) % RING_THREADS];
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if ((uint8_t)steps[i].letter == letter)
      steps[i].act(r);
  return true;
}

/* The reader would wait for the program: the next step is executed instead. */
static int turn_await(struct trace_source *s, unsigned thread)
{
  const bool more = next_step();
  if (script.guest && !more && ++script.waits > 3)
    return -1; /* a guest does not end by itself */
  if (!more || script.guest || script.area->serials != script.live->n)
    return script.ops->await(s, thread);
  return 0;
}

/* Checks that the delivered records are valid for the machine. */
static int turn_window(struct trace_source *s, unsigned thread, struct trace_window *ret)
{
  next_step();
  const int rc = script.ops->window(s, thread, ret);
  if (rc < 0 && !*s->error)
    abort();
  for (size_t i = 0; rc >= 0 && i < ret->n; i++) {
    const uint64_t r = ret->record[i];
    if (record_is_mark(r)    ? !record_mark_is_valid(r)
        : record_is_block(r) ? !record_count(r) || !record_bytes(r)
        : record_is_note(r)  ? !record_note_is_valid(r)
                             : record_size_log2(r) > RING_SIZE_LOG2_MOST)
      abort();
  }
  return rc;
}

static void script_take_source(struct trace_source *s)
{
  script.ops = s->ops;
  script.turns = *s->ops;
  script.turns.await = turn_await;
  script.turns.window = turn_window;
  s->ops = &script.turns;
}

static struct trace_source *new_live(void)
{
  struct live *l = calloc(1, sizeof *l);
  if (!l || ring_area_new(&l->fd, &l->area) || !(l->copy = calloc(RING_THREADS, sizeof *l->copy)))
    abort();
  l->base.ops = &live_ops;
  l->setup_fd = -1;
  l->pid = getpid();
  script.live = l;
  script.area = l->area;
  return &l->base;
}

static struct trace_source *new_guest(void)
{
  char error[TRACE_ERROR_SIZE];
  if (guest_open(PROCESSORS, error, sizeof error, &script.guest))
    abort();
  script.area = mmap(NULL, sizeof *script.area, PROT_READ | PROT_WRITE, MAP_SHARED, guest_memory_fd(script.guest), 0);
  if (script.area == MAP_FAILED)
    abort();
  return guest_source(script.guest);
}

/* Runs until the source ends, fails, or the machine has done enough. */
static void run(struct trace_source *s)
{
  char error[256] = "";
  struct placement *p;
  struct machine_workload *w;
  struct trace_mark mark;
  bool ended = false;
  if (placement_new(NULL, 1, 2, error, sizeof error, &p) || trace_workload_new(s, p, &w))
    abort();
  trace_workload_stop_at_marks(w);
  struct machine *m = small_machine("emr");
  machine_attach(m, w);
  for (unsigned i = 0; i < TURNS_MOST && !ended; i++) {
    const int rc = machine_run(m, machine_now_fs(m) + UINT64_C(2000000000), &ended, error, sizeof error);
    if (rc < 0 && !script.guest && !*error)
      abort();
    if (rc)
      break;
    if (trace_workload_take_mark(w, &mark) && mark.name && strlen(mark.name) >= RING_NAME_BYTES)
      abort();
  }
  machine_free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!size || size > 1 << 12)
    return 0;
  script = (struct script){.at = data + 1, .end = data + size};
  const bool guest = *data == 'g';
  struct trace_source *s = guest ? new_guest() : new_live();
  script_take_source(s);
  run(s);
  if (guest)
    munmap(script.area, sizeof *script.area);
  return 0;
}
