/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows execve(). QEMU's user-mode emulation would let the host execute the program natively. The plugin executes the
 * emulator instead, with the plugin and with the program as its argument. Programs that cannot be emulated this way
 * (another architecture, set-user-ID) are left to QEMU.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include "machine/trace/program.h"
#include "plugin/targets.h"
#include "plugin/trace.h"

enum { MOST_WORDS = 1 << 20 }; /* the kernel's limit is lower */

static const struct target *target;
static intptr_t guest_base; /* the host address of the guest's address 0 */
static bool base_known;

void follow_install(const struct target *of_program)
{
  target = of_program;
}

void follow_look(const struct qemu_plugin_insn *insn)
{
  const char *at = base_known ? NULL : qemu_plugin_insn_haddr(insn);

  if (at) {
    guest_base = (intptr_t)at - (intptr_t)qemu_plugin_insn_vaddr(insn);
    base_known = true;
  }
}

/* ---- the guest's memory: an invalid pointer makes the guest's system call fail ---- */

static char *guest_to_host(uint64_t address)
{
  return (char *)(guest_base + (intptr_t)address);
}

size_t follow_read(uint64_t address, void *to, size_t n)
{
  const size_t page = 4096;
  size_t done = 0;

  while (base_known && done < n) {
    const char *from = guest_to_host(address + done);
    size_t part = page - ((uintptr_t)from & (page - 1));
    const struct iovec local = {(char *)to + done, part < n - done ? part : n - done};
    const struct iovec remote = {(void *)(uintptr_t)from, local.iov_len};
    ssize_t k = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);

    if (k <= 0)
      break;
    done += (size_t)k;
  }
  return done;
}

static bool read_guest(int memory, uint64_t address, void *to, size_t n)
{
  return pread(memory, to, n, (off_t)(uintptr_t)guest_to_host(address)) == (ssize_t)n;
}

static bool guest_read_text(int memory, uint64_t address, char *to, size_t size)
{
  for (size_t i = 0; i < size; i++) {
    if (!read_guest(memory, address + i, to + i, 1))
      return false;
    if (!to[i])
      return true;
  }
  return false;
}

static bool guest_read_pointer(int memory, uint64_t array, size_t i, unsigned bytes, uint64_t *ret)
{
  uint32_t narrow;

  if (bytes == 8)
    return read_guest(memory, array + 8 * i, ret, 8);
  if (!read_guest(memory, array + 4 * i, &narrow, 4))
    return false;
  *ret = narrow;
  return true;
}

/* ---- the new command ---- */

struct words {
  char **word;
  size_t n, room;
  bool failed;
};

static void words_append(struct words *w, const char *word)
{
  if (w->n + 1 >= w->room) {
    size_t room = w->room ? 2 * w->room : 64;
    char **grown = realloc(w->word, room * sizeof *grown);

    w->failed |= !grown;
    if (!grown)
      return;
    w->word = grown;
    w->room = room;
  }
  w->word[w->n++] = (char *)word;
  w->word[w->n] = NULL;
}

/* Appends the guest's array of strings, from index `from` on. */
static void words_append_guest(struct words *w, int memory, uint64_t array, size_t from, unsigned bytes)
{
  uint64_t pointer = 1;

  for (size_t i = from; array && !w->failed; i++) {
    w->failed |= i == MOST_WORDS || !guest_read_pointer(memory, array, i, bytes, &pointer);
    if (w->failed || !pointer)
      return;
    words_append(w, guest_to_host(pointer));
  }
}

/* Variables of the dynamic linker are passed to the program by -E, so that they do not affect the emulator. */
static bool is_linker_variable(int memory, const char *entry)
{
  char begin[3];

  return read_guest(memory, (uint64_t)((intptr_t)entry - guest_base), begin, sizeof begin) &&
         !memcmp(begin, "LD_", sizeof begin) && !strchr(entry, ',');
}

static void words_append_emulator(struct words *w, char *plugin, size_t plugin_size, int shm, uint64_t blocked)
{
  const char *before = "";

  for (const char *word = setup.emulator; *word; word += strlen(word) + 1) {
    if (!strcmp(before, "-plugin")) {
      w->failed |= (size_t)snprintf(plugin, plugin_size, "%s,shm=%d,ignored=%u,blocked=%" PRIx64, word, shm,
                                    signals_ignored(), blocked) >= plugin_size;
      words_append(w, plugin);
    } else {
      words_append(w, word);
    }
    before = word;
  }
}

struct command {
  struct program program;
  struct words argv, env;
  uint64_t blocked; /* signals that the program blocks */
  char plugin[2 * PATH_MAX + 96], first[PATH_MAX];
};

static bool follow_build_command(struct command *c, int memory, int shm, uint64_t argv, uint64_t envp)
{
  const unsigned bytes = c->program.arch->pointer_bytes;
  struct words env = {0};
  uint64_t first = 0;

  words_append_emulator(&c->argv, c->plugin, sizeof c->plugin, shm, c->blocked);
  words_append_guest(&env, memory, envp, 0, bytes);
  words_append(&c->env, NULL);
  c->env.n = 0;
  for (size_t i = 0; i < env.n; i++) {
    if (is_linker_variable(memory, env.word[i])) {
      words_append(&c->argv, "-E");
      words_append(&c->argv, env.word[i]);
    } else {
      words_append(&c->env, env.word[i]);
    }
  }
  if (argv && guest_read_pointer(memory, argv, 0, bytes, &first) && first && !c->program.words) {
    words_append(&c->argv, "-0");
    words_append(&c->argv, guest_to_host(first));
  }
  words_append(&c->argv, c->program.path);
  for (size_t i = 0; i < c->program.words; i++)
    words_append(&c->argv, c->program.word[i]);
  words_append_guest(&c->argv, memory, argv, first ? 1 : 0, bytes);
  bool ok = !c->argv.failed && !c->env.failed && !env.failed;
  free(env.word);
  return ok;
}

/* Replaces a path that denotes the current process's file (/proc/self/exe) by the file of the emulated program;
 * otherwise it would denote the emulator. */
static void follow_resolve_self(char *path, size_t size)
{
  char exe[64];

  snprintf(exe, sizeof exe, "/proc/%d/exe", (int)getpid());
  if (strcmp(path, "/proc/self/exe") && strcmp(path, exe))
    return;
  const char *own = qemu_plugin_path_to_binary();
  if (own)
    snprintf(path, size, "%s", own);
  free((void *)own);
}

static bool can_be_emulated(const struct program *p)
{
  struct stat st;

  return target && !strcmp(p->arch->name, target->name) && !access(p->path, X_OK) && !stat(p->path, &st) &&
         !(st.st_mode & (S_ISUID | S_ISGID));
}

void follow_exec(uint64_t path, uint64_t argv, uint64_t envp)
{
  struct command *c = calloc(1, sizeof *c);
  char error[PATH_MAX + 128];
  int memory = -1, shm = -1;

  if (!c || !base_known || !*setup.emulator || (memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)) < 0 ||
      !guest_read_text(memory, path, c->first, sizeof c->first))
    goto out;
  follow_resolve_self(c->first, sizeof c->first);
  if (access(c->first, X_OK) || program_resolve(c->first, &c->program, error, sizeof error) < 0 ||
      !can_be_emulated(&c->program) || (shm = open(setup.memory, O_RDWR | O_CLOEXEC)) < 0)
    goto out;
  if (!signals_hold(&c->blocked))
    goto out; /* QEMU delivers the signal and repeats the system call */
  /* The emulator alone inherits it, not a program that another thread of the guest starts meanwhile. */
  if (follow_build_command(c, memory, shm, argv, envp) && !fcntl(shm, F_SETFD, 0))
    execve(c->argv.word[0], c->argv.word, c->env.word);
  signals_release(c->blocked);
out:
  if (shm >= 0)
    close(shm);
  if (memory >= 0)
    close(memory);
  if (c) {
    free(c->argv.word);
    free(c->env.word);
  }
  free(c);
}
