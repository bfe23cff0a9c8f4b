/* SPDX-License-Identifier: MIT */
#include "machine/trace/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum work_state { WORK_NONE, WORK_WAITS, WORK_TAKEN, WORK_DONE };

/* The arguments of the current workers_share(). next: the call's number, the end and the start of the range of parts
 * that have not begun. The call's number prevents a thread from taking a part of a later call by mistake. The caller
 * takes parts from the start and the sharers from the end, so that most parts are done by the same thread as in the
 * previous call. */
struct share {
  void (*run)(void *context, unsigned i);
  void *context;
  _Alignas(64) uint64_t next;
  _Alignas(64) uint32_t left; /* number of parts that are not done */
};
enum { SHARE_CALL = 32, SHARE_END = 16, SHARE_MOST = 0xffff };

/* Polls for more parts before a thread sleeps: about 0.1 ms. */
enum { SHARE_LOOKS = 4000 };

struct workers {
  struct share share;
  unsigned sharers; /* the first threads, one per processor: others would delay the shared parts */
  unsigned begun;
  uint32_t asleep; /* number of sleeping sharers */
  unsigned idle;   /* number of other threads that wait for work */
  pthread_mutex_t lock;
  pthread_cond_t shared, wanted, done; /* parts or work for sharers; work, or the end; some work is done */
  struct work *first, *last;           /* work that waits for a thread */
  bool ends;
  unsigned n;
  pthread_t thread[];
};

/* Called with the lock; `first` is also read without it. */
static void workers_set_first(struct workers *ws, struct work *w)
{
  __atomic_store_n(&ws->first, w, __ATOMIC_RELAXED);
}

/* Removes the work from the waiting list. */
static void work_unlink(struct workers *ws, struct work *w)
{
  if (w->before)
    w->before->next = w->next;
  else
    workers_set_first(ws, w->next);
  *(w->next ? &w->next->before : &ws->last) = w->before;
  w->before = w->next = NULL;
}

static void work_set_state(struct work *w, enum work_state state)
{
  __atomic_store_n(&w->state, (int)state, __ATOMIC_RELEASE);
}

static enum work_state work_state(const struct work *w)
{
  return (enum work_state)__atomic_load_n(&w->state, __ATOMIC_ACQUIRE);
}

static inline bool share_is_left(uint64_t next)
{
  return (next & SHARE_MOST) < (next >> SHARE_END & SHARE_MOST);
}

/* Runs parts that have not begun, from the start or the end of the range; true if there were any. */
static bool share_take(struct share *s, bool begin)
{
  bool any = false;
  uint64_t next = __atomic_load_n(&s->next, __ATOMIC_ACQUIRE);

  while (share_is_left(next)) {
    const uint64_t then = begin ? next + 1 : next - (UINT64_C(1) << SHARE_END);
    if (!__atomic_compare_exchange_n(&s->next, &next, then, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
      continue;
    s->run(s->context, (begin ? next : then >> SHARE_END) & SHARE_MOST);
    __atomic_sub_fetch(&s->left, 1, __ATOMIC_RELEASE);
    any = true;
    next = __atomic_load_n(&s->next, __ATOMIC_ACQUIRE);
  }
  return any;
}

/* Runs shared parts until none has come for some time, or other work waits. */
static void share_stay(struct workers *ws)
{
  if (!share_take(&ws->share, false))
    return;
  for (unsigned looks = 0; looks < SHARE_LOOKS && !__atomic_load_n(&ws->first, __ATOMIC_RELAXED); looks++) {
    if (share_take(&ws->share, false))
      looks = 0;
    host_relax();
  }
}

void workers_share(struct workers *ws, void (*run)(void *context, unsigned i), void *context, unsigned n)
{
  if (!ws || !ws->sharers || n < 2) {
    for (unsigned i = 0; i < n; i++)
      run(context, i);
    return;
  }
  struct share *s = &ws->share;
  s->run = run;
  s->context = context;
  __atomic_store_n(&s->left, n, __ATOMIC_RELAXED);
  const uint64_t call = (__atomic_load_n(&s->next, __ATOMIC_RELAXED) >> SHARE_CALL) + 1;
  __atomic_store_n(&s->next, call << SHARE_CALL | (uint64_t)n << SHARE_END, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&ws->asleep, __ATOMIC_SEQ_CST)) {
    pthread_mutex_lock(&ws->lock);
    pthread_mutex_unlock(&ws->lock); /* any sharer about to sleep has seen the parts, or sleeps by now */
    pthread_cond_broadcast(&ws->shared);
  }
  share_take(s, true);
  for (unsigned looks = 0; __atomic_load_n(&s->left, __ATOMIC_ACQUIRE); looks++) {
    if (looks < SHARE_LOOKS)
      host_relax();
    else
      sched_yield(); /* the sharer that runs the last part may need this processor */
  }
}

/* Waits for work or the end; runs shared parts meanwhile. */
static void sharer_wait(struct workers *ws)
{
  while (!ws->first && !ws->ends) {
    pthread_mutex_unlock(&ws->lock);
    share_stay(ws);
    pthread_mutex_lock(&ws->lock);
    if (ws->first || ws->ends)
      return;
    __atomic_add_fetch(&ws->asleep, 1, __ATOMIC_SEQ_CST);
    if (!share_is_left(__atomic_load_n(&ws->share.next, __ATOMIC_SEQ_CST)))
      pthread_cond_wait(&ws->shared, &ws->lock);
    __atomic_sub_fetch(&ws->asleep, 1, __ATOMIC_SEQ_CST);
  }
}

static void worker_wait(struct workers *ws)
{
  ws->idle++;
  while (!ws->first && !ws->ends)
    pthread_cond_wait(&ws->wanted, &ws->lock);
  ws->idle--;
}

static void *worker_run(void *data)
{
  struct workers *ws = data;

  pthread_mutex_lock(&ws->lock);
  const bool shares = ws->begun++ < ws->sharers;
  for (;;) {
    (shares ? sharer_wait : worker_wait)(ws);
    struct work *w = ws->first;
    if (!w)
      break;
    work_unlink(ws, w);
    work_set_state(w, WORK_TAKEN);
    pthread_mutex_unlock(&ws->lock);
    w->run(w);
    pthread_mutex_lock(&ws->lock);
    work_set_state(w, WORK_DONE);
    pthread_mutex_unlock(&ws->lock); /* the woken thread finds the lock free */
    pthread_cond_broadcast(&ws->done);
    pthread_mutex_lock(&ws->lock);
  }
  pthread_mutex_unlock(&ws->lock);
  return NULL;
}

struct workers *workers_new(unsigned threads)
{
  return workers_new_sharing(threads, workers_host_threads() - 1);
}

struct workers *workers_new_sharing(unsigned threads, unsigned sharers)
{
  const size_t bytes = sizeof(struct workers) + threads * sizeof(pthread_t), line = _Alignof(struct workers);
  struct workers *ws = threads ? aligned_alloc(line, (bytes + line - 1) / line * line) : NULL;
  sigset_t all, before;

  if (!ws)
    return NULL;
  memset(ws, 0, bytes);
  ws->sharers = sharers < threads ? sharers : threads;
  pthread_mutex_init(&ws->lock, NULL);
  pthread_cond_init(&ws->shared, NULL);
  pthread_cond_init(&ws->wanted, NULL);
  pthread_cond_init(&ws->done, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (ws->n < threads && pthread_create(&ws->thread[ws->n], NULL, worker_run, ws) == 0)
    ws->n++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (ws->n)
    return ws;
  workers_free(ws);
  return NULL;
}

void workers_free(struct workers *ws)
{
  if (!ws)
    return;
  pthread_mutex_lock(&ws->lock);
  ws->ends = true;
  pthread_cond_broadcast(&ws->shared);
  pthread_cond_broadcast(&ws->wanted);
  pthread_mutex_unlock(&ws->lock);
  for (unsigned i = 0; i < ws->n; i++)
    pthread_join(ws->thread[i], NULL);
  pthread_cond_destroy(&ws->shared);
  pthread_cond_destroy(&ws->wanted);
  pthread_cond_destroy(&ws->done);
  pthread_mutex_destroy(&ws->lock);
  free(ws);
}

void work_begin(struct workers *ws, struct work *w)
{
  if (!ws) {
    work_set_state(w, WORK_WAITS);
    return;
  }
  pthread_mutex_lock(&ws->lock);
  work_set_state(w, WORK_WAITS);
  w->before = ws->last;
  w->next = NULL;
  if (ws->last)
    ws->last->next = w;
  else
    workers_set_first(ws, w);
  ws->last = w;
  pthread_cond_t *idle = ws->idle ? &ws->wanted : &ws->shared;
  pthread_mutex_unlock(&ws->lock); /* the woken thread finds the lock free */
  pthread_cond_signal(idle);
}

bool work_has_begun(const struct work *w)
{
  return work_state(w) != WORK_NONE;
}

bool work_is_done(const struct work *w)
{
  return work_state(w) == WORK_DONE;
}

/* Waits until a thread has done the work, or takes the work for the caller: true. */
static bool work_take_back(struct workers *ws, struct work *w)
{
  bool waits;

  if (!ws || work_state(w) == WORK_DONE)
    return !ws;
  pthread_mutex_lock(&ws->lock);
  waits = work_state(w) == WORK_WAITS;
  if (waits)
    work_unlink(ws, w);
  while (!waits && work_state(w) != WORK_DONE)
    pthread_cond_wait(&ws->done, &ws->lock);
  pthread_mutex_unlock(&ws->lock);
  return waits;
}

void work_finish(struct workers *ws, struct work *w)
{
  if (work_take_back(ws, w))
    w->run(w);
  work_set_state(w, WORK_NONE);
}

void work_cancel(struct workers *ws, struct work *w)
{
  if (work_has_begun(w))
    work_take_back(ws, w);
  work_set_state(w, WORK_NONE);
}

unsigned workers_host_threads(void)
{
  cpu_set_t set;

  return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}
