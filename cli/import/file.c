/* SPDX-License-Identifier: MIT */
/* One platform: its event files are read, and its fact files written. */
#include <stdlib.h>
#include <string.h>
#include "cli/import/import.h"

int import_add_file(struct import *im, const char *path)
{
  char error[512];
  struct import_file *files = realloc(im->files, (im->n_files + 1) * sizeof *files);
  if (!files)
    return cli_fail_memory(im->cli);
  im->files = files;
  struct import_file *file = &files[im->n_files];
  *file = (struct import_file){.path = strdup(path)};
  if (!file->path)
    return cli_fail_memory(im->cli);
  if (intel_open(path, &file->file, error, sizeof error) != PMON_OK) {
    free(file->path);
    return cli_fail(im->cli, "%s", error);
  }
  const char *slash = strrchr(file->path, '/');
  file->source = slash && slash[1] ? slash + 1 : file->path;
  im->n_files++;
  struct import_row *rows = realloc(im->rows, (im->n_rows + file->file.n + 1) * sizeof *rows);
  if (!rows)
    return cli_fail_memory(im->cli);
  im->rows = rows;
  for (size_t i = 0; i < file->file.n; i++) {
    struct import_row *row = &im->rows[im->n_rows++];
    *row = (struct import_row){.used = true, .source = file->source, .file = im->n_files - 1};
    if (intel_event(&file->file, i, &row->e, error, sizeof error) != PMON_OK)
      import_leave_out(im, row, "%s", error);
  }
  return CLI_DONE;
}

void import_free(struct import *im)
{
  for (size_t i = 0; i < im->n_rows; i++) {
    free(im->rows[i].event);
    free(im->rows[i].umask);
    free(im->rows[i].settings);
  }
  for (size_t i = 0; i < im->n_files; i++) {
    intel_close(&im->files[i].file);
    free(im->files[i].path);
  }
  free(im->rows);
  free(im->files);
  import_metrics_free(im->metrics);
}

int import_finish(struct import *im, const char *folder)
{
  int status = import_add_topdown(im);
  if (!status)
    status = import_add_kernel_counters(im);
  if (!status)
    status = import_place(im);
  if (!status)
    status = import_check(im);
  if (!status)
    status = import_group(im);
  if (!status && im->metrics)
    status = import_metrics_translate(im);
  if (status)
    return cli_fail_memory(im->cli);
  if (im->left_out == im->n_rows)
    return cli_fail(im->cli, "%s: none of the %zu objects can be used", im->path, im->n_rows);
  return import_write(im, folder);
}
