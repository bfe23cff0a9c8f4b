/* SPDX-License-Identifier: MIT */
/* What the command does before anything else, and after everything else, about its standard descriptors and signals. */
#ifndef CLI_COMMON_START_H
#define CLI_COMMON_START_H

/*
 * Makes sure that 0, 1 and 2 are open: a file that is opened later would otherwise take the number of a closed one, and
 * messages would be written into it, a register device included. Each closed one becomes /dev/null, opened so that its
 * use fails, and close-on-exec, so that a measured command starts with the descriptors that pmon was given.
 * To be called first of all.
 */
void start_open_standard_descriptors(void);

/*
 * A limit on file sizes becomes an error of write(), as on a full disk. A handler does that, not SIG_IGN, because a
 * measured command would inherit SIG_IGN.
 */
void start_handle_file_limit(void);

/* Flushes standard output, which may have been closed or full all along. Returns `result`, or 1 with a message when
 * something could not be written. */
int start_finish_output(int result);

#endif
