/* SPDX-License-Identifier: MIT */
/*
 * A session's journal: a file with the contents of its registers before the session. It is written before the first
 * register, and exists until all are restored.
 *
 *   pmon journal 2
 *   process 4711                     the writer
 *   boot 1f8c...                     the kernel's boot_id: a reboot resets all registers
 *   platform emr                     compiled in; or, user-supplied, its name and its content (pmon_platform_info)
 *   0 msr 0x0 0x2002 64 0x0          package, space, device, offset, width, content
 *   ...
 *   end 12 9f86...                   the number of registers, and the SHA-256 of the text before this line
 *
 * If the end is missing, no register has been written: the whole file is written before the first register, and a power
 * failure resets the registers. Sample buffers can only be read while the counters are frozen; their contents are added
 * in a second file, which replaces the first one before any of them changes. The session keeps the file locked (flock)
 * as long as it lives.
 */
#ifndef PMON_SESSION_JOURNAL_H
#define PMON_SESSION_JOURNAL_H

#include <stdbool.h>
#include <stdio.h>

#define JOURNAL_HEADER "pmon journal 2\n"
enum { JOURNAL_BOOT = 40, JOURNAL_MOST = 8 << 20 /* bytes */ };

/* Reads the kernel's boot_id, which identifies the current boot; "-": there is none. */
void journal_read_boot(char boot[JOURNAL_BOOT]);

/* Locks the file for this process. False: another process has locked it. */
bool journal_lock(int fd);

#endif
