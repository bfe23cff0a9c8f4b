/* SPDX-License-Identifier: MIT */
/* Reasons why rows of mesh stops are always 0, by the unit of the stop; included by drives.c. Codes and bits are those
 * of Tables 2-1 to 2-71. */
#ifndef MACHINE_EMR_MESH_REASONS_H
#define MACHINE_EMR_MESH_REASONS_H

#define NO_SNOOPS "0: core snoops (IV) pass and reach only cores; line `inject`"
#define NO_REQUESTS "0: M2M sends requests only for two-level or mirrored memory; line `inject`"
#define AWAITED "0: a requester reserves room for its data, so no credit is needed; line `inject`"
#define ALONG_ROW "0: messages to M2M arrive along its row; line `inject`"
#define NO_ACKS "0: M2M receives no acknowledgements; line `inject`"
#define ABOVE "0: links are above all rows, so no message goes down to or past them; line `inject`"
#define BELOW "0: I/O stacks are below all rows, so no message goes up to or past them; line `inject`"
#define NO_THROTTLE "0: the mesh does not throttle prefetchers; line `inject`"
#define ONE_AGENT "0: acknowledgements on a row's ring go to agent 0; line `inject`"
#define NO_IFV "0: the guide does not explain this message, and the machine has none; line `inject`"
#define CREDIT_FIRST "0: a message that turns into a row towards a link has its credit; line `inject`"
#define SHORT_WAIT "0: too few of these messages turn here to fill their ring; line `inject`"

/* Bits in the vertical egress, in the horizontal one, and in the ingress of transgresses. */
#define VERTICAL_BITS(unit, bits, why)                                                                                 \
  CHOOSES(unit, 0x90, bits, why), CHOOSES(unit, 0x92, bits, why), CHOOSES(unit, 0x94, bits, why),                      \
      CHOOSES(unit, 0x96, bits, why), CHOOSES(unit, 0x98, bits, why), CHOOSES(unit, 0x9a, bits, why),                  \
      CHOOSES(unit, 0x9c, bits, why), CHOOSES(unit, 0x9d, bits, why)
#define HORIZONTAL_BITS(unit, bits, why)                                                                               \
  CHOOSES(unit, 0xa0, bits, why), CHOOSES(unit, 0xa1, bits, why), CHOOSES(unit, 0xa2, bits, why),                      \
      CHOOSES(unit, 0xa3, bits, why), CHOOSES(unit, 0xa4, bits, why), CHOOSES(unit, 0xa5, bits, why),                  \
      CHOOSES(unit, 0xa6, bits, why), CHOOSES(unit, 0xa7, bits, why)
#define TURN_BITS(unit, bits, why)                                                                                     \
  CHOOSES(unit, 0xe0, bits, why), CHOOSES(unit, 0xe1, bits, why), CHOOSES(unit, 0xe2, bits, why),                      \
      CHOOSES(unit, 0xe3, bits, why), CHOOSES(unit, 0xe5, bits, why)
/* For all three units: the snoop ring, and features that the mesh lacks. */
#define NEVER_SNOOPS(unit)                                                                                             \
  VERTICAL_BITS(unit, 0x08, NO_SNOOPS), HORIZONTAL_BITS(unit, 0x08, NO_SNOOPS), TURN_BITS(unit, 0x08, NO_SNOOPS),      \
      CHOOSES(unit, 0xaa, 0x08, NO_SNOOPS), CHOOSES(unit, 0xab, 0x08, NO_SNOOPS),                                      \
      CHOOSES(unit, 0xac, 0x08, NO_SNOOPS), CHOOSES(unit, 0xad, 0x08, NO_SNOOPS),                                      \
      CONSTANT(unit, 0xb3, 0xb3, NO_SNOOPS), CONSTANT(unit, 0xb9, 0xba, NO_SNOOPS),                                    \
      CHOOSES(unit, 0xaf, 0xcc, NO_THROTTLE), CHOOSES(unit, 0xad, 0x20, ONE_AGENT), CHOOSES(unit, 0xe3, 0x80, NO_IFV)
/* A direction of the vertical rings. */
#define ONE_WAY(unit, bits, why)                                                                                       \
  CHOOSES(unit, 0xb0, bits, why), CHOOSES(unit, 0xb1, bits, why), CHOOSES(unit, 0xb2, bits, why),                      \
      CHOOSES(unit, 0xb4, bits, why), CHOOSES(unit, 0xb5, bits, why)

#define M2M_MESH_REASONS                                                                                               \
  NEVER_SNOOPS("m2m"), CONSTANT("m2m", 0x80, 0x87, NO_REQUESTS), CONSTANT("m2m", 0xd0, 0xd3, NO_REQUESTS),             \
      CONSTANT("m2m", 0x06, 0x09, NO_REQUESTS), VERTICAL_BITS("m2m", 0x11, NO_REQUESTS),                               \
      CHOOSES("m2m", 0x9f, 0x03, NO_REQUESTS), CHOOSES("m2m", 0x9f, 0x40, NO_SNOOPS),                                  \
      CHOOSES("m2m", 0x9f, 0x08, AWAITED), HORIZONTAL_BITS("m2m", 0x11, NO_REQUESTS),                                  \
      TURN_BITS("m2m", 0x11, NO_REQUESTS), HORIZONTAL_BITS("m2m", 0x40, AWAITED), TURN_BITS("m2m", 0x40, AWAITED),     \
      CHOOSES("m2m", 0xe0, 0x20, AWAITED), CONSTANT("m2m", 0xb0, 0xb0, NO_REQUESTS),                                   \
      CONSTANT("m2m", 0xaa, 0xab, ALONG_ROW), CHOOSES("m2m", 0xac, 0x02, NO_ACKS),                                     \
      CHOOSES("m2m", 0xad, 0x02, NO_ACKS), CONSTANT("m2m", 0xb7, 0xb7, NO_ACKS), CONSTANT("m2m", 0xbb, 0xbb, NO_ACKS), \
      CONSTANT("m2m", 0xae, 0xae, NO_REQUESTS), CHOOSES("m2m", 0xaf, 0x03, NO_REQUESTS),                               \
      CHOOSES("m2m", 0x9b, 0x04, ALONG_ROW)
#define M2PCIE_MESH_REASONS                                                                                            \
  NEVER_SNOOPS("m2pcie"), ONE_WAY("m2pcie", 0x03, BELOW), CHOOSES("m2pcie", 0x9b, 0x07, SHORT_WAIT),                   \
      CHOOSES("m2pcie", 0xaf, 0x02, SHORT_WAIT), CHOOSES("m2pcie", 0xa2, 0x10, SHORT_WAIT),                            \
      CHOOSES("m2pcie", 0xa5, 0x11, SHORT_WAIT), CHOOSES("m2pcie", 0xa6, 0x11, SHORT_WAIT),                            \
      CHOOSES("m2pcie", 0xe3, 0x10, SHORT_WAIT)
#define M3UPI_MESH_REASONS                                                                                             \
  NEVER_SNOOPS("m3upi"), ONE_WAY("m3upi", 0x0c, ABOVE), HORIZONTAL_BITS("m3upi", 0x05, CREDIT_FIRST),                  \
      TURN_BITS("m3upi", 0x05, CREDIT_FIRST), CHOOSES("m3upi", 0xaf, 0x02, SHORT_WAIT),                                \
      CHOOSES("m3upi", 0xa2, 0x02, SHORT_WAIT), CHOOSES("m3upi", 0xa5, 0x02, SHORT_WAIT),                              \
      CHOOSES("m3upi", 0xe3, 0x02, SHORT_WAIT), CHOOSES("m3upi", 0x9b, 0x07, SHORT_WAIT)

#endif
