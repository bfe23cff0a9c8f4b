/* SPDX-License-Identifier: MIT */
#ifndef PMON_STATUS_H
#define PMON_STATUS_H

#include <pmon/api.h>

PMON_BEGIN_DECLS

/*
 * What a function can answer: 0, or one of these negative numbers. The text that says which register, which name,
 * which value, and what to do about it is in the error record of the context or object that failed.
 */
enum pmon_status {
  PMON_OK = 0,
  PMON_E_MEMORY = -1,        /* no memory */
  PMON_E_SYNTAX = -2,        /* the text is not what the grammar says */
  PMON_E_UNKNOWN = -3,       /* no such name */
  PMON_E_AMBIGUOUS = -4,     /* several things have that name */
  PMON_E_RANGE = -5,         /* a value is too wide for its field, or outside its range */
  PMON_E_CONFLICT = -6,      /* two things want one register differently */
  PMON_E_UNSCHEDULABLE = -7, /* no counter can take it */
  PMON_E_PERMISSION = -8,    /* the system does not let us */
  PMON_E_NO_DEVICE = -9,     /* no such hardware here */
  PMON_E_IO = -10,           /* a read or write failed */
  PMON_E_STATE = -11,        /* the object is not in a state to do this */
  PMON_E_NO_DATA = -12,      /* there is no value, and the error record says why */
  PMON_E_UNSUPPORTED = -13,  /* possible elsewhere, not here */
  PMON_E_INVALID = -14,      /* an argument makes no sense */
  PMON_E_STOLEN = -15        /* somebody else changed what we had set */
};

/* The name of a status, such as "PMON_E_RANGE"; "PMON_?" for a number that is none. Never NULL, never freed. */
PMON_API const char *pmon_status_name(int status);

PMON_END_DECLS

#endif
