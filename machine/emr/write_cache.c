/* SPDX-License-Identifier: MIT */
/*
 * The write cache of the I/O ring ports (guide 2.5, MISC0, MISC1, SNOOP_RESP). A port owns a line that its device
 * writes, from the CHA's grant until its data have been sent to the CHA. Another request for the line makes the CHA
 * snoop the port; a later request of the same stack hits the earlier one. Simulated apart from the traffic, only while
 * a counter observes a port. A line's data follow the grant after a delay: in its first half the line is exclusive,
 * then modified.
 */
#include <stdlib.h>
#include "machine/emr/coherence.h"
#include "machine/emr/devices.h"

enum { LINES = 64 };
enum { MISS = 0x01, HIT_I = 0x02, HIT_ES = 0x04, HIT_M = 0x08, CODE = 0x10, DATA = 0x20, INVALIDATE = 0x40 };
enum {
  SECOND_READ = 0x04,
  SECOND_WRITE = 0x08,
  SECOND_ATOMIC = 0x10,
  HANDED_ON = 0x20,
  HINTED = 0x40,
  NO_PREFETCH = 0x80
};
enum { SLOW_I = 0x01, SLOW_S = 0x02, SLOW_E = 0x04, SLOW_M = 0x08, LOST = 0x10, NOT_ENOUGH = 0x20, ENOUGH = 0x40 };
enum { SNOOPS = 0x02 }; /* CACHE_TOTAL_OCCUPANCY */

struct write_cache {
  struct {
    uint64_t line;
    struct iio *owner;
    fs_t granted, modified, gone;
    bool lost;
  } of[LINES];
};

static void irp_misc_report(const struct iio *iio, uint8_t code, unsigned umask, fs_t at)
{
  block_pulse(iio->ring_port, code, EMR_UMASK(umask), 0, at, 1);
}

static unsigned write_cache_index(uint64_t line)
{
  return address_mix(line) >> 40 & (LINES - 1);
}

void write_cache_snoop(const struct traffic *t, struct socket *s, const struct request *r, fs_t at)
{
  struct write_cache *w = emr_socket(s)->write_cache;
  const unsigned i = write_cache_index(r->line);
  if (!w || w->of[i].line != r->line || at >= w->of[i].gone + t->time.cha_pipe || w->of[i].owner->stack.tile == r->tile)
    return;
  const struct op_kind *f = op_kind(r->op);
  struct iio *iio = w->of[i].owner;
  const bool owned = at >= w->of[i].granted && at < w->of[i].gone, changed = owned && at >= w->of[i].modified;
  const unsigned found = at >= w->of[i].gone ? MISS : !owned ? HIT_I : changed ? HIT_M : HIT_ES;
  irp_misc_report(iio, IRP_SNOOP_RESP, found | (f->owns ? INVALIDATE : f->code ? CODE : DATA), at);
  block_span(iio->ring_port, IRP_CACHE_TOTAL_OCCUPANCY, EMR_UMASK(SNOOPS), 0, at, at + t->time.cha_pipe, 1);
  if (!owned)
    return;
  irp_misc_report(iio, IRP_MISC1, LOST, at);
  irp_misc_report(iio, IRP_MISC1, changed ? SLOW_M : f->owns ? SLOW_I : SLOW_S, w->of[i].gone);
  w->of[i].lost = true;
}

void write_cache_access(const struct traffic *t, struct socket *s, struct iio *iio, const struct device_use *u)
{
  struct emr_socket *emr = emr_socket(s);
  if (!emr->write_cache && !(emr->write_cache = calloc(1, sizeof *emr->write_cache)))
    return; /* out of memory: the port reports nothing */
  struct write_cache *w = emr->write_cache;
  const unsigned i = write_cache_index(u->line);
  if (w->of[i].line == u->line && w->of[i].owner == iio && u->at < w->of[i].gone) {
    irp_misc_report(iio, IRP_MISC0, u->atomic ? SECOND_ATOMIC : u->write ? SECOND_WRITE : SECOND_READ, u->at);
    if (u->at < w->of[i].granted)
      irp_misc_report(iio, IRP_MISC0, HINTED, w->of[i].granted);
    if (w->of[i].lost) {
      irp_misc_report(iio, IRP_MISC0, NO_PREFETCH, w->of[i].gone);
      irp_misc_report(iio, IRP_MISC1, NOT_ENOUGH, w->of[i].gone);
    } else {
      irp_misc_report(iio, IRP_MISC0, HANDED_ON, w->of[i].gone);
      irp_misc_report(iio, IRP_MISC1, ENOUGH | SLOW_E, w->of[i].gone);
    }
  }
  if (!u->write)
    return;
  w->of[i].line = u->line;
  w->of[i].owner = iio;
  w->of[i].granted = u->done;
  w->of[i].modified = u->done + t->time.enter;
  w->of[i].gone = u->done + 2 * t->time.enter + t->time.cha_pipe;
  w->of[i].lost = false;
}

bool write_caches_observed(const struct traffic *t, const struct socket *s)
{
  const struct emr_socket *emr = emr_socket(s);
  static const uint8_t codes[] = {IRP_SNOOP_RESP, IRP_MISC0, IRP_MISC1, IRP_CACHE_TOTAL_OCCUPANCY};
  for (unsigned i = 0; i < t->stacks; i++)
    for (unsigned k = 0; emr->iio[i].ring_port && k < sizeof codes; k++)
      if (block_code_enabled(emr->iio[i].ring_port, codes[k]))
        return true;
  return false;
}
