// SPDX-License-Identifier: MIT
// A hash table with 1024 places and open addressing: 512 keys, 7 * n * n + 1, are inserted. Then these keys and 512 keys
// that are not in the table are looked up. Prints the number of keys found: "512".

        .text
        .explicit
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 1, 3, 0
        movl r4 = table
        movl r5 = 0x9e3779b97f4a7c15
        mov r6 = 0                      // n
        mov r24 = 512;;
        setf.sig f6 = r5
        movl r7 = 8191;;
.insert:
        setf.sig f7 = r6;;
        xma.l f8 = f7, f7, f0;;
        getf.sig r8 = f8;;
        shladd r9 = r8, 3, r0;;
        sub r9 = r9, r8;;
        adds r9 = 1, r9;;               // the key
        setf.sig f9 = r9;;
        xma.l f9 = f9, f6, f0;;
        getf.sig r10 = f9;;
        shr.u r10 = r10, 51;;
        and r10 = -8, r10;;             // its place, in bytes: 13 bits
.occupied:
        add r11 = r4, r10
        adds r12 = 8, r10;;
        ld8 r13 = [r11]
        and r10 = r12, r7;;
        cmp.ne p6, p7 = r0, r13
 (p6)   br.cond.spnt.few .occupied;;
        st8 [r11] = r9
        adds r6 = 1, r6;;
        cmp.ne p6, p7 = r6, r24
 (p6)   br.cond.dptk.few .insert;;

        mov r6 = 0
        mov r20 = 0                     // found
        mov r21 = 1024;;
.look:                                  // even rounds: a key; odd ones: the same less 1, which no key is
        shr.u r22 = r6, 1
        and r23 = 1, r6;;
        setf.sig f7 = r22;;
        xma.l f8 = f7, f7, f0;;
        getf.sig r8 = f8;;
        shladd r9 = r8, 3, r0;;
        sub r9 = r9, r8;;
        adds r9 = 1, r9;;
        sub r9 = r9, r23;;
        setf.sig f9 = r9;;
        xma.l f9 = f9, f6, f0;;
        getf.sig r10 = f9;;
        shr.u r10 = r10, 51;;
        and r10 = -8, r10;;
.next:
        add r11 = r4, r10
        adds r12 = 8, r10;;
        ld8 r13 = [r11]
        and r10 = r12, r7;;
        cmp.eq p8, p9 = r9, r13
        cmp.ne p6, p7 = r0, r13
        cmp.eq p10, p11 = r0, r9;;      // 0 stands for an empty place
 (p10)  br.cond.spnt.few .absent
 (p8)   adds r20 = 1, r20
 (p8)   br.cond.dptk.few .absent;;
 (p6)   br.cond.spnt.few .next;;
.absent:
        adds r6 = 1, r6;;
        cmp.ne p6, p7 = r6, r21
 (p6)   br.cond.dptk.few .look;;
        cmp.ne p6, p7 = r20, r24
 (p6)   br.cond.spnt.few .wrong;;
        mov r15 = 1027
        mov r33 = 1
        movl r34 = text
        mov r35 = 4;;
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
text:   string "512\n"
        .section .bss
        .align 16384
table:  .skip 8192
