/* SPDX-License-Identifier: MIT */
/* Whole files in memory, and the output of other programs. */
#ifndef VM_FILE_H
#define VM_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file {
  uint8_t *bytes;
  size_t n;
  bool mapped;
}; /* allocated, or mapped; freed by file_free() */

/* False with errno set, and nothing to be freed. EFBIG: longer than 256 MiB, as file_read_error() prints it. */
bool file_read(const char *path, struct file *ret);
bool file_read_fd(int fd, struct file *ret);
/* The text of the error of one of these functions. */
const char *file_read_error(int error);
/* As file_read(), into memory that is used again for other files: the kernel clears each new page. `ret` has it until
 * the next one is read, and is not freed; what the buffer has at the end is freed by free(). */
struct file_buffer {
  uint8_t *bytes;
  size_t room;
};
bool file_read_into(const char *path, struct file_buffer *b, struct file *ret);
/* As file_read(), without a copy where the file can be mapped: for files that stay as long as they are, as kernels. */
bool file_map(const char *path, struct file *ret);
/* Allocates the same bytes; false: no memory. */
bool file_copy(const struct file *from, struct file *ret);
/* The first n bytes of an open file. */
bool file_map_fd(int fd, size_t n, struct file *ret);
void file_free(struct file *f);
/* Writes all of it; false with errno set. */
bool file_write_fd(int fd, const struct file *f);
/* An unnamed file in memory with those bytes, at its beginning; -1 with errno set. */
int file_memory(const char *name, const void *bytes, size_t n);
/* The path of a program that is named as to a shell. False: it is not there. */
bool file_find_program(const char *program, char *path, size_t size);
/* Runs argv[0] (searched in PATH) with `in` (-1: nothing) as standard input to its end and takes its standard output;
 * `ret` may be NULL, then it goes to standard error. Its exit code, or -1. */
int file_from_program(char *const *argv, int in, struct file *ret);

/* The same in two steps, with other work between them: each program that is begun is ended. */
struct file_program {
  int pid, out; /* -1: none */
};
void file_program_begin(struct file_program *p, char *const *argv, int in, bool output);
int file_program_end(struct file_program *p, struct file *ret); /* NULL: its output is not taken */

#endif
