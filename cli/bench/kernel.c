/* SPDX-License-Identifier: MIT */
#include "cli/bench/kernel.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/bench/child.h"
#include "vm/file.h"
#include "vm/kernel.h"
#include "vm/needs.h"

/* Files in a folder in which a kernel was built. */
#define TREE_IMAGE "arch/x86/boot/bzImage"
#define TREE_RELEASE "include/config/kernel.release"

/* Arguments: the kernel that the user named, the new folder. Prints the bzImage's path. A kernel without modules is
 * accepted. */
static const char unpack_script[] =
    "mkdir -p \"$2/boot\" || exit 1\n"
    "case $1 in\n"
    "*.deb)\n"
    "  dpkg-deb --fsys-tarfile \"$1\" | tar -x -C \"$2\" --wildcards './boot/vmlinuz-*' "
    "'./boot/config-*' '*/intel-uncore.ko*' '*/msr.ko*' 2>&1 |\n"
    "    grep -Ev 'Not found in archive|previous errors|like a tar archive' >&2\n"
    "  set -- \"$2\"/boot/vmlinuz-*\n"
    "  [ -f \"$1\" ] && echo \"$1\" ;;\n"
    "*)\n"
    "  release=$(cat \"$1/" TREE_RELEASE "\") || exit 1\n"
    "  modules=$2/lib/modules/$release/kernel/arch/x86\n"
    "  mkdir -p \"$modules/events/intel\" \"$modules/kernel\" || exit 1\n"
    "  cp \"$1/" TREE_IMAGE "\" \"$2/boot/vmlinuz-$release\" || exit 1\n"
    "  [ ! -f \"$1/.config\" ] || cp \"$1/.config\" \"$2/boot/config-$release\"\n"
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

static bool tree_lacks(const char *tree, const char *name)
{
  char path[PATH_MAX];
  return snprintf(path, sizeof path, "%s/%s", tree, name) >= (int)sizeof path || access(path, R_OK);
}

/* Warns that checks will fail because the kernel's configuration lacks something that they need; the others run. */
static void kernel_warn(struct cli *cli, const char *kernel, const char *path)
{
  char lacks[600] = "";
  char *config = needs_config(path, bench_kernel_release(path));
  if (config)
    needs_text(config, false, lacks, sizeof lacks);
  free(config);
  if (*lacks)
    cli_fail(cli,
             "--kernel %s: the kernel's configuration lacks %s; scripts/kconfig/merge_config.sh .config guest.config "
             "adds it (docs/bench.md)",
             kernel, lacks);
}

int bench_kernel_check(struct cli *cli, const char *kernel)
{
  struct stat is;
  struct kernel image;
  char error[KERNEL_PATH + 200];
  if (access(kernel, R_OK) || stat(kernel, &is))
    return cli_fail(cli, "--kernel %s: %s", kernel, strerror(errno));
  if (is_packed(kernel, &is))
    return CLI_DONE;
  const int status = kernel_open(&image, kernel, NULL, error, sizeof error);
  kernel_close(&image);
  return status ? cli_fail(cli, "%s%s", strncmp(error, "--kernel ", 9) ? "--kernel " : "", error) : CLI_DONE;
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
  if (S_ISDIR(is.st_mode) && (tree_lacks(kernel, TREE_IMAGE) || tree_lacks(kernel, TREE_RELEASE)))
    return cli_fail(cli,
                    "--kernel %s: no kernel was built in this folder (%s is missing); run `make bzImage modules` there",
                    kernel, tree_lacks(kernel, TREE_IMAGE) ? TREE_IMAGE : TREE_RELEASE);
  if (file_from_program(argv, -1, &output) || output.n < 2) {
    file_free(&output);
    if (child_interrupted()) /* the interruption also ends the programs that unpack */
      return cli_fail(cli, "--kernel %s: interrupted", kernel);
    return cli_fail(cli,
                    S_ISDIR(is.st_mode)
                        ? "--kernel %s: the kernel cannot be copied"
                        : "--kernel %s: not a package that contains a kernel; give linux-image-VERSION-amd64, on which "
                          "the metapackage linux-image-amd64 depends",
                    kernel);
  }
  *ret_path = strndup((const char *)output.bytes, output.n - 1);
  file_free(&output);
  if (!*ret_path)
    return cli_fail_memory(cli);
  kernel_warn(cli, kernel, *ret_path);
  return CLI_DONE;
}

const char *bench_kernel_release(const char *path)
{
  const char *name = path ? strstr(path, "vmlinuz-") : NULL;
  return name ? name + strlen("vmlinuz-") : "";
}
