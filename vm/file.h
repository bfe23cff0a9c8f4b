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

/* Reads a whole file. False: errno is set, and nothing has to be freed; EFBIG: longer than 256 MiB, as
 * file_read_error() prints it. */
bool file_read(const char *path, struct file *ret);
/* Returns the text of an error of these functions. */
const char *file_read_error(int error);
/* As file_read(), into memory that is reused for other files, because the kernel clears each new page. `ret` is valid
 * until the next file is read, and is not freed; the caller frees the buffer's bytes with free(). */
struct file_buffer {
  uint8_t *bytes;
  size_t room;
};
bool file_read_into(const char *path, struct file_buffer *b, struct file *ret);
/* As file_read(), but without a copy if the file can be mapped: for files that do not change, such as kernels. */
bool file_map(const char *path, struct file *ret);
/* Allocates a copy of the bytes; false: out of memory. */
bool file_copy(const struct file *from, struct file *ret);
/* Maps the first n bytes of an open file. */
bool file_map_fd(int fd, size_t n, struct file *ret);
void file_free(struct file *f);
/* Writes all bytes; false with errno set. */
bool file_write_fd(int fd, const struct file *f);
/* Returns an unnamed file in memory with those bytes, positioned at its beginning; -1 with errno set. */
int file_memory(const char *name, const void *bytes, size_t n);
/* Finds the path of a program as a shell does. False: it is not there. */
bool file_find_program(const char *program, char *path, size_t size);
/* Runs argv[0] (searched in PATH) to its end, with `in` (-1: nothing) as standard input, and takes its standard output;
 * `ret` NULL: the output goes to standard error. Returns its exit code, or -1. */
int file_from_program(char *const *argv, int in, struct file *ret);

/* file_from_program() in two steps, with other work between them; each program that is begun must be ended. */
struct file_program {
  int pid, out; /* -1: none */
};
void file_program_begin(struct file_program *p, char *const *argv, int in, bool output);
int file_program_end(struct file_program *p, struct file *ret); /* NULL: its output is not taken */

#endif
