/* SPDX-License-Identifier: MIT */
#include "machine/common/request.h"

const struct op_kind op_kinds[OP_N] = {
    [OP_DRD] = {.owns = false, .reads = true, .code = false},
    [OP_CRD] = {.owns = false, .reads = true, .code = true},
    [OP_RFO] = {.owns = true, .reads = true, .code = false},
    [OP_DRD_OPT] = {.owns = false, .reads = true, .code = false},
    [OP_DRDPTE] = {.owns = false, .reads = true, .code = false},
    [OP_DRD_OPT_PREF] = {.owns = false, .reads = true, .code = false},
    [OP_CRD_PREF] = {.owns = false, .reads = true, .code = true},
    [OP_DRD_PREF] = {.owns = false, .reads = true, .code = false},
    [OP_RFO_PREF] = {.owns = true, .reads = true, .code = false},
    [OP_LLC_PREF] = {.owns = false, .reads = true, .code = false},
    [OP_LLC_PREF_RFO] = {.owns = false, .reads = true, .code = false},
    [OP_LLC_PREF_CODE] = {.owns = false, .reads = true, .code = true},
    [OP_WCILF] = {.owns = true, .reads = false, .code = false},
    [OP_WCIL] = {.owns = true, .reads = false, .code = false},
    [OP_CLFLUSH] = {.owns = true, .reads = false, .code = false},
    [OP_CLFLUSHOPT] = {.owns = true, .reads = false, .code = false},
    [OP_IA_ITOM] = {.owns = true, .reads = false, .code = false},
    [OP_SPECITOM] = {.owns = true, .reads = false, .code = false},
    [OP_EXP_DRD] = {.owns = false, .reads = true, .code = false},
    [OP_EXP_RFO] = {.owns = true, .reads = true, .code = false},
    [OP_ACC_DRD] = {.owns = false, .reads = true, .code = false},
    [OP_ACC_RFO] = {.owns = true, .reads = true, .code = false},
    [OP_PCIRDCUR] = {.owns = false, .reads = true, .code = false},
    [OP_ITOM] = {.owns = true, .reads = false, .code = false},
    [OP_ITOMCACHENEAR] = {.owns = true, .reads = true, .code = false},
    [OP_IO_RFO] = {.owns = true, .reads = true, .code = false},
    [OP_IO_CLFLUSH] = {.owns = true, .reads = false, .code = false},
    [OP_CXL_RDCUR] = {.owns = false, .reads = true, .code = false},
    [OP_CXL_RFO] = {.owns = true, .reads = true, .code = false},
    [OP_RDDATA] = {.owns = false, .reads = true, .code = false},
    [OP_RDCODE] = {.owns = false, .reads = true, .code = true},
    [OP_RDCUR] = {.owns = false, .reads = true, .code = false},
    [OP_INVOWN] = {.owns = true, .reads = true, .code = false},
    [OP_INVITOE] = {.owns = true, .reads = false, .code = false},
    [OP_INVITOM] = {.owns = true, .reads = false, .code = false},
    [OP_INVXTOI] = {.owns = true, .reads = false, .code = false},
    [OP_SNPCUR] = {.owns = false, .reads = true, .code = false},
    [OP_SNPCODE] = {.owns = false, .reads = true, .code = true},
    [OP_SNPDATA] = {.owns = false, .reads = true, .code = false},
    [OP_SNPINV] = {.owns = true, .reads = true, .code = false},
    [OP_SNPINVITOE] = {.owns = true, .reads = false, .code = false},
};

void request_place(const struct traffic *t, struct request *r)
{
  r->cha = address_page_cha(&t->map, r->page, r->line);
  r->home = t->map.identity ? r->page->node : (unsigned)(r->line >> (FRAME_BITS + PAGE_LINES_SHIFT)) & 1;
}
