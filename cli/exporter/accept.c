/* SPDX-License-Identifier: MIT */
/* Chooses between the two texts of /metrics by a client's header Accept (RFC 9110, 12.5.1). */
#include <string.h>
#include <strings.h>
#include "cli/exporter/network.h"

/* A piece of the header, without the blanks around it. */
struct piece {
  const char *at;
  size_t n;
};

/* A range of media types, such as text/plain;version=0.0.4;q=0.5. */
struct accept_range {
  struct piece type;
  unsigned quality; /* in thousandths */
  bool served;      /* its version is the OpenMetrics version served here, or none is given */
};

enum { QUALITY_MOST = 1000 };

/* Takes the next piece of *rest, up to a separator or `end`. False: there is none. */
static bool next_piece(const char **rest, const char *end, char separator, struct piece *ret)
{
  const char *begin = *rest;
  if (!begin)
    return false;
  const char *stop = memchr(begin, separator, (size_t)(end - begin));
  *rest = stop ? stop + 1 : NULL;
  stop = stop ? stop : end;
  while (begin < stop && strchr(" \t", *begin))
    begin++;
  while (begin < stop && strchr(" \t", stop[-1]))
    stop--;
  *ret = (struct piece){begin, (size_t)(stop - begin)};
  return true;
}

static bool piece_is(const struct piece *p, const char *word)
{
  return p->n == strlen(word) && !strncasecmp(p->at, word, p->n);
}

/* Reads the number after "q=": 0, 1, or one with up to three digits after its point. */
static unsigned read_quality(const struct piece *p)
{
  unsigned quality = p->n > 2 && p->at[2] == '1' ? QUALITY_MOST : 0, weight = QUALITY_MOST / 10;
  for (size_t i = 4; i < p->n && weight && p->at[i] >= '0' && p->at[i] <= '9'; i++, weight /= 10)
    quality += weight * (unsigned)(p->at[i] - '0');
  return quality < QUALITY_MOST ? quality : QUALITY_MOST;
}

static struct accept_range read_range(const struct piece *range)
{
  struct accept_range r = {.type = {"", 0}, .quality = QUALITY_MOST, .served = true};
  const char *rest = range->at, *const end = range->at + range->n;
  struct piece p;
  next_piece(&rest, end, ';', &r.type);
  while (next_piece(&rest, end, ';', &p))
    if (p.n > 1 && !strncasecmp(p.at, "q=", 2))
      r.quality = read_quality(&p);
    else if (p.n > 8 && !strncasecmp(p.at, "version=", 8))
      r.served = piece_is(&p, "version=1.0.0") || piece_is(&p, "version=\"1.0.0\"");
  return r;
}

bool exporter_accepts_openmetrics(const char *accept)
{
  /* Ranges that include text/plain; the most specific one decides. */
  static const char *const texts[] = {"*/*", "text/*", "text/plain"};
  unsigned openmetrics = 0, text = 0, special = 0;
  const char *rest = accept;
  struct piece p;
  while (rest && next_piece(&rest, accept + strlen(accept), ',', &p)) {
    const struct accept_range r = read_range(&p);
    if (r.served && r.quality > openmetrics && piece_is(&r.type, "application/openmetrics-text"))
      openmetrics = r.quality;
    for (unsigned i = special; i < sizeof texts / sizeof *texts; i++)
      if (piece_is(&r.type, texts[i])) {
        text = i > special || r.quality > text ? r.quality : text;
        special = i;
      }
  }
  return openmetrics && openmetrics >= text;
}
