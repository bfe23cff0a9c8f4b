/* SPDX-License-Identifier: MIT */
/*
 * A session's journal: what its registers held, in a file, from before the first write until everything is restored.
 *
 *   pmon journal 2
 *   process 4711                     who writes it
 *   boot 1f8c...                     the kernel's boot_id: a start of the computer resets all registers
 *   platform emr                     compiled in; or, user-supplied, its name and its content (pmon_platform_info)
 *   0 msr 0x0 0x2002 64 0x0          package, space, device, offset, width, content
 *   ...
 *   end 12 9f86...                   how many registers, and the SHA-256 of what stands before this line
 *
 * Without its end no register was written yet: a power failure resets the registers, and a process that is killed has
 * written the whole file before the first of them. Sample buffers can only be read while the counters are frozen; their
 * contents are added in a second file, which replaces the first one before any of them changes. The session keeps the
 * file locked (flock) as long as it lives.
 */
#ifndef PMON_SESSION_JOURNAL_H
#define PMON_SESSION_JOURNAL_H

#include <stdbool.h>
#include <stdio.h>

#define JOURNAL_HEADER "pmon journal 2\n"
enum { JOURNAL_BOOT = 40, JOURNAL_MOST = 8 << 20 /* bytes */ };

/* The kernel's name for the time since the computer was started; "-": it has none. */
void journal_read_boot(char boot[JOURNAL_BOOT]);

/* Locks the file for this process. False: another one has it. */
bool journal_lock(int fd);

#endif
