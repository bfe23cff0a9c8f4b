/* SPDX-License-Identifier: MIT */
/*
 * A guest without an operating system: chases a list of 16,384 lines for 20,000 steps times the last digit of its
 * command line, in 64-bit mode with identity-mapped pages of 2 MB. Ends QEMU by its device isa-debug-exit.
 */
        .set LIST, 0x1000000
        .set LINES, 16384
        .set TABLES, 0x200000

        .section .text.start, "ax"
        .globl _start
        .code32
_start: jmp begin
        .balign 4
header: .long 0x1badb002, 1 << 16, -(0x1badb002 + (1 << 16)) /* multiboot, with addresses */
        .long header, _start, 0, 0, begin

begin:  movl $stack, %esp
        movl 16(%ebx), %esi /* its command line */
last:   movzbl (%esi), %eax
        incl %esi
        testl %eax, %eax
        cmovnzl %eax, %ebp
        jnz last
        movl $TABLES, %edi /* one table of each level, zeroed */
        movl $3072, %ecx
        xorl %eax, %eax
        rep stosl
        movl $TABLES + 0x1003, TABLES
        movl $TABLES + 0x2003, TABLES + 0x1000
        movl $TABLES + 0x2000, %edi
        movl $0x83, %eax
pages:  movl %eax, (%edi)
        addl $8, %edi
        addl $0x200000, %eax
        cmpl $0x4000083, %eax
        jne pages
        movl $TABLES, %eax
        movl %eax, %cr3
        movl $0x20, %eax /* PAE */
        movl %eax, %cr4
        movl $0xc0000080, %ecx /* EFER.LME */
        rdmsr
        orl $0x100, %eax
        wrmsr
        movl %cr0, %eax
        orl $0x80000000, %eax
        movl %eax, %cr0
        lgdt table
        ljmp $8, $long

        .code64
long:   xorl %eax, %eax /* line i gives line (i * 1103515245 + 12345) modulo LINES: all lines form one ring */
link:   movl %eax, %edi
        shll $6, %edi
        addl $LIST, %edi
        imull $1103515245, %eax, %eax
        addl $12345, %eax
        andl $LINES - 1, %eax
        movl %eax, %edx
        shll $6, %edx
        addl $LIST, %edx
        movq %rdx, (%rdi)
        testl %eax, %eax
        jnz link
        subl $'0', %ebp
        imull $20000, %ebp, %ecx
        movl $LIST, %eax
follow: movq (%rax), %rax
        decl %ecx
        jnz follow
        movl $0, %eax
        outl %eax, $0xf4
        hlt

        .balign 8
descriptors:
        .quad 0, 0x00af9a000000ffff
table:  .word 15
        .long descriptors
        .balign 16
        .space 256
stack:
