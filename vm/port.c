/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <sys/socket.h>
#include <pmon/status.h>
#include "vm/port.h"

_Static_assert(sizeof(struct port_message) == 32, "message as on the wire");

static enum port_answer vm_port_answer(struct bus *bus, struct port_message *m)
{
  static const enum port_answer msr[] = {
      [BUS_DONE] = PORT_DONE, [BUS_ELSEWHERE] = PORT_NOT_THERE, [BUS_FAULT] = PORT_FAULT};
  switch (m->kind) {
  case PORT_MSR_READ: return msr[bus_msr_read(bus, m->processor, (uint32_t)m->address, &m->value)];
  case PORT_MSR_WRITE: return msr[bus_msr_write(bus, m->processor, (uint32_t)m->address, m->value)];
  case PORT_MEMORY_READ: return bus_memory_read(bus, m->address, m->size, &m->value) ? PORT_DONE : PORT_NOT_THERE;
  default: return bus_memory_write(bus, m->address, m->size, m->value) ? PORT_DONE : PORT_NOT_THERE;
  }
}

int port_serve(int fd, struct bus *bus, char *error, size_t error_size, struct port_served *ret)
{
  struct port_message m;
  ssize_t n = recv(fd, &m, sizeof m, MSG_WAITALL);
  *ret = (struct port_served){.msr = false};
  if (n <= 0)
    return PMON_E_NO_DEVICE;
  if (n != (ssize_t)sizeof m || m.kind < PORT_MSR_READ || m.kind > PORT_MEMORY_WRITE || m.size > 8) {
    snprintf(error, error_size,
             "QEMU sent an unknown message; was it built by this pmon's "
             "vm/qemu/build.sh?");
    return PMON_E_IO;
  }
  ret->msr = m.kind == PORT_MSR_READ || m.kind == PORT_MSR_WRITE;
  m.answer = vm_port_answer(bus, &m);
  ret->ours = m.answer == PORT_DONE;
  return send(fd, &m, sizeof m, MSG_NOSIGNAL) == (ssize_t)sizeof m ? PMON_OK : PMON_E_NO_DEVICE;
}
