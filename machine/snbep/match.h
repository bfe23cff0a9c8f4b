/* SPDX-License-Identifier: MIT */
/* The functions by which the boxes of the E5-2600 select events: weight, filtered and filter_violation of struct
 * pmon_unit. */
#ifndef MACHINE_SNBEP_MATCH_H
#define MACHINE_SNBEP_MATCH_H

#include <stdint.h>

/* A counter selects a report that has any of its umask bits; an event without umasks accepts every umask; bit 21
 * extends the event code where it exists. */
uint32_t snbep_weight(uint64_t ctl, uint64_t attr);
uint32_t snbep_cbo(const uint64_t *filter, uint64_t ctl, uint64_t attr);
uint32_t snbep_ha(const uint64_t *filter, uint64_t ctl, uint64_t attr);
uint32_t snbep_qpi(const uint64_t *filter, uint64_t ctl, uint64_t attr);
uint32_t snbep_pcu(const uint64_t *filter, uint64_t ctl, uint64_t attr);
/* 2.6.7: the bands that the filter has at a change of the frequency apply until the next one. */
uint64_t snbep_pcu_latch(const uint64_t *filter, uint8_t code);
/* Return the bits of one occurrence that a control register and the filters select: struct pmon_unit.occurrence. */
uint64_t snbep_cbo_occurrence(const uint64_t *filter, uint64_t ctl);
uint64_t snbep_ha_occurrence(const uint64_t *filter, uint64_t ctl);
uint64_t snbep_qpi_occurrence(const uint64_t *filter, uint64_t ctl);
uint64_t snbep_pcu_occurrence(const uint64_t *filter, uint64_t ctl);
uint64_t snbep_cbo_misfiltered(uint64_t value, const char **ret_rule);

#endif
