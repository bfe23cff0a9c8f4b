/* SPDX-License-Identifier: MIT */
/* The state of a running program. Private to machine/montecito/exec/. */
#ifndef MACHINE_MONTECITO_EXEC_PROCESS_H
#define MACHINE_MONTECITO_EXEC_PROCESS_H

#include "machine/montecito/exec/code.h"
#include "machine/montecito/exec/program.h"
#include "machine/montecito/machine.h"

enum { EXEC_MOST_PAGES = 1 << 18 /* 4 GB */, EXEC_COPY_BYTES = 1 << 16 };

struct exec_symbol {
  uint64_t address, bytes;
  const char *name; /* in exec_program.names */
};

/* A program on a hardware thread. The first program is the source of the records of all programs. A thread that a
 * program has started uses the memory, symbols and file of its `process`; a program's own `process` is itself. */
struct exec_program {
  struct montecito_source base;
  struct exec_program *first, *process;
  struct exec_program *member[MONTECITO_THREADS]; /* in `first`: the programs by hardware thread; NULL: none */
  unsigned n_members;                             /* programs placed so far */
  struct exec_program *alone;                     /* in `first`: the only program that runs; NULL: none, or several
                                                   * run */
  uint16_t space;                                 /* in a process: its address space */
  char name[128];                                 /* the file's name as given, truncated if it is long */
  bool over;                                      /* the hardware thread is free */
  struct exec_cpu cpu;
  struct exec_memory memory;
  uint64_t entry, break_first, break_now, map_next;
  uint64_t phdr_address, phdr_n; /* the program headers in memory, for the auxiliary vector */
  struct exec_symbol *symbols;   /* by address */
  size_t n_symbols;
  char *names;
  uint64_t bundles, most_bundles; /* bundles: executed by all programs, counted in `first` */
  bool started, ended, exited;
  int exit_code;
  char fault_text[2400];
  /* Dispersal: whether the next bundle can issue with the last one. */
  uint64_t ports;                /* the ports that the open cycle has taken */
  uint64_t joins_at;             /* address of a bundle that could join the open cycle; 1: none */
  struct montecito_record ahead; /* record of the bundle that was executed together with the previous one */
  bool has_ahead;
  uint8_t copy[EXEC_COPY_BYTES]; /* buffer between the program and files */
  unsigned sent;                 /* number of the register stack engine's transfers that were delivered */
};

#define EXEC_STACK_TOP UINT64_C(0x6000fffffffc0000)
#define EXEC_BACKING UINT64_C(0x6000800000000000)
#define EXEC_MAP UINT64_C(0x2000000000800000)
enum { EXEC_STACK_BYTES = 8 << 20, EXEC_BACKING_BYTES = 8 << 20 };

/* elf.c: maps the file's segments and reads its symbols. */
int exec_elf_load(struct exec_program *p, const char *path, char *error, size_t error_size);
/* start.c: sets up stack, arguments and registers for the entry. PMON_E_MEMORY, PMON_E_RANGE: the arguments do not
 * fit. */
int exec_process_start(struct exec_program *p, const struct exec_options *options);
/* linux.c: executes the system call in the registers. */
void exec_system_call(struct exec_program *p);
/* program.c: produces the next record of one program; frees a finished thread, or a program. */
void exec_program_record(struct exec_program *p, struct montecito_record *ret, bool *ret_ended);
void exec_program_discard(struct exec_program *p);
/* threads.c: places a program on a hardware thread (false: none is free); performs clone, returning what Linux returns;
 * ends a thread or all threads of its process; produces the next record of all programs. */
bool exec_threads_place(struct exec_program *first, struct exec_program *p);
int64_t exec_threads_clone(struct exec_program *parent, uint64_t flags, uint64_t stack, uint64_t bytes, uint64_t tls);
void exec_threads_end(struct exec_program *p, bool whole_process);
void exec_threads_update_machine(struct exec_program *first); /* states which threads run to the machine */
int exec_threads_next(struct exec_program *first, struct montecito_record *ret, bool *ret_ended);
/* report.c: describes the fault in fault_text. */
void exec_report_fault(struct exec_program *p);

#endif
