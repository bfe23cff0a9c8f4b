/* SPDX-License-Identifier: MIT */
/* Codes of the events that a link's mesh stop reports (guide 2.9): its own events, and those of its link. */
#ifndef MACHINE_EMR_M3UPI_CODES_H
#define MACHINE_EMR_M3UPI_CODES_H

enum {
  AD_CREDITS_EMPTY = 0x20,
  BL_CREDITS_EMPTY = 0x21,
  CHA_CREDITS_EMPTY = 0x22,
  STACK_CREDITS_EMPTY = 0x23,
  AD_NE = 0x27,
  BL_NE = 0x28,
  DIRECT_LINK = 0x2a,
  DIRECT_CORE = 0x2b,
  AD_BYPASS = 0x2c,
  AD_INSERTS = 0x2d,
  BL_INSERTS = 0x2e,
  AK_INSERTS = 0x2f,
  AD_OCCUPANCY = 0x1c,
  BL_OCCUPANCY = 0x1d,
  AK_OCCUPANCY = 0x1e,
  WB_OCCUPANCY = 0x1f,
  AD_LOST = 0x30,
  BL_LOST = 0x35,
  SLOTS_RECEIVED = 0x3e,
  BYPASSED = 0x40,
  INSERTS = 0x41,
  NOT_EMPTY = 0x43,
  OCCUPANCY = 0x45,
  NO_CREDIT = 0x47,
  NO_REQUEST = 0x49,
  LOST = 0x4b,
  ARB_MISC = 0x4d,
  PACKING_MISS = 0x4e,
  HELD = 0x50,
  HEADERS_1 = 0x51,
  HEADERS_2 = 0x52,
  HEADER_WAITS = 0x53,
  HEADERS_SENT = 0x54,
  DATA_WAITS = 0x55,
  DATA_SLOTTED = 0x56,
  DATA_BUILT = 0x57,
  SLOT2 = 0x58,
  SHARED_MISC = 0x59,
  SHARED = 0x5a,
  OWN_USED = 0x5b,
  OWN_NONE = 0x5d,
  CREDIT_MISC = 0x5f,
  CREDIT_OCCUPANCY = 0x60,
  WB_PENDING = 0x7d,
  WB_COMPARE = 0x7e
};
/* Codes of the link's events (Table 2-215). */
enum {
  FLOW_CREDITS = 0x18,
  BYPASS_BLOCKED = 0x14,
  QUEUE_BLOCKED = 0x15,
  QUEUE_INSERTS = 0x30,
  QUEUE_OCCUPANCY = 0x32,
  OWN_CONSUMED = 0x39,
  ASK_SLOT2 = 0x46
};

#endif
