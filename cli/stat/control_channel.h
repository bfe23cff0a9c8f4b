/* SPDX-License-Identifier: MIT */
/* The commands that another program sends while a measurement runs, in the form of Linux perf: lines from a FIFO or an
 * inherited descriptor, each of which is acknowledged by the line "ack". */
#ifndef CLI_STAT_CONTROL_CHANNEL_H
#define CLI_STAT_CONTROL_CHANNEL_H

#include <stdbool.h>
#include "cli/common/cli.h"

enum control_command { CONTROL_NONE, CONTROL_ENABLE, CONTROL_DISABLE, CONTROL_STOP, CONTROL_PING, CONTROL_EVLIST };

struct control_channel;

/* Opens what `value` names: fifo:COMMANDS[,ANSWERS] (paths) or fd:COMMANDS[,ANSWERS] (numbers). CLI_DONE, or an exit
 * code after printing an error. */
int control_channel_open(const struct cli *cli, const char *value, struct control_channel **ret_control);
/* Closes the FIFOs, not inherited descriptors. NULL is allowed. */
void control_channel_close(struct control_channel *c);

/* The descriptor that commands are read from; -1: its other end was closed. */
int control_channel_fd(const struct control_channel *c);
/* Reads what has arrived, without waiting. Returns the number of complete lines that were not taken. */
unsigned control_channel_count(struct control_channel *c);
/* Takes the next line. CONTROL_NONE: it is empty, or unknown, which is reported; as in perf, that is not acknowledged.
 * perf's commands for a single event are unknown: a session has one measured time, of which all its values are. */
enum control_command control_channel_next(struct control_channel *c);
/* Acknowledges a command that has taken effect. */
void control_channel_acknowledge(struct control_channel *c);

/* The word of a command, and the command of a word; NULL, CONTROL_NONE: there is none. */
const char *control_command_word(enum control_command command);
enum control_command control_command_of_word(const char *word);

#endif
