# The accesses that add nothing to the table of edges (quick_access.h), by hand, for a graph of words without readers: nearly
# all are of this kind, and a compiler saves twice the registers. One or two words of its own; or a read of one or two
# words of one other thread, whose edge is not counted any more. They are entered from access_x86_64.S; what is not of this
# kind is handed on before anything was done.
#
# All keep every register but r11 (abi/hooks.h). Offsets and constants are those that graph/collector.cpp asserts.
#include "runtime/hook_x86_64.inc"
    .set quick_graph, _ZN6heddle7runtime11quick_graphE
    .set native_thread, _ZN6heddle7runtime19native_graph_threadE
    .set kHotNativeGraph, 48
    .set kHotGraphMark, 56
    .set kHotGraphContext, 64
    .set kWords, 2              # GraphWork
    .set kNativeMark, 0
    .set kNativeContext, 8
    .set kSiteKind, 38
    .set kSiteSize, 39
    .set kPartBytesLog, 40
    .set kPartMax, 127
    .set kSiteBits, 25          # of a cell, the lowest
    .set kThreadBits, 14        # above them
    .set kWriteKinds, 0x134
    .set kPlainRead, 1
    .set kGraphMask, 0x410
    .set kGraphContexts, 0x440
    .set kContextBytesLog, 6
    .set kLocalRead, 1          # communication::Event
    .set kRemoteRead, 3
    .set kCountedSiteBits, 17
    .set kCountedContextBits, 15
    .set kCountedEdgesLog, 13
    .set kNativeOwn, 16
    .set kTold, 0x10000         # of OwnGraph
    .set kRemoteReadsLog, 6
    .set kRemoteReadsBytesLog, 4
    .set kToldLeftAs, 0         # RemoteReads
    .set kToldThread, 8
    .set kToldFought, 10
    .set kToldToHold, 11
    .set own_graphs, _ZN6heddle7runtime10own_graphsE

    .section .rodata.cst8, "aM", @progbits, 8
    .balign 8
thread_bits:  .quad 0x7ffe000000

    # r11: where the word of address 0 would be in the part of the shadow that the address is in; 9f: it has none. Loses rax.
    .macro find_part
    movq %rdi, %rax
    shrq $kPartBytesLog, %rax
    cmpq $kPartMax, %rax
    ja 9f
    leaq quick_graph(%rip), %r11
    movq (%r11,%rax,8), %r11
    .endm
    # rax: the word of the address, ecx: bytes from its beginning to the access's end; 9f: it has none. Loses r11.
    .macro find_word
    testq %r11, %r11
    je 9f
    movq %rdi, %rax
    andq $-8, %rax
    addq %r11, %rax
    movl %edi, %r11d
    andl $7, %r11d
    movzbl kSiteSize(%rsi), %ecx
    addl %r11d, %ecx
    .endm

    # \other: the cell that is \offset bytes behind rax is not of the thread whose mark is \mark. Loses r11.
    .macro check_own other, offset, mark:vararg
    movq \offset(%rax), %r11
    xorq \mark, %r11
    testq thread_bits(%rip), %r11
    jne \other
    .endm

    # \other: the first word is not its own. 9f: the second is not, or there are more than two. Loses r11. What is seldom is
    # in the second part, out of the way.
    .macro check_words other, mark:vararg
    check_own \other, 0, \mark
    cmpl $8, %ecx
    ja 20f
10:
    .endm
    .macro check_words_seldom mark:vararg
20: cmpl $16, %ecx
    ja 9f
    check_own 9f, 8, \mark
    jmp 10b
    .endm

    # 9f: an atomic update, which writes. Loses r11 and rdx.
    .macro check_read
    cmpb $kPlainRead, kSiteKind(%rsi)
    jne 21f
11:
    .endm
    .macro check_read_seldom
21: check_kind
    jmp 11b
    .endm
    .macro check_kind
    movzbl kSiteKind(%rsi), %r11d
    andl $15, %r11d
    movl $kWriteKinds, %edx
    btl %r11d, %edx
    jc 9f
    .endm

    # The context at \context has one more event, in short: it is stored only if that changes it. Loses rax and rdx.
    .macro push_event event, context
    movl (\context), %eax
    leal \event(,%rax,8), %edx
    andl quick_graph+kGraphMask(%rip), %edx
    cmpl %eax, %edx
    je 8f
    movl %edx, (\context)
8:
    .endm

    # rcx: its OwnGraph.
    .macro find_native_graph
    movq native_thread@gottpoff(%rip), %rcx
    movq %fs:kNativeOwn(%rcx), %rcx
    .endm
    .macro find_controlled_graph
    leaq own_graphs(%rip), %rcx
    .endm

    # r11: the context of thread r11. Loses rdx.
    .macro find_context
    shlq $kContextBytesLog, %r11
    leaq quick_graph+kGraphContexts(%rip), %rdx
    addq %rdx, %r11
    .endm
    # An event more for thread r11. Loses all but r8.
    .macro tell_controlled
    find_context
    push_event kRemoteRead, %r11
    .endm
    # The same, rcx: the own OwnGraph. tell_read() in short; 9f: the context is not as it was left.
    .macro tell_natively
    movl %r11d, %edx
    andl $((1 << kRemoteReadsLog) - 1), %edx
    shll $kRemoteReadsBytesLog, %edx
    leaq kTold(%rcx,%rdx), %rcx
    cmpw %r11w, kToldThread(%rcx)
    jne 9f
    cmpb $1, kToldToHold(%rcx)
    jb 3f
    je 9f
    decb kToldToHold(%rcx)
    jmp 4f
3:  find_context
    movl (%r11), %eax
    cmpl %eax, kToldLeftAs(%rcx)
    jne 9f
    movb $0, kToldFought(%rcx)
    leal kRemoteRead(,%rax,8), %edx
    andl quick_graph+kGraphMask(%rip), %edx
    cmpl %eax, %edx
    je 4f
    movl %edx, (%r11)
    movl %edx, kToldLeftAs(%rcx)
4:
    .endm

    # 9f: it is no read of words that one other thread wrote, or its edge is still counted. r8: the reader's context. After
    # find_word; loses rax, rcx, rdx and r11.
    .macro read_other find_own_graph, tell
    check_kind
    movq (%rax), %r11
    cmpl $8, %ecx
    jbe 5f
    cmpl $16, %ecx
    ja 9f
    cmpq 8(%rax), %r11
    jne 9f
5:  testq %r11, %r11
    je 6f
    # rdx: the CountedEdge; none is known when contexts are larger than it has bits for
    movl %r11d, %edx
    andl $((1 << kSiteBits) - 1), %edx
    movl kSiteIndex(%rsi), %ecx
    movl %edx, %eax
    orl %ecx, %eax
    shrl $kCountedSiteBits, %eax
    jne 9f
    movq %r11, %rax
    shrq $(kSiteBits + kThreadBits), %rax
    andl $((1 << kCountedContextBits) - 1), %eax
    shlq $kCountedContextBits, %rdx
    orq %rax, %rdx
    shlq $kCountedContextBits, %rcx
    movl (%r8), %eax
    orq %rax, %rcx
    shlq $32, %rdx
    orq %rcx, %rdx
    movq hash_factor(%rip), %rax
    imulq %rdx, %rax
    shrq $(64 - kCountedEdgesLog), %rax
    \find_own_graph
    cmpq %rdx, (%rcx,%rax,8)
    jne 9f
    # the writer
    shrq $kSiteBits, %r11
    andl $((1 << kThreadBits) - 1), %r11d
    \tell
    push_event kLocalRead, %r8
6:
    .endm

    # r11: the cell of a write by the thread of \mark in the context at \context. Loses rdx.
    .macro make_cell context, mark:vararg
    movl (\context), %r11d
    shlq $(kSiteBits + kThreadBits), %r11
    orq \mark, %r11
    movl kSiteIndex(%rsi), %edx
    andl $((1 << kSiteBits) - 1), %edx
    orq %rdx, %r11
    .endm

    .macro write_words
    movq %r11, (%rax)
    cmpl $8, %ecx
    ja 22f
12:
    .endm
    .macro write_words_seldom
22: movq %r11, 8(%rax)
    jmp 12b
    .endm

    .macro begin name
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 6
\name:
    .cfi_startproc
    .endm
    .macro end name
    .cfi_endproc
    .size \name, .-\name
    .endm

    .macro leave_for otherwise
9:  restore_four
    jmp \otherwise
    .endm

    .text
    begin heddle_graph_access_natively
    cmpb $kWords, hot+kHotNativeGraph(%rip)
    jne heddle_pass_access_natively
    save_four
    find_part
    find_word
    movq native_thread@gottpoff(%rip), %r8
    check_words 7f, %fs:kNativeMark(%r8)
    check_read
1:  return
7:  movq %fs:kNativeContext(%r8), %r8
    read_other find_native_graph, tell_natively
    jmp 1b
    check_words_seldom %fs:kNativeMark(%r8)
    check_read_seldom
    leave_for heddle_pass_access_natively
    end heddle_graph_access_natively

    begin heddle_graph_write_natively
    cmpb $kWords, hot+kHotNativeGraph(%rip)
    jne heddle_pass_write_natively
    save_four
    find_part
    find_word
    movq native_thread@gottpoff(%rip), %r8
    check_words 9f, %fs:kNativeMark(%r8)
    movq %fs:kNativeContext(%r8), %rdx
    make_cell %rdx, %fs:kNativeMark(%r8)
    write_words
    return
    check_words_seldom %fs:kNativeMark(%r8)
    write_words_seldom
    leave_for heddle_pass_write_natively
    end heddle_graph_write_natively

    # 9f: the memory is freed. As find_part, of which there is one for the heap.
    .macro check_freed_and_find_part
    check_freed 24f, 23f, 9f
13: movq quick_graph + 8 * (0x110000000000 >> kPartBytesLog)(%rip), %r11
14:
    .endm
    .macro check_freed_and_find_part_seldom
23: check_no_slab 13b, 9f
24: find_part
    jmp 14b
    .endm

    # What hooks.cpp's step() does. r8: the progress. check_step: 9f: the strategy is to be asked; loses rax.
    .macro check_step
    movq hot+kHotProgress(%rip), %r8
    movq kSteps(%r8), %rax
    incq %rax
    cmpq hot+kHotNextChoice(%rip), %rax
    jae 9f
    .endm
    .macro step
    incq kSteps(%r8)
    movzbl kSiteKind(%rsi), %ecx
    shlq $32, %rcx
    movl kSiteIndex(%rsi), %edx
    orq %rdx, %rcx
    add_to_hash %r8
    .endm

    .macro begin_controlled name
    begin \name
    save_four
    check_step
    check_freed_and_find_part
    find_word
    .endm
    .macro end_step
1:  step
    return
    .endm

    begin_controlled heddle_graph_access
    check_words 7f, hot+kHotGraphMark(%rip)
    check_read
    end_step
7:  movq hot+kHotGraphContext(%rip), %r8
    read_other find_controlled_graph, tell_controlled
    movq hot+kHotProgress(%rip), %r8
    jmp 1b
    check_words_seldom hot+kHotGraphMark(%rip)
    check_read_seldom
    check_freed_and_find_part_seldom
    leave_for heddle_pass_graph_access
    end heddle_graph_access

    begin_controlled heddle_graph_write
    check_words 9f, hot+kHotGraphMark(%rip)
    movq hot+kHotGraphContext(%rip), %rdx
    make_cell %rdx, hot+kHotGraphMark(%rip)
    write_words
    end_step
    check_words_seldom hot+kHotGraphMark(%rip)
    write_words_seldom
    check_freed_and_find_part_seldom
    leave_for heddle_pass_graph_write
    end heddle_graph_write
    .section .note.GNU-stack, "", @progbits
