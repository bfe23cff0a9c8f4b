/* SPDX-License-Identifier: MIT */
#include "cli/vm/artifacts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/common/paths.h"
#include "vm/file.h"
#include "vm/needs.h"

static int artifacts_fail(struct cli *cli, const struct artifacts *a, const char *name)
{
  cli_fail(cli, "--artifacts %s: %s: %s", a->folder, name, strerror(errno));
  return CLI_FAILED;
}

char *artifacts_path(const struct artifacts *a, const char *name)
{
  char *path;
  return asprintf(&path, "%s/%s", a->folder, name) < 0 ? NULL : path;
}

static FILE *artifacts_file(const struct artifacts *a, const char *name)
{
  char *path = artifacts_path(a, name);
  FILE *file = path ? fopen(path, "we") : NULL;
  free(path);
  return file;
}

int artifacts_open(struct cli *cli, const char *folder, struct artifacts *ret)
{
  *ret = (struct artifacts){.folder = folder};
  if (!folder)
    return CLI_DONE;
  if (mkdir(folder, 0777) && errno != EEXIST)
    return cli_fail(cli, "--artifacts %s: %s", folder, strerror(errno));
  const int result = path_lock_folder(cli, "--artifacts", folder);
  if (result != CLI_DONE)
    return result;
  if (!(ret->console = artifacts_file(ret, "console.log")) || !(ret->output = artifacts_file(ret, "output.log")) ||
      !(ret->errors = artifacts_file(ret, "errors.log")))
    return cli_fail(cli, "--artifacts %s: %s", folder, strerror(errno));
  return CLI_DONE;
}

bool artifacts_close(struct artifacts *a)
{
  FILE *const files[] = {a->console, a->output, a->errors};
  bool good = true;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++)
    if (files[i]) {
      good &= !ferror(files[i]);
      good &= !fclose(files[i]);
    }
  a->console = a->output = a->errors = NULL;
  return good;
}

void artifacts_output(struct artifacts *a, enum vm_stream stream, const char *bytes, size_t n)
{
  FILE *to = stream == VM_CONSOLE ? a->console : stream == VM_OUTPUT ? a->output : a->errors;
  if (to)
    fwrite(bytes, 1, n, to);
}

static int artifacts_write(struct cli *cli, const struct artifacts *a, const char *name, const void *bytes, size_t n)
{
  FILE *file = artifacts_file(a, name);
  const bool good = file && fwrite(bytes, 1, n, file) == n;
  if (!file || fclose(file) || !good)
    return artifacts_fail(cli, a, name);
  return CLI_DONE;
}

int artifacts_capture(struct cli *cli, const struct artifacts *a, const char *name, struct pmon_backend *backend)
{
  const struct pmon_capture_source source = {.size = sizeof source, .backend = backend};
  struct pmon_capture *taken = NULL;
  if (!a->folder)
    return CLI_DONE;
  if (pmon_capture_take(cli->platform, &source, &taken))
    return cli_fail_memory(cli);
  const size_t n = pmon_capture_format(taken, NULL, 0);
  char *text = malloc(n + 1);
  if (text)
    pmon_capture_format(taken, text, n + 1);
  const int result = text ? artifacts_write(cli, a, name, text, n) : cli_fail_memory(cli);
  free(text);
  pmon_capture_free(taken);
  return result;
}

static void write_words(FILE *out, const char *name, const char *const *words)
{
  fprintf(out, "%s:", name);
  for (; words && *words; words++)
    fprintf(out, " %s", *words);
  fputc('\n', out);
}

/* Writes the kernel's configuration, if there is one beside the kernel. */
static int artifacts_kernel_config(struct cli *cli, const struct artifacts *a, const struct vm_result *result)
{
  char *config = *result->release ? needs_config(result->kernel, result->release) : NULL;
  const int status = config ? artifacts_write(cli, a, "kernel.config", config, strlen(config)) : CLI_DONE;
  free(config);
  return status;
}

int artifacts_versions(struct cli *cli, const struct artifacts *a, const struct vm_options *o,
                       const struct vm_result *result)
{
  const char *program = o->qemu ? o->qemu : "qemu-system-x86_64";
  char *argv[] = {(char *)(uintptr_t)program, (char[]){"--version"}, NULL};
  struct file qemu = {.n = 0};
  FILE *out;
  if (!a->folder)
    return CLI_DONE;
  if (!(out = artifacts_file(a, "versions")))
    return artifacts_fail(cli, a, "versions");
  fprintf(out, "pmon: %s\nplatform: %s\nkernel: %s\nrelease: %s\nqemu: %s\n", pmon_version(), o->kind->name,
          result->kernel, result->release, program);
  write_words(out, "command", o->argv);
  if (!file_from_program(argv, -1, &qemu))
    fwrite(qemu.bytes, 1, qemu.n, out);
  file_free(&qemu);
  const bool good = !ferror(out);
  if (fclose(out) || !good)
    return artifacts_fail(cli, a, "versions");
  return artifacts_kernel_config(cli, a, result);
}
