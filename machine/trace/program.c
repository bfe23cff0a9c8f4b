/* SPDX-License-Identifier: MIT */
#include "machine/trace/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <pmon/status.h>

/* The start of a file. For scripts the interpreter line is split in place. */
struct head {
  char text[256 + 1];
  size_t n;
};

static const struct {
  uint16_t machine;
  uint8_t class, data;
  struct program_arch arch;
} known[] = {
    /* The complete instruction set of the emulation, so that programs built for newer processors run. The fast
     * string instructions are excluded: the emulation performs them byte by byte, and C libraries would prefer them. */
    {EM_X86_64, ELFCLASS64, ELFDATA2LSB, {"x86_64", "max,-erms,-fsrm", 8}},
    {EM_386, ELFCLASS32, ELFDATA2LSB, {"i386", "max,-erms,-fsrm", 4}},
    {EM_AARCH64, ELFCLASS64, ELFDATA2LSB, {"aarch64", NULL, 8}},
    {EM_RISCV, ELFCLASS64, ELFDATA2LSB, {"riscv64", NULL, 8}},
};

int program_refuse(char *error, size_t error_size, int status, const char *format, ...)
{
  va_list list;

  va_start(list, format);
  vsnprintf(error, error_size, format, list);
  va_end(list);
  return status;
}

static bool is_program(const char *path)
{
  struct stat st;

  return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

bool program_find_in_path(const char *name, char *path, size_t path_size)
{
  const char *dirs = getenv("PATH");

  if (strchr(name, '/')) {
    snprintf(path, path_size, "%s", name);
    return is_program(path);
  }
  if (!dirs)
    dirs = "/usr/local/bin:/usr/bin:/bin";
  while (*name) {
    size_t n = strcspn(dirs, ":");

    snprintf(path, path_size, "%.*s%s%s", (int)n, dirs, n ? "/" : "./", name);
    if (is_program(path))
      return true;
    if (!dirs[n])
      return false;
    dirs += n + 1;
  }
  return false;
}

static int read_head(const char *path, struct head *h, char *error, size_t error_size)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, h->text, sizeof h->text - 1);

  if (fd >= 0)
    close(fd);
  if (n < 0)
    return program_refuse(error, error_size, PMON_E_PERMISSION, "%s: cannot be read: %s", path, strerror(errno));
  h->text[n] = 0;
  h->n = (size_t)n;
  return 0;
}

static int find_arch(struct program *p, const struct head *h, char *error, size_t error_size)
{
  Elf64_Ehdr e;

  if (h->n < sizeof e || memcmp(h->text, ELFMAG, SELFMAG) != 0)
    return program_refuse(error, error_size, PMON_E_UNSUPPORTED,
                          "%s: neither an ELF program nor a script that begins with #!", p->path);
  memcpy(&e, h->text, sizeof e);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (e.e_machine == known[i].machine && e.e_ident[EI_CLASS] == known[i].class &&
        e.e_ident[EI_DATA] == known[i].data) {
      p->arch = &known[i].arch;
      return 0;
    }
  if (e.e_machine == EM_IA_64)
    return program_refuse(error, error_size, PMON_E_UNSUPPORTED,
                          "%s: an Itanium program, which pmon cannot trace; `pmon -p montecito stat` executes it",
                          p->path);
  return program_refuse(error, error_size, PMON_E_UNSUPPORTED,
                        "%s: a program for ELF machine %u, which pmon cannot trace", p->path, e.e_machine);
}

/* Replaces a script by its interpreter, with the script and at most one argument as words before the others. */
static int follow_script(struct program *p, struct head *h, char *error, size_t error_size)
{
  char *interpreter, *argument, *end;
  size_t more;

  h->text[2 + strcspn(h->text + 2, "\n")] = 0;
  interpreter = h->text + 2 + strspn(h->text + 2, " \t");
  argument = interpreter + strcspn(interpreter, " \t");
  if (*argument)
    *argument++ = 0;
  argument += strspn(argument, " \t");
  for (end = argument + strlen(argument); end > argument && strchr(" \t\r", end[-1]);)
    *--end = 0;
  more = *argument ? 2 : 1;
  memmove(p->word + more, p->word, p->words * sizeof p->word[0]);
  memcpy(p->word[more - 1], p->path, sizeof p->path);
  if (*argument)
    snprintf(p->word[0], PATH_MAX, "%s", argument);
  p->words += more;
  if (!is_program(interpreter))
    return program_refuse(error, error_size, PMON_E_UNKNOWN, "%s: the interpreter '%s' cannot be executed", p->path,
                          interpreter);
  snprintf(p->path, sizeof p->path, "%s", interpreter);
  return 0;
}

int program_resolve(const char *path, struct program *ret, char *error, size_t error_size)
{
  snprintf(ret->path, sizeof ret->path, "%s", path);
  ret->words = 0;
  for (int depth = 0;; depth++) {
    struct head h;
    int rc = read_head(ret->path, &h, error, error_size);

    if (rc < 0)
      return rc;
    if (h.n < 2 || h.text[0] != '#' || h.text[1] != '!')
      return find_arch(ret, &h, error, error_size);
    if (depth == PROGRAM_SCRIPTS)
      return program_refuse(error, error_size, PMON_E_UNSUPPORTED, "%s: too many nested interpreters", ret->path);
    if ((rc = follow_script(ret, &h, error, error_size)) < 0)
      return rc;
  }
}
