/* SPDX-License-Identifier: MIT */
#ifndef PMON_STATUS_H
#define PMON_STATUS_H

#include <pmon/api.h>

PMON_BEGIN_DECLS

/*
 * The results of functions: 0, or one of these negative numbers. The error record of the context or object has the
 * text: the register, name or value, and the remedy.
 */
enum pmon_status {
  PMON_OK = 0,
  PMON_E_MEMORY = -1,        /* out of memory */
  PMON_E_SYNTAX = -2,        /* the text violates the grammar */
  PMON_E_UNKNOWN = -3,       /* no such name */
  PMON_E_AMBIGUOUS = -4,     /* several objects have that name */
  PMON_E_RANGE = -5,         /* a value is too wide for its field, or outside its range */
  PMON_E_CONFLICT = -6,      /* two settings of one register contradict each other */
  PMON_E_UNSCHEDULABLE = -7, /* no counter can count the event */
  PMON_E_PERMISSION = -8,    /* the system denies access */
  PMON_E_NO_DEVICE = -9,     /* this system has no such hardware */
  PMON_E_IO = -10,           /* a read or write failed */
  PMON_E_STATE = -11,        /* the object is not in a state to do this */
  PMON_E_NO_DATA = -12,      /* no value; the error record has the reason */
  PMON_E_UNSUPPORTED = -13,  /* not possible on this platform or backend */
  PMON_E_INVALID = -14,      /* an argument is invalid */
  PMON_E_STOLEN = -15        /* other software changed a register of the session */
};

/* The name of a status, for example "PMON_E_RANGE"; "PMON_?" for any other number. Never NULL, never freed. */
PMON_API const char *pmon_status_name(int status);

PMON_END_DECLS

#endif
