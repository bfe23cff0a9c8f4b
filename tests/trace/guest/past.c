/* SPDX-License-Identifier: MIT */
/* Stores that bypass the caches: 512 KB by MOVNTI, 512 KB by MOVNTDQ, and one word that leaves its line incomplete. If
 * FLUSH is defined: one instruction of that name, which flushes a line. */
#include "tests/trace/guest/start.h"

#define HALF (512u << 10)
static _Alignas(64) unsigned char room[2 * HALF + 64];

#ifdef FLUSH
void body(void)
{
  __asm__ volatile(FLUSH " %0" : "+m"(room[64]));
}
#else
void body(void)
{
  for (uint32_t i = 0; i < HALF; i += 8)
    __asm__ volatile("movnti %0, %1" : : "r"(UINT64_C(1)), "m"(room[i]) : "memory");
  for (uint32_t i = HALF; i < 2 * HALF; i += 16)
    __asm__ volatile("movntdq %%xmm0, %0" : : "m"(room[i]) : "memory");
  __asm__ volatile("movnti %0, %1\n\tsfence" : : "r"(1), "m"(room[2 * HALF]) : "memory");
}
#endif
