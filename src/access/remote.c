/* SPDX-License-Identifier: MIT */
/* Access to a host's registers through the privileged helper. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "src/access/direct.h"
#include "src/access/method.h"
#include "src/access/remote.h"
#include "src/access/remote_backend.h"
#include "src/access/system.h"
#include "src/access/tsc.h"

struct remote {
  struct pmon_backend backend;
  struct system system;
  struct pmon_backend *resctrl; /* values that need no privilege are not requested of the helper; NULL: not open */
  struct pmon_reason reason;
  int fd;
  struct remote_message message;
};

static struct remote *remote_backend(struct pmon_backend *b)
{
  return (struct remote *)(void *)b;
}

/* Sends a request to the helper; the reply replaces the request. PMON_E_IO: the helper has ended. */
static int remote_ask(struct remote *r, enum remote_operation operation)
{
  struct remote_message *m = &r->message;
  ssize_t n;
  m->version = REMOTE_VERSION;
  m->operation = operation;
  do
    n = send(r->fd, m, sizeof *m, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  while (n == sizeof *m && (n = recv(r->fd, m, sizeof *m, 0)) < 0 && errno == EINTR)
    n = sizeof *m;
  r->backend.error_text = m->text;
  if (n == sizeof *m && m->version == REMOTE_VERSION && m->operation == operation && m->status <= 0) {
    m->text[REMOTE_TEXT - 1] = 0;
    return m->status;
  }
  snprintf(m->text, sizeof m->text, "pmon-access, which reaches the registers for pmon, has ended");
  return PMON_E_IO;
}

static void remote_put(struct remote_register *to, const struct pmon_address *a, uint64_t value)
{
  *to = (struct remote_register){.package = a->package,
                                 .space = a->space,
                                 .width_bits = a->width_bits,
                                 .device = a->device,
                                 .offset = a->offset,
                                 .value = value};
}

static int remote_one(struct pmon_backend *b, enum remote_operation operation, const struct pmon_address *a,
                      uint64_t *value)
{
  struct remote *r = remote_backend(b);
  r->message.n = 1;
  remote_put(&r->message.registers[0], a, operation == REMOTE_READ ? 0 : *value);
  int status = remote_ask(r, operation);
  if (!status && operation == REMOTE_READ && !(status = r->message.registers[0].status))
    *value = r->message.registers[0].value;
  return status;
}

/* Reads a value of resctrl in this process. */
static int remote_read_resctrl(struct remote *r, const struct pmon_address *a, uint64_t *ret_value)
{
  r->backend.error_text = r->reason.text;
  int status = r->resctrl ? 0 : access_method_resctrl.open(&r->system, &r->reason, &r->resctrl);
  if (status)
    return status;
  status = r->resctrl->ops->read(r->resctrl, a, ret_value);
  r->backend.error_text = r->resctrl->error_text;
  return status;
}

static int remote_read(struct pmon_backend *b, const struct pmon_address *a, uint64_t *ret_value)
{
  if (a->space == PMON_SPACE_RESCTRL)
    return remote_read_resctrl(remote_backend(b), a, ret_value);
  return remote_one(b, REMOTE_READ, a, ret_value);
}

static int remote_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  return remote_one(b, REMOTE_WRITE, a, &value);
}

static void remote_sweep(struct pmon_backend *b, struct pmon_read *reads, uint32_t n)
{
  struct remote *r = remote_backend(b);
  for (uint32_t first = 0, k; first < n; first += k) {
    for (k = 0; first + k < n && k < REMOTE_REGISTERS && reads[first + k].address.space != PMON_SPACE_RESCTRL;)
      k++;
    if (!k) {
      reads[first].status = remote_read_resctrl(r, &reads[first].address, &reads[first].value);
      k = 1;
      continue;
    }
    r->message.n = k;
    for (uint32_t i = 0; i < k; i++)
      remote_put(&r->message.registers[i], &reads[first + i].address, 0);
    const int status = remote_ask(r, REMOTE_READ);
    for (uint32_t i = 0; i < k; i++) {
      reads[first + i].status = status ? status : r->message.registers[i].status;
      reads[first + i].value = r->message.registers[i].value;
    }
  }
}

static int remote_wait(struct pmon_backend *b, uint64_t until_ns, uint64_t *ret_now_ns, bool *ret_ended)
{
  return system_wait(&remote_backend(b)->system, until_ns, ret_now_ns, ret_ended);
}

static void remote_close(struct pmon_backend *b)
{
  pmon_backend_close(remote_backend(b)->resctrl);
  close(remote_backend(b)->fd);
  free(b);
}

int pmon_backend_helper_open(int fd, const struct pmon_system *system, struct pmon_reason *reason,
                             struct pmon_backend **ret_backend)
{
  static const struct pmon_backend_ops ops = {sizeof ops,   "helper",    remote_read,
                                              remote_write, remote_wait, remote_close};
  struct remote *r = calloc(1, sizeof *r);
  if (!r)
    return PMON_E_MEMORY;
  r->fd = fd;
  r->backend = (struct pmon_backend){.ops = &ops, .sweep = remote_sweep, .host = true};
  int status = system_init(&r->system, system, reason);
  if (status) {
    free(r);
    return status;
  }
  status = remote_ask(r, REMOTE_OPEN);
  r->backend.packages = r->message.packages;
  if (!status && (!r->backend.packages || r->backend.packages > SYSTEM_PACKAGES))
    status = PMON_E_IO;
  if (!status) {
    r->backend.tsc_hz = tsc_of_system(&r->system);
    *ret_backend = &r->backend;
    return 0;
  }
  if (reason)
    snprintf(reason->text, sizeof reason->text, "%s", r->message.text);
  free(r);
  return status;
}

struct pmon_backend *remote_below(struct pmon_backend *b)
{
  while (b && b->ops->write != remote_write)
    b = b->inner;
  return b;
}

int remote_check_write(struct pmon_backend *b, const struct pmon_address *a, uint64_t value)
{
  return remote_one(b, REMOTE_CHECK, a, &value);
}

int remote_lock(struct pmon_backend *b, bool lock, struct pmon_reason *reason)
{
  remote_backend(b)->message.n = 0;
  const int status = remote_ask(remote_backend(b), lock ? REMOTE_LOCK : REMOTE_UNLOCK);
  if (status && reason)
    snprintf(reason->text, sizeof reason->text, "%s", remote_backend(b)->message.text);
  return status;
}
