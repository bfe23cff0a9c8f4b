/* SPDX-License-Identifier: MIT */
#include "tests/hardware/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/pmon.h"
#include "tests/leave.h"

/* prctl() calls by which the command drops its privileges. */
static unsigned prctls;
enum { MOST_PRCTLS = 70 };
int __real_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d);
int __wrap_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d);

int __wrap_prctl(int what, unsigned long a, unsigned long b, unsigned long c, unsigned long d)
{
  prctls++;
  return __real_prctl(what, a, b, c, d);
}

/* As many cores as the tree has CPUs in a package: the kernel's drivers count each CPU's own MSRs. */
static const char *const small[] = {"cores=2", "chas=2", "imcs=1", "upi.links=1", "iio.stacks=1", NULL};
static const char cpuinfo[] = "vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: %u\nmodel name\t: X\n"
                              "stepping\t: %u\nflags\t\t: fpu sse\n";
struct tree tree;
char output[1 << 18];
struct made *made;

void begin(void)
{
  begin_as("emr");
}

void begin_as(const char *name)
{
  const bool spr = !strcmp(name, "spr");
  char text[160];
  tree_make(&tree, name, small);
  snprintf(text, sizeof text, cpuinfo, spr ? 143u : 207u, spr ? 8u : 2u);
  tree_file(&tree, "proc/cpuinfo", text);
  tree_file(&tree, "sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
}

/* Returns a hash of the registers that the tests' events use: those of CHAs and, in configuration space, UPI 0. */
static uint64_t fingerprint(void)
{
  uint64_t sum = 14695981039346656037u, value = 0;
  for (uint32_t i = 0; i < 2 * 0x60; i++) {
    const struct pmon_address msr = {.package = i & 1,
                                     .space = PMON_SPACE_MSR,
                                     .width_bits = 64,
                                     .offset = 0x2000 + i / 2},
                              upi = {.package = i & 1,
                                     .space = PMON_SPACE_PCI,
                                     .width_bits = 32,
                                     .device = 30 << 8 | 1 << 3 | 1,
                                     .offset = 0x318 + 4 * (i / 2 % 24)};
    if (!machine_read(tree.machine, i / 2 < 0x40 ? &msr : &upi, &value))
      sum = (sum ^ value) * 1099511628211u;
  }
  return sum;
}

/* Opens by the C library's streams count as opens, too. */
FILE *__real_fopen64(const char *path, const char *mode);
FILE *__wrap_fopen64(const char *path, const char *mode);

FILE *__wrap_fopen64(const char *path, const char *mode)
{
  if (tree_now && !strncmp(path, tree_now->root, strlen(tree_now->root)) && tree_open_fails(path)) {
    errno = tree_now->open_error ? tree_now->open_error : EPERM;
    return NULL;
  }
  return __real_fopen64(path, mode);
}

static int open_files(void)
{
  int n = 0;
  for (int fd = 0; fd < 256; fd++)
    n += fcntl(fd, F_GETFD) >= 0;
  return n;
}

int run(const char *line)
{
  char text[512], *argv[32], *save = NULL;
  int pipes[2], argc = 0, status;
  const bool replays = strstr(line, "--replay "); /* reads a file instead of the tree */
  snprintf(text, sizeof text, "pmon %s", line);
  for (char *w = strtok_r(text, " ", &save); w && argc < 28; w = strtok_r(NULL, " ", &save)) {
    argv[argc++] = w;
    if (argc == 2 && strcmp(w, "import") && strcmp(w, "show") && strcmp(w, "report") && !replays) {
      argv[argc++] = (char *)(uintptr_t) "--root";
      argv[argc++] = tree.root;
    }
  }
  argv[argc] = NULL;
  if (!made)
    made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(made != MAP_FAILED);
  assert_int_equal(pipe(pipes), 0);
  pid_t pid = fork();
  if (!pid) {
    const uint64_t before = fingerprint();
    dup2(pipes[1], 1);
    dup2(pipes[1], 2);
    close(pipes[0]);
    const uint64_t opens = tree.opens, accesses = tree.accesses;
    const int files = open_files();
    int code = pmon_main(argc, argv);
    fflush(NULL);
    *made = (struct made){tree.opens - opens, tree.accesses - accesses, open_files() - files};
    leave(fingerprint() != before ? 200 + code : prctls > MOST_PRCTLS ? 100 + code : code);
  }
  close(pipes[1]);
  size_t n = 0;
  for (ssize_t k; (k = read(pipes[0], output + n, sizeof output - 1 - n)) > 0;)
    n += (size_t)k;
  for (char more[4096]; read(pipes[0], more, sizeof more) > 0;)
    continue; /* a busy host may report more intervals than are kept */
  output[n] = 0;
  close(pipes[0]);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void expect(const char *line, int code, const char *text)
{
  int got = run(line);
  if (got != code || !strstr(output, text))
    fail_msg("pmon %s: %d, \"%s\" expected in:\n%s", line, got, text, output);
}

void begin_kernel(const char *none)
{
  begin_kernel_as("emr", none);
}

void begin_kernel_as(const char *name, const char *none)
{
  static struct pmon_context *context;
  const struct pmon_platform *platform;
  begin_as(name);
  pmon_context_free(context);
  assert_int_equal(pmon_context_new(&context), 0);
  assert_int_equal(pmon_platform_find(context, name, &platform), 0);
  kernel_make(&tree, platform, none);
}
