// SPDX-License-Identifier: MIT
// A linked list of 4096 nodes of 128 bytes, each a line of the L2D, which holds half of them. Node n is followed by node
// n + 1021, modulo 4096, so that each node is reached once. The program links them, and walks the list twice: each step
// waits for the previous load, which misses the L2D and hits the L3. Prints "walked".

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 3, 0
        movl r4 = nodes
        movl r5 = 0x7ffff               // bytes of all nodes, less one
        movl r6 = 1021 * 128
        mov r7 = 0
        mov r8 = 4095;;
        mov.i ar.lc = r8;;
.link:                                  // r7: a node, as an offset
        add r9 = r7, r6;;
        and r9 = r9, r5
        add r10 = r4, r7;;
        add r11 = r4, r9
        mov r7 = r9;;
        st8 [r10] = r11
        br.cloop.sptk.few .link;;

        mov r12 = 8191
        mov r13 = r4;;
        mov.i ar.lc = r12;;
.walk:
        ld8 r13 = [r13]
        br.cloop.sptk.few .walk;;
        cmp.ne p6, p7 = r13, r4         // twice around is where it began
 (p6)   br.cond.spnt.few .wrong;;
        mov r15 = 1027
        mov r33 = 1
        movl r34 = text
        mov r35 = 7;;
        break.i 0x100000;;
        mov r33 = 0
        br.cond.sptk.few .exit;;
.wrong:
        mov r33 = 1;;
.exit:
        mov r15 = 1025;;
        break.i 0x100000;;
        .endp _start#

        .section .rodata
text:   string "walked\n"
        .section .bss
        .align 65536
nodes:  .skip 524288
