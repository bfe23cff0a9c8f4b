/* SPDX-License-Identifier: MIT */
/* More code than an L1I holds, executed sequentially and by calls to scattered addresses, with data of its own. */
        .globl _start
        .text
        .p2align 6
_start: lea     stack_end(%rip), %rsp
        lea     data(%rip), %rbx
        xor     %eax, %eax
        mov     $20, %r12d
        jmp     straight
        .p2align 6
straight:
        .rept   1500                    /* 96,000 bytes, a line each iteration */
        .p2align 6
        xor     (%rbx,%rax), %rdx       /* used: cachegrind does not count loads whose value is unused */
        add     $4168, %rax
        and     $0x1fffff, %rax
        .endr
        mov     $3000, %r13d
        mov     $12345, %r14d
        jmp     calls
        .p2align 6
calls:  imul    $1103515245, %r14d, %r14d
        add     $12345, %r14d
        mov     %r14d, %ecx
        shr     $16, %ecx
        and     $1023, %ecx
        shl     $6, %rcx
        lea     functions(%rip), %rdx
        add     %rcx, %rdx
        call    *%rdx
        dec     %r13d
        jnz     calls
        dec     %r12d
        jnz     straight
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .p2align 6
functions:
        .rept   1024
        .p2align 6
        addq    $1, (%rbx,%rcx,8)
        ret
        .endr
        .bss
        .p2align 6
data:   .skip   0x300000
        .skip   4096
stack_end:
        .skip   64
