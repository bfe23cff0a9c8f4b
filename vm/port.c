/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <sys/socket.h>
#include <pmon/status.h>
#include "vm/port.h"

_Static_assert(sizeof(struct port_message) == 32, "message as on the wire");

static enum port_answer port_answer_register(struct bus *bus, struct port_message *m)
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

void port_carry_out(struct bus *bus, struct port_message *m)
{
  m->answer = PORT_DONE;
  switch (m->kind) {
  case PORT_CONFIG_READ: m->value = bus_config_read(bus, m->processor, (unsigned)m->address, m->size); break;
  case PORT_CONFIG_WRITE: bus_config_write(bus, m->processor, (unsigned)m->address, m->size, (uint32_t)m->value); break;
  case PORT_BAR_READ: m->value = bus_bar_read(bus, m->processor, m->address, m->size); break;
  default: m->answer = port_answer_register(bus, m); break;
  }
}

bool port_is_msr(const struct port_message *m)
{
  return m->kind == PORT_MSR_READ || m->kind == PORT_MSR_WRITE;
}

int port_receive(int fd, struct port_message *ret, char *error, size_t error_size)
{
  const ssize_t n = recv(fd, ret, sizeof *ret, MSG_WAITALL);
  if (n <= 0)
    return PMON_E_NO_DEVICE;
  if (n == (ssize_t)sizeof *ret && ret->kind >= PORT_MSR_READ && ret->kind <= PORT_MEMORY_WRITE && ret->size <= 8)
    return PMON_OK;
  snprintf(error, error_size,
           "QEMU sent an unknown message; was it built by this pmon's "
           "vm/qemu/build.sh?");
  return PMON_E_IO;
}

int port_reply(int fd, const struct port_message *m)
{
  return send(fd, m, sizeof *m, MSG_NOSIGNAL) == (ssize_t)sizeof *m ? PMON_OK : PMON_E_NO_DEVICE;
}
