/* SPDX-License-Identifier: MIT */
/*
 * A program in Itanium code: a static ELF file that runs as a Linux user process on hardware thread 0. The program is a
 * source of records, one for each bundle that it executes. More programs can be added, one for each hardware thread.
 */
#ifndef MACHINE_MONTECITO_EXEC_PROGRAM_H
#define MACHINE_MONTECITO_EXEC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exec_program;
struct montecito_machine;
struct montecito_source;

/* Options with which a program starts. */
struct exec_options {
  const char *path;
  char *const *argv, *const *environment; /* end with NULL; environment NULL: empty */
  uint64_t most_bundles;                  /* the program ends after this number of bundles; 0: without limit */
};

/* Loads a program. PMON_E_IO, PMON_E_SYNTAX (not a static Itanium program, or damaged), PMON_E_MEMORY, with the text in
 * error. */
int exec_program_open(const struct exec_options *options, char *error, size_t error_size,
                      struct exec_program **ret_program);

/* Returns the program as a source, which owns it: montecito_machine_attach() takes it. */
struct montecito_source *exec_program_source(struct exec_program *p);
/* Sets the machine whose cycles are the program's time. */
void exec_program_set_machine(struct exec_program *p, struct montecito_machine *m);
/* All programs end, with a report, when together they have executed this number of bundles; 0: without limit. */
void exec_program_limit(struct exec_program *p, uint64_t most_bundles);
/* Loads another program, for the next hardware thread; PMON_E_RANGE: all four have one. `p` owns it. */
int exec_program_add(struct exec_program *p, const struct exec_options *options, char *error, size_t error_size);

/* How the program ended. */
struct exec_result {
  bool exited; /* by a system call, with exit_code */
  int exit_code;
  const char *program; /* the program that exited with a code other than 0, or has the fault; NULL: none */
  const char *fault;   /* why the program could not continue, with registers and disassembly, as lines; NULL: it
                        * could */
};
struct exec_result exec_program_result(const struct exec_program *p);

/* Returns the function that contains an address; NULL: none is known. */
const char *exec_program_symbol(const struct exec_program *p, uint64_t address, uint64_t *ret_offset);
/* Disassembles the instruction in a slot, 0 to 2, of the bundle at an address. False: there is none. */
bool exec_program_disassemble(struct exec_program *p, uint64_t address, unsigned slot, char *text, size_t text_size);

#endif
