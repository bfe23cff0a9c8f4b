/* SPDX-License-Identifier: MIT */
#include "helper/sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool sandbox_drop_privileges(void)
{
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  const struct __user_cap_data_struct none[2] = {{0}};
  const uid_t user = getuid();
  const gid_t group = getgid();
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (int i = 0; i < 64 && !prctl(PR_CAPBSET_DROP, i, 0, 0, 0); i++)
    continue;
  /* A change of the user sets PR_SET_DUMPABLE to fs.suid_dumpable, and 1 would let the user trace this process. */
  return !setresgid(group, group, group) && !setresuid(user, user, user) && !syscall(SYS_capset, &head, none) &&
         !prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* Calls on open descriptors, including those that the C library makes. */
static const int allowed[] = {SYS_read,          SYS_recvfrom,     SYS_sendto,        SYS_pread64, SYS_pwrite64,
                              SYS_ioctl,         SYS_munmap,       SYS_mremap,        SYS_brk,     SYS_madvise,
                              SYS_close,         SYS_fstat,        SYS_newfstatat,    SYS_lseek,   SYS_flock,
                              SYS_fcntl,         SYS_futex,        SYS_exit_group,    SYS_exit,    SYS_getpid,
                              SYS_clock_gettime, SYS_rt_sigreturn, SYS_rt_sigprocmask};
/* Allowed without PROT_EXEC, their third argument. */
static const int allowed_data[] = {SYS_mmap, SYS_mprotect};
/* Refused with EACCES: calls on files that are examined when a CPU goes offline. */
static const int refused[] = {SYS_openat, SYS_open, SYS_readlink, SYS_access};

enum { MOST = 128 };

struct program {
  struct sock_filter at[MOST];
  unsigned short n;
};

static void program_add(struct program *p, uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
  p->at[p->n++] = (struct sock_filter){.code = code, .jt = jt, .jf = jf, .k = k};
}

static void program_return_for(struct program *p, int call, uint32_t action)
{
  program_add(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
  program_add(p, BPF_RET | BPF_K, action, 0, 0);
}

bool sandbox_filter_calls(void)
{
  struct program p = {.n = 0};
  const uint16_t load = BPF_LD | BPF_W | BPF_ABS;
  program_add(&p, load, offsetof(struct seccomp_data, arch), 0, 0);
  program_add(&p, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
  program_add(&p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
  program_add(&p, load, offsetof(struct seccomp_data, nr), 0, 0);
  for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
    program_return_for(&p, allowed[i], SECCOMP_RET_ALLOW);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    program_return_for(&p, refused[i], SECCOMP_RET_ERRNO | EACCES);
  for (size_t i = 0; i < sizeof allowed_data / sizeof *allowed_data; i++) {
    program_add(&p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed_data[i], 0, 4);
    program_add(&p, load, offsetof(struct seccomp_data, args) + 2 * sizeof(uint64_t), 0, 0);
    program_add(&p, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
    program_add(&p, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    program_add(&p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
  }
  program_add(&p, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
  const struct sock_fprog filter = {.len = p.n, .filter = p.at};
  return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}
