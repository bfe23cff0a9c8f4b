/* SPDX-License-Identifier: MIT */
/*
 * A program whose instructions, loads and stores are known by construction; no library, no stack but its own.
 * Counted by hand, in the order of execution:
 *
 *                                   instructions   loads              stores
 *   start, two moves                2
 *   1000 times the loop             4 each         1 x 8 bytes        1 x 8 bytes (another place), 1 load+store
 *   vectors                         4              1 x 16, 1 x 16     1 x 16
 *   across a line                   2              1 x 8
 *   rep movsb, 10 bytes             3 + 11         10 x 1             10 x 1
 *   call, ret                       2              1 x 8 (ret)        1 x 8 (call)
 *   past the caches                 2                                 1 x 8, 1 x 16
 *   exit                            3
 */
        .globl _start
        .text
        .p2align 6
_start:
        lea     data(%rip), %rbx
        mov     $1000, %ecx
1:      mov     (%rbx), %rax            /* load */
        mov     %rax, 64(%rbx)          /* store */
        addq    $1, 128(%rbx)           /* load and store of one address */
        loop    1b
        movaps  192(%rbx), %xmm0        /* 16-byte load */
        movups  208(%rbx), %xmm1        /* 16-byte load */
        paddq   %xmm0, %xmm1
        movaps  %xmm1, 224(%rbx)        /* 16-byte store */
        lea     252(%rbx), %rdx
        mov     (%rdx), %rax            /* 8 bytes across two lines */
        lea     320(%rbx), %rsi
        lea     384(%rbx), %rdi
        mov     $10, %ecx
        rep movsb
        lea     stack_end(%rip), %rsp
        call    2f
        movnti  %rax, 448(%rbx)
        movntdq %xmm0, 464(%rbx)
        mov     $60, %eax
        xor     %edi, %edi
        syscall
2:      ret
        .bss
        .p2align 6
data:   .skip 512
        .skip 512
stack_end:
        .skip 64
