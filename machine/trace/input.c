/* SPDX-License-Identifier: MIT */
#include "machine/trace/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>
#include <pmon/status.h>

#define BUFFER_BYTES (1u << 18)
#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"
#define WINDOW_LOG 23 /* the window that RFC 8878 recommends as the largest: 8 MB; pmon's own files need 512 KB */

struct trace_input {
  int fd; /* -1: memory */
  char *name;
  uint8_t *buffer;   /* used for files only */
  const uint8_t *at; /* the current raw bytes */
  size_t n;
  uint64_t raw_offset; /* file offset after the current bytes */
  uint64_t offset;
  ZSTD_DStream *zstd;
  bool in_frame; /* a zstd frame is not complete yet */
  char error[576];
};

static int input_error(struct trace_input *in, int status, const char *what, const char *why)
{
  snprintf(in->error, sizeof in->error, "%.300s: %s%s%s", in->name, what, why ? ": " : "", why ? why : "");
  return status;
}

/* Reads raw bytes if none are left; afterwards in->n is 0 only at the end. */
static int input_refill(struct trace_input *in)
{
  ssize_t n;

  if (in->n || in->fd < 0)
    return 0;
  do
    n = read(in->fd, in->buffer, BUFFER_BYTES);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return input_error(in, PMON_E_IO, "cannot be read", strerror(errno));
  in->at = in->buffer;
  in->n = (size_t)n;
  in->raw_offset += (uint64_t)n;
  return 0;
}

static int input_read_raw(struct trace_input *in, uint8_t *to, size_t size, size_t *ret_n)
{
  size_t done = 0;

  while (done < size) {
    size_t n = size - done;
    int rc = input_refill(in);

    *ret_n = done;
    if (rc < 0 || !in->n)
      return rc;
    if (n > in->n)
      n = in->n;
    memcpy(to + done, in->at, n);
    in->at += n;
    in->n -= n;
    done += n;
  }
  *ret_n = done;
  return 0;
}

static int input_zstd_error(struct trace_input *in, size_t code)
{
  char what[96], why[128];

  if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
    return input_error(in, PMON_E_SYNTAX, "its zstd data need a window of more than 8 MB",
                       "decompress the file, or compress it without --long and --ultra");
  snprintf(what, sizeof what, "the zstd data are damaged before byte %llu of the file",
           (unsigned long long)(in->raw_offset));
  snprintf(why, sizeof why, "%.64s; copy it or record it again", ZSTD_getErrorName(code));
  return input_error(in, PMON_E_SYNTAX, what, why);
}

static int input_read_zstd(struct trace_input *in, uint8_t *to, size_t size, size_t *ret_n)
{
  ZSTD_outBuffer out = {to, size, 0};

  while (out.pos < size) {
    ZSTD_inBuffer raw;
    size_t before = out.pos, left;
    int rc = input_refill(in);

    *ret_n = out.pos;
    if (rc < 0)
      return rc;
    raw = (ZSTD_inBuffer){in->at, in->n, 0};
    left = ZSTD_decompressStream(in->zstd, &out, &raw);
    *ret_n = out.pos;
    if (ZSTD_isError(left))
      return input_zstd_error(in, left);
    if (raw.pos || out.pos != before)
      in->in_frame = left != 0;
    in->at += raw.pos;
    in->n -= raw.pos;
    if (!raw.size && out.pos == before) {
      if (in->in_frame)
        return input_error(in, PMON_E_SYNTAX, "ends within its zstd data",
                           "the recording has not ended, or part of the file is missing; copy it or record it again");
      return 0;
    }
  }
  *ret_n = out.pos;
  return 0;
}

int trace_input_read(struct trace_input *in, void *to, size_t size, size_t *ret_n)
{
  int rc;

  *ret_n = 0;
  rc = in->zstd ? input_read_zstd(in, to, size, ret_n) : input_read_raw(in, to, size, ret_n);
  in->offset += *ret_n;
  return rc;
}

const char *trace_input_error(const struct trace_input *in)
{
  return in->error;
}

const char *trace_input_name(const struct trace_input *in)
{
  return in->name;
}

uint64_t trace_input_offset(const struct trace_input *in)
{
  return in->offset;
}

bool trace_input_is_compressed(const struct trace_input *in)
{
  return in->zstd;
}

bool trace_input_has_all(const struct trace_input *in)
{
  struct stat st;

  return in->fd < 0 || (fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode));
}

void trace_input_close(struct trace_input *in)
{
  if (!in)
    return;
  if (in->fd >= 0)
    close(in->fd);
  ZSTD_freeDStream(in->zstd);
  free(in->buffer);
  free(in->name);
  free(in);
}

/* Detects zstd by its magic number. */
static int input_detect_zstd(struct trace_input *in)
{
  int rc = input_refill(in);

  if (rc < 0 || in->n < 4 || memcmp(in->at, ZSTD_MAGIC, 4) != 0)
    return rc;
  in->zstd = ZSTD_createDStream();
  in->in_frame = true;
  if (!in->zstd || ZSTD_isError(ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax, WINDOW_LOG)))
    return input_error(in, PMON_E_MEMORY, "out of memory", NULL);
  return 0;
}

static struct trace_input *input_new(const char *name)
{
  struct trace_input *in = calloc(1, sizeof *in);

  if (!in)
    return NULL;
  in->fd = -1;
  in->name = strdup(name);
  if (in->name)
    return in;
  free(in);
  return NULL;
}

int trace_input_open(const char *path, char *error, size_t error_size, struct trace_input **ret_input)
{
  struct trace_input *in = input_new(path);
  int rc = PMON_E_MEMORY;

  snprintf(error, error_size, "out of memory");
  if (!in)
    return rc;
  in->buffer = malloc(BUFFER_BYTES);
  in->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (in->fd < 0)
    rc = input_error(in, PMON_E_IO, "cannot be opened", strerror(errno));
  else if (in->buffer)
    rc = input_detect_zstd(in);
  if (rc < 0) {
    if (in->error[0])
      snprintf(error, error_size, "%s", in->error);
    trace_input_close(in);
    return rc;
  }
  *ret_input = in;
  return 0;
}

int trace_input_memory(const char *name, const void *data, size_t bytes, struct trace_input **ret_input)
{
  struct trace_input *in = input_new(name);
  int rc;

  if (!in)
    return PMON_E_MEMORY;
  in->at = data;
  in->n = bytes;
  in->raw_offset = bytes;
  rc = input_detect_zstd(in);
  if (rc < 0) {
    trace_input_close(in);
    return rc;
  }
  *ret_input = in;
  return 0;
}
