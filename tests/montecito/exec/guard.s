// SPDX-License-Identifier: MIT
// Protection keys and breakpoints on data, checked by themselves: exits with 0, or with the number of the first check
// that failed. Handlers store the vector, cr.isr and cr.ifa, and skip the instruction.
        .text
        .explicit

        .macro check number, left, right
        cmp.ne p6, p0 = \left, \right
        mov r9 = \number
 (p6)   br.cond.spnt.few .failed;;
        .endm

        .macro skip_handler vector
        mov r16 = cr.ipsr
        mov r17 = cr.isr
        movl r18 = seen;;
        mov r19 = \vector
        extr.u r20 = r16, 41, 2;;
        st8 [r18] = r19, 8
        adds r20 = 1, r20;;
        st8 [r18] = r17, 8
        mov r21 = cr.ifa
        dep r16 = r20, r16, 41, 2;;
        st8 [r18] = r21
        mov cr.ipsr = r16;;
        rfi;;
        .endm

        // Checks that the handler of `vector` recorded an access (1 write, 2 read) to \address; clears the record.
        .macro saw number, vector, access, address
        ld8 r5 = [r7], 8
        mov r10 = \vector;;
        check \number, r5, r10
        ld8 r5 = [r7], 8;;
        extr.u r5 = r5, 33, 2
        mov r10 = \access;;
        check \number, r5, r10
        ld8 r5 = [r7], -16;;
        check \number, r5, \address
        st8 [r7] = r0;;
        .endm

        .align 32768
vectors:
        .org vectors + 0x1c00
        skip_handler 0x1c00
        .org vectors + 0x5100
        skip_handler 0x5100
        .org vectors + 0x5900
        skip_handler 0x5900
        .org vectors + 0x5c00
        skip_handler 0x5c00

        .align 32768
        .global _start#
        .proc _start#
_start:
        alloc r32 = ar.pfs, 0, 8, 6, 0
        mov r15 = 1151                  // 16 KB at 0x1000000: physical memory
        movl r40 = 0x1000000;;
        movl r41 = 0x4000
        mov r42 = 3
        mov r43 = 0x30
        mov r44 = -1
        mov r45 = 0;;
        break.i 0x100000;;
        movl r4 = 0xc000000000000000;;
        mov.i ar.pfs = r4;;
        epc;;
        movl r4 = vectors;;
        mov cr.iva = r4
        movl r7 = seen;;

        rsm 0x2000;;                    // a page with the key 0x123
        srlz.d
        movl r13 = 0xa000000000000000
        movl r14 = 0x1000661
        movl r16 = 0x12338;;
        mov cr.ifa = r13
        mov cr.itir = r16;;
        itc.d r14;;
        ssm 0x2000;;
        srlz.d;;
        tak r5 = r13
        movl r10 = 0x12300;;
        check 1, r5, r10
        tak r5 = r7                     // no translation of the program
        mov r10 = 1;;
        check 2, r5, r10
        st8 [r13] = r13;;               // keys are off

        rsm 0x2000;;                    // PSR.ed defers the load behind rfi, and no other
        srlz.d
        mov r16 = psr
        movl r17 = .deferred;;
        dep r16 = -1, r16, 43, 2;;      // ed, and bank 1
        dep r16 = -1, r16, 13, 1;;      // ic
        mov cr.ipsr = r16
        mov cr.iip = r17
        mov cr.ifs = r0;;
        rfi;;
.deferred:
        ldf8.s f6 = [r13];;
        ldf8.s f7 = [r13];;
        getf.sig r5 = f6
        getf.sig r6 = f7
        mov r9 = 20;;
        tnat.z p6, p0 = r5;;
        tnat.nz.or.andcm p6, p0 = r6
 (p6)   br.cond.spnt.few .failed;;
        mov r5 = r0;;

        ssm 0x8000;;                    // PSR.pk: no register has the key
        srlz.d;;
        ld8 r5 = [r13];;
        saw 3, 0x1c00, 2, r13
        st8 [r13] = r0;;
        saw 4, 0x1c00, 1, r13
        ld8.s r5 = [r13]                // speculative loads become NaT, but where there is no key
        ld8.s r6 = [r7]
        ldf8.s f6 = [r13];;
        getf.sig r8 = f6
        mov r9 = 18
        tnat.z p6, p0 = r5;;
        tnat.nz.or.andcm p6, p0 = r6
        tnat.z.or.andcm p6, p0 = r8
 (p6)   br.cond.spnt.few .failed;;
        mov r5 = r0
        mov r8 = r0
        ld8 r6 = [r7];;
        check 19, r6, r0
        mov r4 = 3
        movl r5 = 0x12303;;             // valid, without writes
        mov pkr[r4] = r5;;
        srlz.d;;
        ld8 r5 = [r13];;
        check 5, r5, r13
        ld8 r5 = [r7];;
        check 6, r5, r0
        st8 [r13] = r0;;
        saw 7, 0x5100, 1, r13
        fetchadd8.acq r5 = [r13], 1;;
        ld8 r5 = [r7]
        mov r10 = 0x5100;;
        check 8, r5, r10
        st8 [r7] = r0
        movl r5 = 0x12305;;             // valid, without reads
        mov pkr[r4] = r5;;
        srlz.d;;
        ld8 r5 = [r13];;
        saw 9, 0x5100, 2, r13
        st8 [r13] = r4;;
        ld8 r5 = [r7];;
        check 10, r5, r0
        rsm 0x8000;;
        srlz.d;;
        ld8 r5 = [r13];;
        check 11, r5, r4

        mov r4 = 0                      // writes of 16 bytes
        mov r5 = 1
        movl r8 = word
        movl r10 = 0x4ffffffffffffff0;;
        mov dbr[r4] = r8
        mov dbr[r5] = r10;;
        st8 [r8] = r7;;                 // PSR.db is off
        ld8 r5 = [r7];;
        check 12, r5, r0
        movl r6 = 0x1000000             // on
        mov r5 = psr;;
        or r5 = r5, r6;;
        mov psr.l = r5;;
        srlz.d
        adds r11 = 8, r8
        adds r12 = 16, r8;;
        st8 [r11] = r0;;
        saw 13, 0x5900, 1, r11
        st8 [r12] = r0
        movl r6 = .watched              // code is not data
        mov r4 = 2
        movl r10 = 0x8ffffffffffffff0;;
        mov dbr[r4] = r6
        mov r4 = 3;;
        mov dbr[r4] = r10;;
        srlz.d
        br.cond.sptk.few .watched;;
.watched:
        ld8 r5 = [r8];;                 // another address, another access
        check 14, r5, r7
        ld8 r5 = [r7];;
        check 15, r5, r0
        setf.sig f6 = r7;;
        stf8 [r8] = f6;;
        saw 16, 0x5900, 1, r8
        mov r5 = psr
        movl r6 = 0x1000000;;
        andcm r5 = r5, r6;;
        mov psr.l = r5;;
        srlz.d
        mov.m r4 = ar.fpsr;;            // a division by zero is no longer masked
        dep r5 = 0, r4, 2, 1;;
        mov.m ar.fpsr = r5;;
        frcpa.s0 f7, p8 = f1, f0;;
        ld8 r5 = [r7]
        mov r10 = 0x5c00;;
        check 17, r5, r10
        mov.m ar.fpsr = r4

        st8 [r13] = r7                  // memory that a translation shows is not mapped anew
        mov r15 = 1151;;
        break.i 0x100000;;
        mov r5 = 16;;                   // EBUSY
        check 21, r5, r8
        mov r40 = r13;;                 // a mapping in place of the translation: zeros
        break.i 0x100000;;
        check 22, r8, r13
        ld8 r5 = [r13];;
        check 23, r5, r0
        st8 [r13] = r13
        movl r14 = 0x1000000;;
        ld8 r5 = [r14];;
        check 24, r5, r7
        mov r40 = r14;;                 // nothing shows that memory now
        break.i 0x100000;;
        check 25, r8, r14
        ld8 r5 = [r14];;
        check 26, r5, r0
        mov r9 = 0;;
.failed:
        mov r15 = 1025
        mov r40 = r9;;
        break.i 0x100000;;
        .endp _start#

        .data
        .align 64
seen:   data8 0, 0, 0
        .align 64
word:   .skip 64
