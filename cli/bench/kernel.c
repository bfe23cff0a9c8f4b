/* SPDX-License-Identifier: MIT */
#include "cli/bench/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "vm/file.h"

/* Arguments: what the user named, the new folder. Prints the bzImage's path. */
static const char unpack_script[] = "mkdir -p \"$2\" || exit 1\n"
                                    "case $1 in\n"
                                    "*.deb)\n"
                                    "  dpkg-deb --fsys-tarfile \"$1\" | tar -x -C \"$2\" --wildcards "
                                    "'./boot/vmlinuz-*' '*/intel-uncore.ko*' '*/msr.ko*' >&2\n"
                                    "  set -- \"$2\"/boot/vmlinuz-*\n"
                                    "  [ -f \"$1\" ] && echo \"$1\" ;;\n"
                                    "*)\n"
                                    "  release=$(cat \"$1/include/config/kernel.release\") || exit 1\n"
                                    "  modules=$2/lib/modules/$release/kernel/arch/x86\n"
                                    "  mkdir -p \"$2/boot\" \"$modules/events/intel\" \"$modules/kernel\" || exit 1\n"
                                    "  cp \"$1/arch/x86/boot/bzImage\" \"$2/boot/vmlinuz-$release\" || exit 1\n"
                                    "  for m in events/intel/intel-uncore.ko kernel/msr.ko; do\n"
                                    "    [ ! -f \"$1/arch/x86/$m\" ] || cp \"$1/arch/x86/$m\" \"$modules/$m\"\n"
                                    "  done\n"
                                    "  echo \"$2/boot/vmlinuz-$release\" ;;\n"
                                    "esac\n";

static bool is_packed(const char *kernel, const struct stat *is)
{
  const size_t n = strlen(kernel);
  return S_ISDIR(is->st_mode) || (n > 4 && !strcmp(kernel + n - 4, ".deb"));
}

int bench_kernel_open(struct cli *cli, const char *kernel, const char *folder, char **ret_path)
{
  struct stat is;
  struct file output = {.n = 0};
  char *argv[] = {(char[]){"sh"},
                  (char[]){"-c"},
                  (char *)(uintptr_t)unpack_script,
                  (char[]){"sh"},
                  (char *)(uintptr_t)kernel,
                  (char *)(uintptr_t)folder,
                  NULL};
  *ret_path = NULL;
  if (stat(kernel, &is))
    return cli_fail(cli, "--kernel %s: %s", kernel, strerror(errno));
  if (!is_packed(kernel, &is))
    return (*ret_path = strdup(kernel)) ? CLI_DONE : cli_fail_memory(cli);
  if (file_from_program(argv, -1, &output) || output.n < 2) {
    file_free(&output);
    return cli_fail(cli,
                    "--kernel %s: neither a bzImage, nor Debian's package of a kernel, nor a folder in which one was "
                    "built",
                    kernel);
  }
  *ret_path = strndup((const char *)output.bytes, output.n - 1);
  file_free(&output);
  return *ret_path ? CLI_DONE : cli_fail_memory(cli);
}

const char *bench_kernel_release(const char *path)
{
  const char *name = path ? strstr(path, "vmlinuz-") : NULL;
  return name ? name + strlen("vmlinuz-") : "";
}
