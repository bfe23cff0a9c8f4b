/* SPDX-License-Identifier: MIT */
#include "helper/serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <pmon/context.h>
#include <pmon/discovery.h>
#include <pmon/platform.h>
#include "helper/sandbox.h"
#include "src/access/direct.h"
#include "src/access/register.h"
#include "src/access/remote.h"

struct helper {
  int fd;
  struct pmon_backend *backend; /* NULL: opening failed, */
  int status;                   /* with this status */
  struct pmon_reason reason;
  uint32_t locks; /* number of locks; registers are written only while there is one */
  struct remote_message message;
};

static struct pmon_backend *volatile watched;

static void on_bus_error(int number)
{
  (void)number;
  pmon_backend_bus_error(watched); /* returns if the fault is not in a register mapping */
  _exit(1);
}

bool helper_check_socket(int fd)
{
  struct ucred peer;
  socklen_t size = sizeof peer, n = sizeof(int);
  int type = 0, domain = 0;
  return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) && type == SOCK_SEQPACKET &&
         !getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) && domain == AF_UNIX &&
         !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.uid == getuid();
}

/* True if the compiled tables or a discovery page describe this processor. */
static bool helper_knows_processor(const struct pmon_system *system, struct pmon_backend *b)
{
  struct pmon_context *context = NULL;
  const struct pmon_platform *platform;
  struct pmon_discovery *page = NULL;
  struct pmon_cpu cpu;
  bool known = pmon_system_cpu(system, &cpu) && !pmon_context_new(&context) &&
               !pmon_platform_find_cpu(context, cpu.vendor, cpu.signature, &platform);
  pmon_context_free(context);
  known = known || !pmon_discovery_read(b, 0, NULL, NULL, &page);
  pmon_discovery_free(page);
  return known;
}

/* Opens the registers, then drops the privileges that only opening needs. */
static int helper_open(struct helper *h, const struct pmon_system *system)
{
  const struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};
  h->status = pmon_backend_direct_open(system, &h->reason, &h->backend);
  watched = h->backend;
  sigaction(SIGBUS, &action, NULL);
  if (!h->status && !helper_knows_processor(system, h->backend)) {
    watched = NULL;
    pmon_backend_close(h->backend);
    h->backend = NULL;
    h->status = PMON_E_NO_DEVICE;
    snprintf(h->reason.text, sizeof h->reason.text,
             "pmon-access has no tables for this processor, and the processor has no discovery page");
  }
  return sandbox_drop_privileges() && sandbox_filter_calls() ? 0 : 1;
}

static bool helper_is_address(const struct helper *h, const struct remote_register *r)
{
  return r->package < h->backend->packages && r->space <= PMON_SPACE_MMIO && !r->zero &&
         (r->width_bits == 32 || r->width_bits == 64);
}

static struct pmon_address helper_address(const struct remote_register *r)
{
  return (struct pmon_address){
      .package = r->package, .space = r->space, .width_bits = r->width_bits, .device = r->device, .offset = r->offset};
}

/* Reads the register if the facts describe it, or if it belongs to the discovery page. */
static int helper_read(struct helper *h, struct remote_register *r)
{
  const struct pmon_address a = helper_address(r);
  const bool page = r->space == PMON_SPACE_MMIO && r->device == PMON_BAR_DISCOVERY;
  int status = page ? 0 : access_check_read(h->backend, &a);
  return status ? status : access_read(h->backend, &a, &r->value);
}

/* The operations, each with its status; backend->error_text, set to NULL before, is the text of the answer. */

static int helper_read_all(struct helper *h)
{
  for (uint32_t i = 0; i < h->message.n; i++)
    h->message.registers[i].status = helper_read(h, &h->message.registers[i]);
  return 0;
}

static int helper_check(struct helper *h)
{
  const struct pmon_address a = helper_address(&h->message.registers[0]);
  return access_check_write(h->backend, &a, h->message.registers[0].value);
}

static int helper_write(struct helper *h)
{
  const struct pmon_address a = helper_address(&h->message.registers[0]);
  if (h->locks)
    return h->backend->ops->write(h->backend, &a, h->message.registers[0].value);
  h->backend->error_text = "registers can be written only after they have been locked";
  return PMON_E_PERMISSION;
}

static int helper_lock(struct helper *h)
{
  h->reason = (struct pmon_reason){""};
  const int status = access_lock(h->backend, &h->reason);
  h->locks += !status;
  h->backend->error_text = status ? h->reason.text : NULL;
  return status;
}

static int helper_unlock(struct helper *h)
{
  access_unlock(h->backend);
  h->locks -= h->locks > 0;
  return 0;
}

/* The number of registers in a request, and its function; NULL: the answer is that of opening. */
static const struct {
  uint32_t least, most;
  int (*run)(struct helper *h);
} operations[REMOTE_OPERATIONS] = {
    [REMOTE_OPEN] = {0, 0, NULL},          [REMOTE_READ] = {1, REMOTE_REGISTERS, helper_read_all},
    [REMOTE_WRITE] = {1, 1, helper_write}, [REMOTE_CHECK] = {1, 1, helper_check},
    [REMOTE_LOCK] = {0, 0, helper_lock},   [REMOTE_UNLOCK] = {0, 0, helper_unlock}};

/* Answers the message. Returns false if it is invalid. */
static bool helper_handle(struct helper *h)
{
  struct remote_message *m = &h->message;
  if (m->version != REMOTE_VERSION || m->zero || m->operation >= REMOTE_OPERATIONS ||
      m->n < operations[m->operation].least || m->n > operations[m->operation].most)
    return false;
  const bool opens = !h->backend || !operations[m->operation].run;
  for (uint32_t i = 0; !opens && i < m->n; i++)
    if (!helper_is_address(h, &m->registers[i]))
      return false;
  if (!opens)
    h->backend->error_text = NULL;
  m->status = opens ? h->status : operations[m->operation].run(h);
  m->packages = h->backend ? h->backend->packages : 0;
  const char *const text = !opens ? h->backend->error_text : h->status ? h->reason.text : NULL;
  snprintf(m->text, sizeof m->text, "%s", text ? text : "");
  return true;
}

int helper_serve(int fd, const struct pmon_system *system)
{
  static struct helper h;
  h = (struct helper){.fd = fd};
  if (helper_open(&h, system))
    return 1;
  for (;;) {
    const ssize_t n = recv(fd, &h.message, sizeof h.message, MSG_TRUNC);
    if (n < 0 && errno == EINTR)
      continue;
    if (n != sizeof h.message)
      return n == 0 ? 0 : 1;
    if (!helper_handle(&h) || send(fd, &h.message, sizeof h.message, MSG_NOSIGNAL) != sizeof h.message)
      return 1;
  }
}
