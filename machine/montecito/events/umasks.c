/* SPDX-License-Identifier: MIT */
/* The unit masks by name, typed from Tables 4-43 to 4-131. Each entry is the set of values that the name covers. */
#include "machine/montecito/events/umask_tables.h"

/* Tables 4-43, 4-80, 4-81, 4-82 */
const struct montecito_umask umasks_int_fp[] = {{"INT", 0x2222}, {"FP", 0x4444}, {"ALL", 0x8888}, {0}};

/* Table 4-44 */
const struct montecito_umask umasks_back_end[] = {{"ALL", 0x1111}, {"FE", 0x2222}, {"L1D_FPU_RSE", 0x4444}, {0}};

/* Table 4-45 */
const struct montecito_umask umasks_be_branch[] = {
    {"ANY", 0x1111}, {"STG", 0x2222}, {"ROT", 0x4444}, {"PFS", 0x8888}, {0}};

/* Table 4-46 */
const struct montecito_umask umasks_exe[] = {{"ALL", 0x0001},
                                             {"GRALL", 0x0002},
                                             {"FRALL", 0x0004},
                                             {"PR", 0x0008},
                                             {"ARCR", 0x0010},
                                             {"GRGR", 0x0020},
                                             {"CANCEL", 0x0040},
                                             {"BANK_SWITCH", 0x0080},
                                             {"ARCR_PR_CANCEL_BANK", 0x0100},
                                             {0}};

/* Table 4-47 */
const struct montecito_umask umasks_flush[] = {{"ALL", 0x1111}, {"BRU", 0x2222}, {"XPN", 0x4444}, {0}};

/* Table 4-48 */
const struct montecito_umask umasks_l1d_fpu[] = {{"ALL", 0x0001},
                                                 {"FPU", 0x0002},
                                                 {"L1D", 0x0004},
                                                 {"L1D_FULLSTBUF", 0x0008},
                                                 {"L1D_PIPE_RECIRC", 0x0010},
                                                 {"L1D_HPW", 0x0020},
                                                 {"L1D_FILLCONF", 0x0080},
                                                 {"L1D_AR_CR", 0x0100},
                                                 {"L1D_L2BPRESS", 0x0200},
                                                 {"L1D_TLB", 0x0400},
                                                 {"L1D_LDCONF", 0x0800},
                                                 {"L1D_LDCHK", 0x1000},
                                                 {"L1D_NAT", 0x2000},
                                                 {"L1D_STBUFRECIR", 0x4000},
                                                 {"L1D_NATCONF", 0x8000},
                                                 {0}};

/* Tables 4-49, 4-75, 4-79 */
const struct montecito_umask umasks_lost[] = {{"ALL", 0x0001},
                                              {"FEFLUSH", 0x0002},
                                              {"UNREACHED", 0x0010},
                                              {"IBFULL", 0x0020},
                                              {"IMISS", 0x0040},
                                              {"TLBMISS", 0x0080},
                                              {"FILL_RECIRC", 0x0100},
                                              {"BI", 0x0200},
                                              {"BRQ", 0x0400},
                                              {"PLP", 0x0800},
                                              {"BR_ILOCK", 0x1000},
                                              {"BUBBLE", 0x2000},
                                              {0}};

/* Table 4-50 */
const struct montecito_umask umasks_rse_bubble[] = {{"ALL", 0x0101},
                                                    {"BANK_SWITCH", 0x0202},
                                                    {"AR_DEP", 0x0404},
                                                    {"OVERFLOW", 0x0808},
                                                    {"UNDERFLOW", 0x1010},
                                                    {"LOADRS", 0x2020},
                                                    {0}};

/* Table 4-51 */
const struct montecito_umask umasks_mispred[] = {{"ALL.ALL_PRED", 0x0001},
                                                 {"ALL.CORRECT_PRED", 0x0002},
                                                 {"ALL.WRONG_PATH", 0x0004},
                                                 {"ALL.WRONG_TARGET", 0x0008},
                                                 {"IPREL.ALL_PRED", 0x0010},
                                                 {"IPREL.CORRECT_PRED", 0x0020},
                                                 {"IPREL.WRONG_PATH", 0x0040},
                                                 {"IPREL.WRONG_TARGET", 0x0080},
                                                 {"RETURN.ALL_PRED", 0x0100},
                                                 {"RETURN.CORRECT_PRED", 0x0200},
                                                 {"RETURN.WRONG_PATH", 0x0400},
                                                 {"RETURN.WRONG_TARGET", 0x0800},
                                                 {"NRETIND.ALL_PRED", 0x1000},
                                                 {"NRETIND.CORRECT_PRED", 0x2000},
                                                 {"NRETIND.WRONG_PATH", 0x4000},
                                                 {"NRETIND.WRONG_TARGET", 0x8000},
                                                 {0}};

/* Table 4-52 */
const struct montecito_umask umasks_mispred2[] = {{"ALL.ALL_UNKNOWN_PRED", 0x0001},
                                                  {"ALL.UNKNOWN_PATH_CORRECT_PRED", 0x0002},
                                                  {"ALL.UNKNOWN_PATH_WRONG_PATH", 0x0004},
                                                  {"IPREL.ALL_UNKNOWN_PRED", 0x0010},
                                                  {"IPREL.UNKNOWN_PATH_CORRECT_PRED", 0x0020},
                                                  {"IPREL.UNKNOWN_PATH_WRONG_PATH", 0x0040},
                                                  {"RETURN.ALL_UNKNOWN_PRED", 0x0100},
                                                  {"RETURN.UNKNOWN_PATH_CORRECT_PRED", 0x0200},
                                                  {"RETURN.UNKNOWN_PATH_WRONG_PATH", 0x0400},
                                                  {"NRETIND.ALL_UNKNOWN_PRED", 0x1000},
                                                  {"NRETIND.UNKNOWN_PATH_CORRECT_PRED", 0x2000},
                                                  {"NRETIND.UNKNOWN_PATH_WRONG_PATH", 0x4000},
                                                  {0}};

/* Table 4-53 */
const struct montecito_umask umasks_path[] = {{"ALL.MISPRED_NOTTAKEN", 0x0001},
                                              {"ALL.MISPRED_TAKEN", 0x0002},
                                              {"ALL.OKPRED_NOTTAKEN", 0x0004},
                                              {"ALL.OKPRED_TAKEN", 0x0008},
                                              {"IPREL.MISPRED_NOTTAKEN", 0x0010},
                                              {"IPREL.MISPRED_TAKEN", 0x0020},
                                              {"IPREL.OKPRED_NOTTAKEN", 0x0040},
                                              {"IPREL.OKPRED_TAKEN", 0x0080},
                                              {"RETURN.MISPRED_NOTTAKEN", 0x0100},
                                              {"RETURN.MISPRED_TAKEN", 0x0200},
                                              {"RETURN.OKPRED_NOTTAKEN", 0x0400},
                                              {"RETURN.OKPRED_TAKEN", 0x0800},
                                              {"NRETIND.MISPRED_NOTTAKEN", 0x1000},
                                              {"NRETIND.MISPRED_TAKEN", 0x2000},
                                              {"NRETIND.OKPRED_NOTTAKEN", 0x4000},
                                              {"NRETIND.OKPRED_TAKEN", 0x8000},
                                              {0}};

/* Table 4-54 */
const struct montecito_umask umasks_path2[] = {{"ALL.UNKNOWNPRED_NOTTAKEN", 0x0005},
                                               {"ALL.UNKNOWNPRED_TAKEN", 0x000a},
                                               {"IPREL.UNKNOWNPRED_NOTTAKEN", 0x0050},
                                               {"IPREL.UNKNOWNPRED_TAKEN", 0x00a0},
                                               {"RETURN.UNKNOWNPRED_NOTTAKEN", 0x0500},
                                               {"RETURN.UNKNOWNPRED_TAKEN", 0x0a00},
                                               {"NRETIND.UNKNOWNPRED_NOTTAKEN", 0x5000},
                                               {"NRETIND.UNKNOWNPRED_TAKEN", 0xa000},
                                               {0}};

/* Tables 4-55 to 4-59, 4-62 to 4-68 */
const struct montecito_umask umasks_agent[] = {
    {"EITHER", 0x1111}, {"IO", 0x2222}, {"SELF", 0x4444}, {"ANY", 0x8888}, {0}};

/* Table 4-60 */
const struct montecito_umask umasks_memory[] = {{"EQ_128BYTE.EITHER", 0x0010},
                                                {"EQ_128BYTE.IO", 0x0020},
                                                {"EQ_128BYTE.SELF", 0x0040},
                                                {"EQ_128BYTE.ANY", 0x0080},
                                                {"LT_128BYTE.EITHER", 0x0100},
                                                {"LT_128BYTE.IO", 0x0200},
                                                {"LT_128BYTE.SELF", 0x0400},
                                                {"LT_128BYTE.ANY", 0x0800},
                                                {"ALL.EITHER", 0x1000},
                                                {"ALL.IO", 0x2000},
                                                {"ALL.SELF", 0x4000},
                                                {"ALL.ANY", 0x8000},
                                                {0}};

/* Table 4-61 */
const struct montecito_umask umasks_mem_read[] = {{"BIL.EITHER", 0x0001},
                                                  {"BIL.IO", 0x0002},
                                                  {"BIL.SELF", 0x0004},
                                                  {"BIL.ANY", 0x0008},
                                                  {"BRL.EITHER", 0x0010},
                                                  {"BRL.IO", 0x0020},
                                                  {"BRL.SELF", 0x0040},
                                                  {"BRL.ANY", 0x0080},
                                                  {"BRIL.EITHER", 0x0100},
                                                  {"BRIL.IO", 0x0200},
                                                  {"BRIL.SELF", 0x0400},
                                                  {"BRIL.ANY", 0x0800},
                                                  {"ALL.EITHER", 0x1000},
                                                  {"ALL.IO", 0x2000},
                                                  {"ALL.SELF", 0x4000},
                                                  {"ALL.ANY", 0x8000},
                                                  {0}};

/* Table 4-69 */
const struct montecito_umask umasks_snoop_stall[] = {{"EITHER", 0x1111}, {"SELF", 0x4444}, {"ANY", 0x8888}, {0}};

/* Table 4-70 */
const struct montecito_umask umasks_wr_wb[] = {
    {"EQ_128BYTE.EITHER", 0x0010}, {"EQ_128BYTE.IO", 0x0020},   {"EQ_128BYTE.SELF", 0x0040},
    {"EQ_128BYTE.ANY", 0x0080},    {"CCASTOUT.EITHER", 0x0100}, {"CCASTOUT.SELF", 0x0400},
    {"CCASTOUT.ANY", 0x0800},      {"ALL.EITHER", 0x1000},      {"ALL.IO", 0x2000},
    {"ALL.SELF", 0x4000},          {"ALL.ANY", 0x8000},         {0}};

/* Table 4-71 */
const struct montecito_umask umasks_cpl[] = {{"LVL0", 0x0002}, {"LVL1", 0x0004}, {"LVL2", 0x0010},
                                             {"LVL3", 0x0100}, {"ALL", 0x8000},  {0}};

/* Table 4-72 */
const struct montecito_umask umasks_cycles[] = {{"ALL", 0x5555}, {"QUAL", 0xaaaa}, {0}};

/* Table 4-73 */
const struct montecito_umask umasks_encbr[] = {{"ALL.ALL_PRED", 0x0001},
                                               {"ALL.CORRECT_PRED", 0x0002},
                                               {"ALL.WRONG_PATH", 0x0004},
                                               {"ALL.WRONG_TARGET", 0x0008},
                                               {"OVERSUB.ALL_PRED", 0x0100},
                                               {"OVERSUB.CORRECT_PRED", 0x0200},
                                               {"OVERSUB.WRONG_PATH", 0x0400},
                                               {"OVERSUB.WRONG_TARGET", 0x0800},
                                               {"ALL2.ALL_PRED", 0x1000},
                                               {"ALL2.CORRECT_PRED", 0x2000},
                                               {"ALL2.WRONG_PATH", 0x4000},
                                               {"ALL2.WRONG_TARGET", 0x8000},
                                               {0}};

/* Table 4-74 */
const struct montecito_umask umasks_fe_bubble[] = {{"ALL", 0x0001},
                                                   {"FEFLUSH", 0x0002},
                                                   {"GROUP1", 0x0008},
                                                   {"GROUP2", 0x0010},
                                                   {"IBFULL", 0x0020},
                                                   {"IMISS", 0x0040},
                                                   {"TLBMISS", 0x0080},
                                                   {"FILL_RECIRC", 0x0100},
                                                   {"BRANCH", 0x0200},
                                                   {"GROUP3", 0x0400},
                                                   {"ALLBUT_FEFLUSH_BUBBLE", 0x0800},
                                                   {"ALLBUT_IBFULL", 0x1000},
                                                   {"BUBBLE", 0x2000},
                                                   {0}};

/* Table 4-76 */
const struct montecito_umask umasks_ftz[] = {{"FTZ_Real", 0x5555}, {"FTZ_Poss", 0xaaaa}, {0}};

/* Table 4-77 */
const struct montecito_umask umasks_this[] = {{"THIS", 0x1111}, {0}};

/* Table 4-78 */
const struct montecito_umask umasks_tagged[] = {{"IBRP0_PMC32_33", 0x1111},
                                                {"IBRP1_PMC34_35", 0x2222},
                                                {"IBRP2_PMC32_33", 0x4444},
                                                {"IBRP3_PMC34_35", 0x8888},
                                                {0}};

/* Table 4-83 */
const struct montecito_umask umasks_itlb[] = {{"L1ITLB", 0x2222}, {"L2ITLB", 0x4444}, {"ALL", 0x8888}, {0}};

/* Table 4-84 */
const struct montecito_umask umasks_read_miss[] = {{"ALL", 0x5555}, {"RSE_FILL", 0xaaaa}, {0}};

/* Table 4-85 */
const struct montecito_umask umasks_pf_stall[] = {{"FLOW", 0x4444}, {"ALL", 0x8888}, {0}};

/* Tables 4-86, 4-98 */
const struct montecito_umask umasks_any0[] = {{"ANY", 0x00ff}, {0}};

/* Table 4-87 */
const struct montecito_umask umasks_bypass[] = {{"L2_DATA1", 0x1111}, {"L2_DATA2", 0x2222}, {"L3_DATA1", 0x4444}, {0}};

/* Tables 4-88, 4-93, 4-96, 4-99 */
const struct montecito_umask umasks_this0[] = {{"THIS", 0x0001}, {0}};

/* Table 4-89 */
const struct montecito_umask umasks_fill[] = {{"M", 0x0101}, {"E", 0x0202}, {"S", 0x0404},
                                              {"I", 0x0808}, {"P", 0xf0f0}, {0}};

/* Table 4-90 */
const struct montecito_umask umasks_recirc[] = {
    {"RECIRC", 0x0005},          {"LIMBO", 0x000a},         {"TAG_NOTOK", 0x0010},
    {"TRAN_PREF", 0x0020},       {"SNP_OR_L3", 0x0040},     {"TAG_OK", 0x0080},
    {"FILL_HIT", 0x0100},        {"FRC_RECIRC", 0x0200},    {"SAME_INDEX", 0x0400},
    {"OZQ_MISS", 0x0800},        {"L1W", 0x1000},           {"SECONDARY_READ", 0x2000},
    {"SECONDARY_WRITE", 0x4000}, {"SECONDARY_ALL", 0x8000}, {0}};

/* Table 4-91 */
const struct montecito_umask umasks_l3_cancel[] = {{"INV_L3_BYP", 0x0101},
                                                   {"SPEC_L3_BYP", 0x0202},
                                                   {"ANY", 0x0404},
                                                   {"ER_REJECT", 0x0808},
                                                   {"P2_COV_SNP_TEM", 0x1010},
                                                   {"P2_COV_SNP_VIC", 0x2020},
                                                   {"P2_COV_SNP_FILL_NOSNP", 0x4040},
                                                   {"TAIL_TRANS_DIS", 0x8080},
                                                   {0}};

/* Table 4-92 */
const struct montecito_umask umasks_ops[] = {{"INT_LOAD", 0x0101},
                                             {"FP_LOAD", 0x0202},
                                             {"RMW", 0x0404},
                                             {"STORE", 0x0808},
                                             {"LFETCH", 0x5050},
                                             {"OTHER", 0xa0a0},
                                             {0}};

/* Table 4-94 */
const struct montecito_umask umasks_cancels0[] = {{"RECIRC", 0x0001},
                                                  {"CANC_L2M_TO_L2C_ST", 0x0002},
                                                  {"L2A_ST_MAT", 0x0004},
                                                  {"L2M_ST_MAT", 0x0008},
                                                  {"L2D_ST_MAT", 0x0010},
                                                  {"L2C_ST_MAT", 0x0020},
                                                  {"ACQ", 0x0040},
                                                  {"REL", 0x0080},
                                                  {"BANK_CONF", 0x0100},
                                                  {"SEMA", 0x0200},
                                                  {"OVER_SUB", 0x0400},
                                                  {"OZQ_PREEMPT", 0x0800},
                                                  {"WB_CONF", 0x1000},
                                                  {"MISC_ORDER", 0x2000},
                                                  {"FILL_ST_CONF", 0x4000},
                                                  {"OZDATA_CONF", 0x8000},
                                                  {0}};

/* Table 4-95 */
const struct montecito_umask umasks_cancels1[] = {
    {"ANY", 0x1111}, {"LATE_SPEC_BYP", 0x2222}, {"SIBLING_ACQ_REL", 0x4444}, {"LATE_BYP_EFFRELEASE", 0x8888}, {0}};

/* Tables 4-97, 4-108 */
const struct montecito_umask umasks_rw[] = {{"READS", 0x2222}, {"WRITES", 0x4444}, {"ALL", 0x8888}, {0}};

/* Table 4-108 */
const struct montecito_umask umasks_ls[] = {{"LOAD", 0x2222}, {"STORE", 0x4444}, {"ALL", 0x8888}, {0}};

/* Tables 4-100 to 4-104 */
const struct montecito_umask umasks_l2i[] = {{"HIT.NONE", 0x0010},
                                             {"HIT.DMND", 0x0020},
                                             {"HIT.PFTCH", 0x0040},
                                             {"HIT.ALL", 0x0080},
                                             {"MISS.NONE", 0x0100},
                                             {"MISS.DMND", 0x0200},
                                             {"MISS.PFTCH", 0x0400},
                                             {"MISS.ALL", 0x0800},
                                             {"ALL.NONE", 0x1000},
                                             {"ALL.DMND", 0x2000},
                                             {"ALL.PFTCH", 0x4000},
                                             {"ALL.ALL", 0x8000},
                                             {0}};

/* Table 4-105 */
const struct montecito_umask umasks_l3_reads[] = {{"DINST_FETCH.HIT", 0x0002},
                                                  {"DINST_FETCH.MISS", 0x0004},
                                                  {"DINST_FETCH.ALL", 0x0008},
                                                  {"INST_FETCH.HIT", 0x0020},
                                                  {"INST_FETCH.MISS", 0x0040},
                                                  {"INST_FETCH.ALL", 0x0080},
                                                  {"DATA_READ.HIT", 0x0200},
                                                  {"DATA_READ.MISS", 0x0400},
                                                  {"DATA_READ.ALL", 0x0800},
                                                  {"ALL.HIT", 0x2000},
                                                  {"ALL.MISS", 0x4000},
                                                  {"ALL.ALL", 0x8000},
                                                  {0}};

/* Table 4-106 */
const struct montecito_umask umasks_l3_writes[] = {{"DATA_WRITE.HIT", 0x0020}, {"DATA_WRITE.MISS", 0x0040},
                                                   {"DATA_WRITE.ALL", 0x0080}, {"L2_WB.HIT", 0x0200},
                                                   {"L2_WB.MISS", 0x0400},     {"L2_WB.ALL", 0x0800},
                                                   {"ALL.HIT", 0x2000},        {"ALL.MISS", 0x4000},
                                                   {"ALL.ALL", 0x8000},        {0}};

/* Table 4-107 */
const struct montecito_umask umasks_current[] = {{"IO", 0x2222}, {"ANY", 0x8888}, {0}};

/* Tables 4-109 to 4-124 */
const struct montecito_umask umasks_si[] = {{"EITHER", 0x5555}, {"SELF", 0xaaaa}, {0}};

/* Table 4-116 */
const struct montecito_umask umasks_scb[] = {{"MISS.EITHER", 0x0005}, {"MISS.SELF", 0x000a},   {"HIT.EITHER", 0x0050},
                                             {"HIT.SELF", 0x00a0},    {"HITM.EITHER", 0x0500}, {"HITM.SELF", 0x0a00},
                                             {"ALL.EITHER", 0x5000},  {"ALL.SELF", 0xa000},    {0}};

/* Table 4-119 */
const struct montecito_umask umasks_signoff[] = {
    {"MISS", 0x000f}, {"HIT", 0x00f0}, {"HITM", 0x0f00}, {"ALL", 0xf000}, {0}};

/* Table 4-121 */
const struct montecito_umask umasks_ecc[] = {{"SGL.EITHER", 0x0005},
                                             {"SGL.SELF", 0x000a},
                                             {"DBL.EITHER", 0x0050},
                                             {"DBL.SELF", 0x00a0},
                                             {"ALL.EITHER", 0x5500},
                                             {"ALL.SELF", 0xaa00},
                                             {0}};

/* Table 4-122 */
const struct montecito_umask umasks_writeq[] = {{"ALL.EITHER", 0x0001},
                                                {"ALL.SELF", 0x0002},
                                                {"IWB.EITHER", 0x0004},
                                                {"IWB.SELF", 0x0008},
                                                {"EWB.EITHER", 0x0010},
                                                {"EWB.SELF", 0x0020},
                                                {"WC1_8A.EITHER", 0x0040},
                                                {"WC1_8A.SELF", 0x0080},
                                                {"WC16.EITHER", 0x0100},
                                                {"WC16.SELF", 0x0200},
                                                {"WC32.EITHER", 0x0400},
                                                {"WC32.SELF", 0x0800},
                                                {"NEWB.EITHER", 0x1000},
                                                {"NEWB.SELF", 0x2000},
                                                {"WC1_8B.EITHER", 0x4000},
                                                {"WC1_8B.SELF", 0x8000},
                                                {0}};

/* Table 4-125 */
const struct montecito_umask umasks_natted[] = {{"ALL", 0x0001},
                                                {"VHPT_MISS", 0x0002},
                                                {"DEF_TLB_MISS", 0x0004},
                                                {"DEF_TLB_FAULT", 0x0008},
                                                {"NAT_CNSM", 0x0010},
                                                {"DEF_PSR_ED", 0x0020},
                                                {0}};

/* Table 4-126 */
const struct montecito_umask umasks_syll[] = {{"EXPL", 0xaaaa}, {"IMPL", 0xcccc}, {"FE", 0xf0f0},
                                              {"MLX", 0xff00},  {"ALL", 0x8000},  {0}};

/* Table 4-127 */
const struct montecito_umask umasks_over[] = {{"EXPL", 0x2222}, {"IMPL", 0x4444}, {"ALL", 0x8888}, {0}};

/* Table 4-128 */
const struct montecito_umask umasks_ts_cycle[] = {{"CRAB", 0x0202},
                                                  {"L2D", 0x0404},
                                                  {"ANYSTALL", 0x0808},
                                                  {"PCR", 0x1010},
                                                  {"ALL_GATED", 0x4040},
                                                  {"TOTAL", 0x8080},
                                                  {0}};

/* Table 4-129 */
const struct montecito_umask umasks_ts_events[] = {
    {"MISSED", 0x0101}, {"L3MISS", 0x0202}, {"TIMER", 0x0404}, {"HINT", 0x0808},
    {"LP", 0x1010},     {"DBG", 0x2020},    {"ALL", 0x8080},   {0}};

/* Table 4-130 */
const struct montecito_umask umasks_ts_gated[] = {
    {"LP", 0x0202}, {"PIPE", 0x1010}, {"FWDPRO", 0x2020}, {"ALL", 0x8080}, {0}};

/* Table 4-131 */
const struct montecito_umask umasks_ts_stall[] = {{"GTE_4", 0x0001},    {"GTE_8", 0x0002},    {"GTE_16", 0x0004},
                                                  {"GTE_32", 0x0008},   {"GTE_64", 0x0010},   {"GTE_128", 0x0020},
                                                  {"GTE_256", 0x0040},  {"GTE_512", 0x0080},  {"GTE_1024", 0x0100},
                                                  {"GTE_2048", 0x0200}, {"GTE_4096", 0x0400}, {0}};
