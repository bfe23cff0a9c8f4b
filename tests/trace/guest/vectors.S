/* SPDX-License-Identifier: MIT */
/*
 * Accesses of 16 and 32 bytes, others that look like halves of these, and some ordinary ones; test_vectors.c has the
 * records of each. The first access is to the start of the data.
 */
        .globl _start
        .text
_start:
        lea     data(%rip), %rbx
        mov     (%rbx), %rax
        /* whole vectors: within a line, across lines and pages, loads and stores, non-temporal */
        movaps  64(%rbx), %xmm0
        movups  131(%rbx), %xmm1
        movups  188(%rbx), %xmm1
        movups  4088(%rbx), %xmm1
        movups  4090(%rbx), %xmm1
        movaps  %xmm0, 256(%rbx)
        movups  %xmm0, 315(%rbx)
        movntdq %xmm0, 272(%rbx)
        paddq   288(%rbx), %xmm1
        vmovdqu 320(%rbx), %ymm2
        vmovdqu 4079(%rbx), %ymm2
        vmovups %ymm2, 353(%rbx)
        vaddpd  384(%rbx), %ymm2, %ymm3
        vbroadcastf128 416(%rbx), %ymm4
        vextractf128 $1, %ymm4, 432(%rbx)
        /* adjacent addresses, accessed by separate instructions */
        movaps  448(%rbx), %xmm0
        movaps  464(%rbx), %xmm1
        movq    480(%rbx), %xmm0
        movhps  488(%rbx), %xmm0
        mov     496(%rbx), %rax
        mov     504(%rbx), %rcx
        /* one instruction several times */
        lea     512(%rbx), %rsi
        mov     $4, %ecx
1:      movups  (%rsi), %xmm0
        add     $16, %rsi
        dec     %ecx
        jnz     1b
        mov     $2, %ecx
1:      movq    (%rsi), %xmm0
        add     $8, %rsi
        dec     %ecx
        jnz     1b
        mov     $2, %ecx
        rep lodsq
        /* instructions with one access and with two */
        mov     %rsp, %r15
        lea     640(%rbx), %rsp
        incq    608(%rbx)
        push    %rax
        pushq   616(%rbx)
        pop     %rcx
        call    1f
1:      pop     %rcx
        setz    648(%rbx)
        cmovz   656(%rbx), %rcx
        xchg    %rax, 664(%rbx)
        movss   672(%rbx), %xmm0
        mov     %r15, %rsp
        /* from 1024 on: several accesses of one instruction that are not halves of a vector */
        fxsave  1024(%rbx)
        vpcmpeqd %ymm5, %ymm5, %ymm5
        vmaskmovpd 1536(%rbx), %ymm5, %ymm6
        vpmaskmovq %xmm6, %xmm5, 1600(%rbx)
        vmovdqu offsets(%rip), %ymm7
        vgatherqpd %ymm5, (%rbx,%ymm7), %ymm6
        cmpxchg16b 1728(%rbx)
        /* more words than the ring has, so that they wrap at every position */
        mov     $100000, %ecx
1:      movaps  64(%rbx), %xmm0
        vmovdqu 320(%rbx), %ymm2
        dec     %ecx
        jnz     1b
        /* the second half cannot be accessed */
        lea     8192(%rbx), %rdi
        mov     $4096, %esi
        xor     %edx, %edx
        mov     $10, %eax               /* mprotect() */
        syscall
        mov     $11, %edi
        lea     action(%rip), %rsi
        mov     $8, %r10d
        mov     $13, %eax               /* rt_sigaction() */
        syscall
        movups  8184(%rbx), %xmm0
        ud2
handler:
        mov     8(%rbx), %rax
        mov     $60, %eax
        xor     %edi, %edi
        syscall
        .section .rodata
        .p2align 6
offsets:
        .quad   1664, 1672, 1680, 1688
action: .quad   handler, 0x44000000, handler, 0 /* SA_RESTORER, which is not used; SA_NODEFER */
        .bss
        .p2align 12
data:   .skip   3 * 4096
