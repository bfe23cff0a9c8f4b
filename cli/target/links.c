/* SPDX-License-Identifier: MIT */
#include "cli/target/links.h"

#include "machine/trace/scenario.h"

static const char *stream_accesses(const struct dma_stream *m)
{
  return m->action == DEVICE_ATOMIC  ? "atomic operations"
         : m->action == DEVICE_FLUSH ? "flushes"
         : m->write                  ? "writes"
                                     : "reads";
}

void links_report(struct cli *cli, struct machine *m)
{
  const struct traffic *t = machine_traffic(m);
  for (unsigned i = 0; i < traffic_streams(t); i++) {
    struct stream_totals s;
    traffic_stream(t, i, &s);
    if (s.moved_bytes >= s.asked_bytes - s.asked_bytes / 100)
      continue;
    const bool posted = s.stream->write && s.stream->action != DEVICE_ATOMIC;
    cli_warn(cli,
             "socket %u stack %u port %u: the device's %s request %.1f GB/s; %.1f GB/s are transferred, the rest is "
             "dropped (PCIe generation %u, %u lanes, payload %u, request %u: at most %.1f GB/s; %s %u)",
             s.stream->socket, s.stream->stack, s.stream->port, stream_accesses(s.stream),
             (double)s.asked_bytes / s.seconds * 1e-9, (double)s.moved_bytes / s.moving_seconds * 1e-9,
             s.link.generation, s.link.lanes, s.link.payload, s.link.request, s.most * 1e-9,
             posted ? "credits" : "tags", posted ? s.link.credits : s.link.tags);
  }
}
