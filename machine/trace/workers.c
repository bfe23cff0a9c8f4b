/* SPDX-License-Identifier: MIT */
#include "machine/trace/workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

enum work_state { WORK_NONE, WORK_WAITS, WORK_TAKEN, WORK_DONE };

struct workers {
  pthread_mutex_t lock;
  pthread_cond_t wanted, done; /* there is work, or the end; some work is done */
  struct work *first, *last;   /* that waits for a thread */
  bool ends;
  unsigned n;
  pthread_t thread[];
};

/* Takes the work from the list of those that wait. */
static void work_unlink(struct workers *ws, struct work *w)
{
  *(w->before ? &w->before->next : &ws->first) = w->next;
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

static void *worker_run(void *data)
{
  struct workers *ws = data;

  pthread_mutex_lock(&ws->lock);
  for (;;) {
    while (!ws->first && !ws->ends)
      pthread_cond_wait(&ws->wanted, &ws->lock);
    struct work *w = ws->first;
    if (!w)
      break;
    work_unlink(ws, w);
    work_set_state(w, WORK_TAKEN);
    pthread_mutex_unlock(&ws->lock);
    w->run(w);
    pthread_mutex_lock(&ws->lock);
    work_set_state(w, WORK_DONE);
    pthread_mutex_unlock(&ws->lock); /* whoever is woken finds the lock free */
    pthread_cond_broadcast(&ws->done);
    pthread_mutex_lock(&ws->lock);
  }
  pthread_mutex_unlock(&ws->lock);
  return NULL;
}

struct workers *workers_new(unsigned threads)
{
  struct workers *ws = threads ? calloc(1, sizeof *ws + threads * sizeof ws->thread[0]) : NULL;
  sigset_t all, before;

  if (!ws)
    return NULL;
  pthread_mutex_init(&ws->lock, NULL);
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
  pthread_cond_broadcast(&ws->wanted);
  pthread_mutex_unlock(&ws->lock);
  for (unsigned i = 0; i < ws->n; i++)
    pthread_join(ws->thread[i], NULL);
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
  *(ws->last ? &ws->last->next : &ws->first) = w;
  ws->last = w;
  pthread_mutex_unlock(&ws->lock); /* whoever is woken finds the lock free */
  pthread_cond_signal(&ws->wanted);
}

bool work_has_begun(const struct work *w)
{
  return work_state(w) != WORK_NONE;
}

bool work_is_done(const struct work *w)
{
  return work_state(w) == WORK_DONE;
}

/* Takes the work for the caller (true), or waits until a thread has done it. */
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
