/* SPDX-License-Identifier: MIT */
/* The verdict on a guest: how it ended, and the checker's findings in groups, as text, JSON and JUnit report. */
#ifndef CLI_VM_VERDICT_H
#define CLI_VM_VERDICT_H

#include "cli/vm/by_function.h"
#include "cli/vm/command.h"

/* Findings of one rule at one kind of register of one kind of unit, with the same bits: one code path of the guest's
 * software. */
struct verdict_group {
  const struct check_finding *first;
  const struct baseline_line *known; /* NULL: new, or advice */
  uint64_t registers, times;
  struct callers_chain by; /* the functions that made the first access */
};

struct verdict {
  struct vm_command *v;
  const struct vm_result *result;
  int exit_code;
  const char *kind;  /* meaning of the exit code: "passed", "command", "violation", "panic" ... */
  const char *error; /* of a guest that failed; "": none */
  struct verdict_group *group;
  struct by_functions functions;
  size_t n, violations, known, advices; /* groups; numbers of registers of the three kinds */
};

/* Ends the checker's stream. CLI_DONE, or CLI_FAILED after a message (no memory). Call verdict_free() in any case. */
int verdict_make(struct vm_command *v, struct verdict *ret);
void verdict_free(struct verdict *d);
/* Prints the verdict on standard error, or to `out`. */
void verdict_print(const struct verdict *d, struct out *out);
/* Writes one object, with a line's end. */
void verdict_write_json(const struct verdict *d, struct out *out);
/* Writes a test suite: the guest's run, and a case for each group. */
void verdict_write_junit(const struct verdict *d, struct out *out);
/* Creates a file that `write` fills. CLI_DONE, or VM_EXIT_INFRASTRUCTURE after a message. */
int verdict_save(const struct verdict *d, const char *path, void (*write)(const struct verdict *d, struct out *out));

#endif
