/* SPDX-License-Identifier: MIT */
/* Process-wide preparation and completion: standard descriptors and signals. */
#ifndef CLI_COMMON_START_H
#define CLI_COMMON_START_H

/*
 * Ensures that descriptors 0, 1 and 2 are open. Otherwise a file opened later would get the number of a closed one, and
 * messages would be written into that file, which could be a register device. Each closed descriptor is opened on
 * /dev/null, in the wrong direction so that any use fails, and close-on-exec, so that a measured command starts with
 * the descriptors that pmon was given. Call it first.
 */
void start_open_standard_descriptors(void);

/*
 * Turns the signal for exceeding a file size limit into an error of write(), as on a full disk. This uses a handler,
 * not SIG_IGN, because a measured command would inherit SIG_IGN.
 */
void start_handle_file_limit(void);

/* Flushes standard output, which may be closed or full. Returns `result`, or 1 after printing an error if the output
 * could not be written. */
int start_finish_output(int result);

#endif
