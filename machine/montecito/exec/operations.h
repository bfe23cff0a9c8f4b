/* SPDX-License-Identifier: MIT */
/*
 * The operations of instructions, as the executor distinguishes them. `sub` is a detail of the operation; where it is
 * one of the encoding's own fields, the comment names the field. Names and formats are those of the Itanium
 * architecture manual, volume 3.
 */
#ifndef MACHINE_MONTECITO_EXEC_OPERATIONS_H
#define MACHINE_MONTECITO_EXEC_OPERATIONS_H

enum exec_operation {
  EXEC_ILLEGAL,
  EXEC_NOP,
  EXEC_HINT,
  EXEC_BREAK,
  /* A: sub of compares: enum exec_relation | enum exec_compare << 3 | 64 for 32 bits */
  EXEC_ADD, /* sub: carry */
  EXEC_SUB, /* sub: borrow */
  EXEC_ADDP4,
  EXEC_AND,
  EXEC_ANDCM,
  EXEC_OR,
  EXEC_XOR,
  EXEC_SHLADD,
  EXEC_SHLADDP4,
  EXEC_ADD_IMM,
  EXEC_ADDP4_IMM,
  EXEC_SUB_IMM,
  EXEC_AND_IMM,
  EXEC_ANDCM_IMM,
  EXEC_OR_IMM,
  EXEC_XOR_IMM,
  EXEC_CMP,
  EXEC_CMP_IMM,
  /* parallel: sub: log2 of the element's bytes | form << 4 */
  EXEC_PADD,
  EXEC_PSUB,
  EXEC_PAVG,
  EXEC_PAVGSUB,
  EXEC_PCMP,
  EXEC_PSHLADD,
  EXEC_PSHRADD,
  EXEC_PMPYSHR,
  EXEC_PMPY,
  EXEC_MIX,
  EXEC_PACK,
  EXEC_UNPACK,
  EXEC_PMIN,
  EXEC_PMAX,
  EXEC_PSAD,
  EXEC_MUX1,
  EXEC_MUX2,
  EXEC_SHR, /* sub: log2 of the bytes, | 16: unsigned */
  EXEC_SHR_IMM,
  EXEC_SHL,
  EXEC_SHL_IMM,
  EXEC_POPCNT,
  /* I */
  EXEC_SHRP,
  EXEC_EXTR, /* sub: 1 unsigned */
  EXEC_DEP_Z,
  EXEC_DEP_Z_IMM,
  EXEC_DEP_IMM,
  EXEC_DEP,
  EXEC_TBIT, /* sub as compares; relation EQ: .z, NE: .nz */
  EXEC_TNAT,
  EXEC_TF,
  EXEC_CHK_S,
  EXEC_CHK_SF,
  EXEC_MOV_TO_BR,
  EXEC_MOV_FROM_BR,
  EXEC_MOV_TO_PR,
  EXEC_MOV_TO_PR_ROT,
  EXEC_MOV_FROM_PR,
  EXEC_MOV_FROM_IP,
  EXEC_MOV_TO_AR,
  EXEC_MOV_TO_AR_IMM,
  EXEC_MOV_FROM_AR,
  EXEC_ZXT, /* sub: bytes */
  EXEC_SXT,
  EXEC_CZX, /* sub: 1 or 2 bytes, | 16: from the right */
  /* M: sub of loads and stores: x6 */
  EXEC_LD,
  EXEC_LD_REG,
  EXEC_LD_IMM,
  EXEC_ST,
  EXEC_ST_IMM,
  EXEC_LDF,
  EXEC_LDF_REG,
  EXEC_LDF_IMM,
  EXEC_LDFP,
  EXEC_LDFP_IMM,
  EXEC_STF,
  EXEC_STF_IMM,
  EXEC_LFETCH, /* sub: x6 */
  EXEC_LFETCH_REG,
  EXEC_LFETCH_IMM,
  EXEC_CMPXCHG, /* sub: log2 of the bytes */
  EXEC_XCHG,
  EXEC_FETCHADD,
  EXEC_CMP8XCHG16,
  EXEC_LD16,
  EXEC_ST16,
  EXEC_SETF, /* sub: 0 sig, 1 exp, 2 s, 3 d */
  EXEC_GETF,
  EXEC_CHK_A, /* sub: 1 clear */
  EXEC_CHK_AF,
  EXEC_INVALA,
  EXEC_INVALA_GR,
  EXEC_INVALA_FR,
  EXEC_FWB,
  EXEC_MF,
  EXEC_SRLZ,
  EXEC_SYNC,
  EXEC_FLUSHRS,
  EXEC_LOADRS,
  EXEC_ALLOC,
  EXEC_FC,
  EXEC_PTC_E,
  EXEC_MOV_TO_CR,
  EXEC_MOV_FROM_CR,
  EXEC_MOV_TO_PSR, /* sub: 1 psr.um */
  EXEC_MOV_FROM_PSR,
  EXEC_MOV_TO_INDIRECT, /* sub: x6 & 15 */
  EXEC_MOV_FROM_INDIRECT,
  EXEC_PROBE, /* sub: 1 read, 2 write */
  EXEC_PROBE_IMM,
  EXEC_PROBE_FAULT,
  EXEC_ITC,
  EXEC_ITR,
  EXEC_PTC,
  EXEC_TRANSLATE, /* sub: x6 & 7: thash, ttag, tpa, tak */
  EXEC_SUM,
  EXEC_RUM,
  EXEC_SSM,
  EXEC_RSM,
  /* B: sub of branches: btype */
  EXEC_BR,
  EXEC_BR_INDIRECT,
  EXEC_BR_CALL,
  EXEC_BR_CALL_INDIRECT,
  EXEC_BR_RET,
  EXEC_BRP,
  EXEC_COVER,
  EXEC_CLRRRB, /* sub: 1 predicates only */
  EXEC_RFI,
  EXEC_BSW, /* sub: the bank */
  EXEC_EPC,
  EXEC_VMSW,
  /* F: sub of arithmetic: pc: 0 by the status field, 1 single, 2 double */
  EXEC_FMA,
  EXEC_FMS,
  EXEC_FNMA,
  EXEC_FPMA,
  EXEC_FPMS,
  EXEC_FPNMA,
  EXEC_XMA, /* sub: 0 low, 2 high unsigned, 3 high */
  EXEC_FSELECT,
  EXEC_FCMP, /* sub: relation | 8: unc */
  EXEC_FCLASS,
  EXEC_FRCPA,
  EXEC_FRSQRTA,
  EXEC_FPRCPA,
  EXEC_FPRSQRTA,
  EXEC_FMIN, /* sub of these: x6 & 3: min, max, amin, amax */
  EXEC_FPMIN,
  EXEC_FPCMP,
  EXEC_FMERGE, /* sub: 0 s, 1 ns, 2 se */
  EXEC_FPMERGE,
  EXEC_FMIX, /* sub: x6 & 3: 1 lr, 2 r, 3 l */
  EXEC_FSXT, /* sub: 0 r, 1 l */
  EXEC_FPACK,
  EXEC_FSWAP,    /* sub: 0 plain, 1 nl, 2 nr */
  EXEC_FLOGICAL, /* sub: 0 and, 1 andcm, 2 or, 3 xor */
  EXEC_FCVT_FX,  /* sub: bit 0 unsigned, bit 1 trunc */
  EXEC_FPCVT_FX,
  EXEC_FCVT_XF,
  EXEC_FSETC,
  EXEC_FCLRF,
  EXEC_FCHKF,
  /* X */
  EXEC_MOVL,
  EXEC_OPERATIONS
};

enum exec_relation { REL_EQ, REL_NE, REL_LT, REL_LE, REL_GT, REL_GE, REL_LTU };
enum exec_compare { CMP_NORMAL, CMP_UNC, CMP_AND, CMP_OR, CMP_OR_ANDCM };
enum { COMPARE_32 = 64 };

#endif
