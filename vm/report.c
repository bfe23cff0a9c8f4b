/* SPDX-License-Identifier: MIT */
/* What a virtual machine reports to its caller: its error, its output, its counts. */
#include <stdio.h>
#include <pmon/status.h>
#include "vm/port.h"
#include "vm/serve.h"

int vm_fail(struct vm *v, int status, const char *why)
{
  snprintf(v->error, v->error_size, "%s", why);
  return status;
}

int vm_fail_debugger(struct vm *v)
{
  return vm_fail(v, PMON_E_IO, "QEMU's debugger interface gave an unexpected answer");
}

void vm_output(struct vm *v, enum vm_stream stream, const char *bytes, size_t n)
{
  if (stream == VM_CONSOLE) {
    where_console(&v->where, bytes, n);
    record_text(&v->record, bytes, n);
  }
  if (v->o->output && n)
    v->o->output(v->o->user, stream, bytes, n);
}

void vm_count_msr(struct vm *v, const struct port_message *m)
{
  v->result->stops += port_is_msr(m);
  v->result->answered += port_is_msr(m) && m->answer == PORT_DONE;
}
