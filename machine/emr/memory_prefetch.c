/* SPDX-License-Identifier: MIT */
/*
 * Memory prefetch before the home agent's read. A miss of a core's L2 is read from memory while the CHA still looks the
 * line up (XPT, guide 2.2: XPT_PREF), and also across a link, in the space that other messages leave in its flits
 * (guide 2.9: XPT_PFTCH). M2M tracks these reads in a table of lines (guide 2.7: PREFCAM_*), where the home agent's
 * read finds them; entries that no read claims expire. Sizes and times are choices: the guide gives none.
 */
#include <pmon/status.h>
#include "machine/emr/coherence.h"
#include "machine/emr/m2m.h"
#include "machine/emr/mesh.h"

enum {
  ENTRIES = 16,
  XPT_MOST = 10,
  UPI_MOST = 8,
  INGRESS = 4,
  READS = 32,
  CREDITS = 4,
  LINK_QUEUE = 4,
  WRITES_MOST = 8
};
#define LOST_AFTER_FS 20000000ull        /* 20 ns in the link's queue */
#define FORGOTTEN_AFTER_FS 1000000000ull /* 1 us */

/* key: line + 1, 0 for an empty entry; sent: to the channel; reported: end of the reported occupancy. */
struct entry {
  uint64_t key;
  bool upi;
  fs_t sent, data, reported;
};
struct reading {
  uint64_t line;
  fs_t from, until;
};
struct table {
  struct entry entry[ENTRIES];
  fs_t ingress[INGRESS], last;
  struct reading reading[READS]; /* recent reads of the home agent */
  unsigned next;
};
struct port {
  fs_t credit[CREDITS], last;
};
struct ahead {
  struct table table[MAX_IMCS][2]; /* per channel */
  struct port port[MAX_CHAS][2];   /* per core's stop */
  struct {
    fs_t entry[LINK_QUEUE], lane;
  } link[MAX_LINKS];
};
/* A prefetch request for a line of a channel, at its M2M. */
struct prefetch_read {
  struct traffic *t;
  struct socket *s;
  uint64_t line;
  const struct dram_place *place;
  bool upi;
};

int ahead_init(const struct traffic *t, struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  if (!t->config.value[CONFIG_AHEAD])
    return PMON_OK;
  return (emr->ahead = pages_get(sizeof *emr->ahead)) ? PMON_OK : PMON_E_MEMORY;
}

void ahead_fini(struct socket *s)
{
  struct emr_socket *emr = emr_socket(s);
  if (emr->ahead)
    pages_put(emr->ahead, sizeof *emr->ahead);
  emr->ahead = NULL;
}

static struct table *table_of(const struct socket *s, const struct dram_place *p)
{
  return &emr_socket(s)->ahead->table[p->mc][p->own & 1];
}

static void m2m_pulse(struct m2m *m, unsigned code, uint64_t attr, fs_t at)
{
  block_pulse(m->block, (uint8_t)code, attr, 0, at, 1);
}

/* Channel and kind, in the encoding of the PREFCAM_INSERTS events. */
static uint64_t prefcam_umask(unsigned ch, bool upi)
{
  return EMR_UMASK((upi ? 0x02u : 0x01u) << 2 * ch);
}

static void entry_report_occupancy(struct m2m *m, unsigned ch, struct entry *e, fs_t until)
{
  if (until > e->reported)
    block_span(m->block, M2M_PREFCAM_OCCUPANCY, EMR_UMASK(1u << ch), 0, e->reported, until, 1);
  e->reported = until > e->reported ? until : e->reported;
}

static void entry_leave(struct m2m *m, unsigned ch, struct entry *e, uint64_t why, fs_t at)
{
  entry_report_occupancy(m, ch, e, at);
  m2m_pulse(m, M2M_PREFCAM_DEALLOCS, EMR_UMASK(why) | EMR_EXT(1u << ch), at);
  e->key = 0;
}

static fs_t entry_expiry(const struct entry *e)
{
  return e->data + FORGOTTEN_AFTER_FS;
}

static void table_forget(struct m2m *m, unsigned ch, struct table *c, fs_t at)
{
  for (unsigned i = 0; i < ENTRIES; i++)
    if (c->entry[i].key && entry_expiry(&c->entry[i]) <= at)
      entry_leave(m, ch, &c->entry[i], PREFCAM_MISS, entry_expiry(&c->entry[i]));
}

static struct entry *entry_find(struct table *c, uint64_t line)
{
  for (unsigned i = 0; i < ENTRIES; i++)
    if (c->entry[i].key == line + 1)
      return &c->entry[i];
  return NULL;
}

static unsigned holders_busy(const struct holders *h, fs_t at)
{
  unsigned n = 0;
  for (uint32_t i = 0; i < h->n; i++)
    n += h->until[i] > at;
  return n;
}

static bool read_already(const struct table *c, uint64_t line, fs_t at)
{
  for (unsigned i = 0; i < READS; i++)
    if (c->reading[i].line == line && c->reading[i].from <= at && at < c->reading[i].until)
      return true;
  return false;
}

/* The reason for which the table refuses a read, in the encoding of PREFCAM_DROP_REASONS; 0: it accepts the read. */
static uint64_t prefetch_refusal(const struct prefetch_read *a, const struct m2m *m, struct table *c, fs_t at)
{
  unsigned n[2] = {0};
  if (c->last && at < c->last + 2 * (fs_t)a->t->time.uclk)
    return PREFCAM_BACK_TO_BACK;
  if (entry_find(c, a->line))
    return PREFCAM_HIT;
  for (unsigned i = 0; i < ENTRIES; i++)
    if (c->entry[i].key)
      n[c->entry[i].upi]++;
  if (n[0] + n[1] == ENTRIES)
    return PREFCAM_FULL;
  if (n[a->upi] >= (a->upi ? UPI_MOST : XPT_MOST))
    return a->upi ? PREFCAM_UPI_THRESHOLD : PREFCAM_XPT_THRESHOLD;
  if (holders_busy(&m->reads[a->place->own], at) >= a->t->config.value[CONFIG_DRAM_RPQ])
    return PREFCAM_RPQ;
  return holders_busy(&m->writes[a->place->own], at) >= WRITES_MOST ? PREFCAM_WPQ : 0;
}

/* Reads the line from the channel and enters it into a free entry of the table. */
static void read_ahead(const struct prefetch_read *a, struct m2m *m, struct table *c, fs_t at)
{
  struct traffic *t = a->t;
  const unsigned ch = a->place->own & 1;
  struct entry *e = c->entry;
  while (e->key)
    e++;
  *e = (struct entry){.key = a->line + 1, .upi = a->upi, .reported = at, .sent = at + t->time.m2m_pipe};
  e->data = dram_read(t, a->s, &(struct dram_request){a->line, a->place, IMPORTANCE_LOW}, e->sent);
  a->s->totals.m2m_reads++;
  m2m_pulse(m, M2M_PREFCAM_INSERTS, prefcam_umask(ch, a->upi), at);
  m2m_pulse(m, M2M_IMC_READS, M2M_RD_CH(ch) | M2M_RD_NORMAL | M2M_RD_ALL | M2M_RD_DDR_AS_MEM, at);
  m2m_pulse(m, M2M_PREFCAM_RXC_DEALLOCS, PREFCAM_RXC_POSTED, at);
}

/* At the M2M: the request passes the ingress and enters the table unless the table refuses it. */
static void prefetch_arrive(const struct prefetch_read *a, fs_t at)
{
  const unsigned ch = a->place->own & 1;
  struct m2m *m = &emr_socket(a->s)->m2m[a->place->mc];
  struct table *c = table_of(a->s, a->place);
  fs_t place = at;
  const unsigned i = few_take(c->ingress, INGRESS, &place);
  const fs_t turn = place > at ? at : slots_take(&m->pipe[a->place->own], at, a->t->time.uclk);
  uint64_t why = place > at ? PREFCAM_NO_INGRESS : 0;
  if (!why) {
    c->ingress[i] = turn + a->t->time.uclk;
    block_span(m->block, M2M_PREFCAM_RXC_OCCUPANCY, 0, 0, at, c->ingress[i], 1);
    table_forget(m, ch, c, turn);
    if (read_already(c, a->line, turn)) {
      m2m_pulse(m, M2M_PREFCAM_DEMAND_DROPS, prefcam_umask(ch, a->upi), turn);
      m2m_pulse(m, M2M_PREFCAM_RXC_DEALLOCS, PREFCAM_RXC_SQUASHED, turn);
      return;
    }
    why = prefetch_refusal(a, m, c, turn);
    c->last = turn;
  }
  if (why) {
    m2m_pulse(m, M2M_PREFCAM_DROP_REASONS_CH0 + ch, why, turn);
    m2m_pulse(m, M2M_PREFCAM_RXC_DEALLOCS, PREFCAM_RXC_SQUASHED, turn);
  } else {
    read_ahead(a, m, c, turn);
  }
}

/* Sends the request over a link in unused parts of its flits: at once, after the current transmission, or not at
 * all. Returns the arrival at the other side; 0: never. */
static fs_t prefetch_cross_link(struct traffic *t, struct socket *s, unsigned link, fs_t at)
{
  struct emr_socket *emr = emr_socket(s);
  struct link *l = &emr->link[link];
  fs_t *lane = &emr->ahead->link[link].lane, *queue = emr->ahead->link[link].entry, place = at, begin = at;
  const unsigned i = few_take(queue, LINK_QUEUE, &place);
  uint64_t how = XPT_PFTCH_BYPASS;
  if (at >= l->tx.run.begin && at < l->tx.run.end)
    begin = l->tx.run.end;
  if (begin < *lane)
    begin = *lane;
  if (place > at)
    how = XPT_PFTCH_LOST_FULL;
  else if (begin > at + LOST_AFTER_FS)
    how = XPT_PFTCH_LOST_OLD;
  else if (begin > at)
    how = XPT_PFTCH_FLITTED;
  if (l->stop) {
    block_pulse(l->stop, M3UPI_XPT_PFTCH, XPT_PFTCH_ARRIVED | how, 0, at, 1);
    if (begin > at && place == at)
      block_pulse(l->stop, M3UPI_XPT_PFTCH, XPT_PFTCH_LOST_ARB, 0, at, 1);
  }
  if (place > at)
    return 0;
  queue[i] = how == XPT_PFTCH_LOST_OLD ? at + LOST_AFTER_FS : begin;
  if (how == XPT_PFTCH_LOST_OLD)
    return 0;
  *lane = begin + t->time.flit;
  return begin + t->time.slot + t->time.flight;
}

void ahead_ask(struct traffic *t, struct socket *s, const struct request *r)
{
  struct emr_socket *emr = emr_socket(s);
  struct socket *h = t->socket[r->home];
  const unsigned n = r->line & 1, link = upi_of(t, r->line);
  struct port *p = &emr->ahead->port[r->tile][n];
  struct block *b = s->cha[r->tile].block;
  struct dram_place place;
  fs_t at = r->at;
  if (address_device(&t->map, r->line)) /* no M2M serves the line */
    return;
  const unsigned i = few_take(p->credit, CREDITS, &at);
  const bool conflict = p->last <= r->at && r->at < p->last + t->time.uclk && p->last;
  if (at > r->at || conflict) {
    const unsigned why = at > r->at ? XPT_PREF_NO_CREDIT : XPT_PREF_CONFLICT;
    block_pulse(b, CHA_XPT_PREF, EMR_UMASK((XPT_PREF_DROP | why) << 4 * n), r->tid, r->at, 1);
    return;
  }
  block_pulse(b, CHA_XPT_PREF, EMR_UMASK(XPT_PREF_SENT << 4 * n), r->tid, r->at, 1);
  p->last = r->at;
  address_dram(&t->map, r->line, &place);
  const struct prefetch_read a = {t, h, r->line, &place, h != s};
  fs_t there =
      mesh_send(t, s, r->tile, a.upi ? emr->link[link].tile : emr->m2m[place.mc].tile, MESH_AD | MESH_OF_CORE, r->at);
  p->credit[i] = there;
  if (a.upi) {
    there = prefetch_cross_link(t, s, link, there);
    if (!there)
      return;
    const struct emr_socket *other = emr_socket(h);
    if (other->link[link].stop)
      block_pulse(other->link[link].stop, M3UPI_UPI_PREFETCH_SPAWN, 0, 0, there, 1);
    there = mesh_send(t, h, other->link[link].tile, other->m2m[place.mc].tile, MESH_AD, there);
  }
  prefetch_arrive(&a, there);
}

/* Returns the line's entry; NULL: there is none, or it has expired at `at`. */
static struct entry *entry_wanted(struct socket *s, const struct ahead_read *r, fs_t at)
{
  struct table *c = table_of(s, r->place);
  table_forget(&emr_socket(s)->m2m[r->place->mc], r->place->own & 1, c, at);
  return entry_find(c, r->line);
}

bool ahead_take(struct traffic *t, struct socket *s, const struct ahead_read *r, fs_t at, fs_t *ret_data)
{
  struct entry *e = entry_wanted(s, r, at);
  struct m2m *m = &emr_socket(s)->m2m[r->place->mc];
  const unsigned ch = r->place->own & 1;
  if (!e)
    return false;
  const bool pending = e->data > at;
  if (pending)
    m2m_pulse(m, M2M_PREFCAM_DEMAND_MERGE, prefcam_umask(ch, e->upi), at);
  else
    m2m_pulse(m, M2M_PREFCAM_DEMAND_NO_MERGE, PREFCAM_RD_MERGED, at);
  *ret_data = e->data > at + t->time.m2m_pipe ? e->data : at + t->time.m2m_pipe;
  uint64_t why = (uint64_t)PREFCAM_PORT << (r->line & 1);
  if (pending)
    why = PREFCAM_PENDING | (at < e->sent ? PREFCAM_NOT_SENT : PREFCAM_NOT_ANSWERED);
  entry_leave(m, ch, e, why, at);
  return true;
}

void ahead_reads(struct socket *s, const struct ahead_read *r, const fs_t span[2])
{
  struct table *c = table_of(s, r->place);
  c->reading[c->next++ % READS] = (struct reading){r->line, span[0], span[1]};
}

void ahead_writes(struct socket *s, const struct ahead_read *r, fs_t at)
{
  struct entry *e = entry_wanted(s, r, at);
  struct m2m *m = &emr_socket(s)->m2m[r->place->mc];
  if (!e)
    return;
  const unsigned ch = r->place->own & 1;
  m2m_pulse(m, M2M_PREFCAM_DEMAND_NO_MERGE, e->data > at ? PREFCAM_WR_SQUASHED : PREFCAM_WR_MERGED, at);
  if (e->data > at) /* its response finds no entry any more */
    m2m_pulse(m, M2M_PREFCAM_RESP_MISS, EMR_UMASK(1u << ch), e->data);
  entry_leave(m, ch, e, (uint64_t)PREFCAM_PORT << (r->line & 1), at);
}

void ahead_advance(const struct traffic *t, struct socket *s, fs_t until)
{
  struct emr_socket *emr = emr_socket(s);
  for (unsigned i = 0; emr->ahead && i < t->imcs; i++)
    for (unsigned ch = 0; ch < 2; ch++) {
      struct table *c = &emr->ahead->table[i][ch];
      table_forget(&emr->m2m[i], ch, c, until);
      for (unsigned k = 0; k < ENTRIES; k++)
        if (c->entry[k].key)
          entry_report_occupancy(&emr->m2m[i], ch, &c->entry[k], until);
    }
}
