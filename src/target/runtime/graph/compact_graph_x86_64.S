# The fast paths of the graph (compact_graph.h) in assembly, for a graph of words without readers. Nearly all accesses
# take them, and a compiler saves twice as many registers. They handle accesses to one or two words of the thread itself
# and reads of one or two words of one other thread whose edge is no longer counted. access_x86_64.S enters them; other
# accesses are passed on before they have an effect.
#
# All preserve every register but rax, rcx, rdx and r11 (abi/hooks.h) and ignore the value of a write.
# graph/collector.cpp asserts the offsets and constants.
#include "runtime/hooks/hook_x86_64.inc"
    .set compact_graph, _ZN6heddle7runtime13compact_graphE
    .set native_thread, _ZN6heddle7runtime19native_graph_threadE
    .set kHotNativeGraph, 63
    .set kHotGraphMark, 72
    .set kHotGraphContext, 80
    .set kWords, 2              # GraphWork
    .set kNativeMark, 0
    .set kNativeContext, 8
    .set kSiteIndex, kSiteWord
    .set kSiteKind, 44
    .set kSiteSize, 45
    .set kPartBytesLog, 40
    .set kPartMax, 127
    .set kSiteBits, 25          # the lowest bits of a cell
    .set kThreadBits, 14        # the bits above them
    .set kWriteKinds, 0x134
    .set kPlainRead, 1          # HeddleSiteKind
    .set kGraphMask, 0x410
    .set kGraphContexts, 0x440
    .set kContextBytesLog, 6
    .set kLocalRead, 1          # communication::Event
    .set kRemoteRead, 3
    .set kCountedSiteBits, 17
    .set kCountedContextBits, 15
    .set kCountedEdgesLog, 13
    .set kNativeOwn, 16
    .set kOwnRemoteReads, 0x10000         # of OwnGraph
    .set kRemoteReadsLog, 6
    .set kRemoteReadsBytesLog, 4
    .set kReadsLastValue, 0         # RemoteReads
    .set kReadsThread, 8
    .set kReadsConflicts, 10
    .set kReadsToHold, 11
    .set own_graphs, _ZN6heddle7runtime10own_graphsE

    .section .rodata.cst8, "aM", @progbits, 8
    .balign 8
thread_bits:  .quad 0x7ffe000000

    # rax: the cell of the address; jumps to 9f if it has none. Clobbers r11.
    .macro find_word
    movq %rdi, %rax
    shrq $kPartBytesLog, %rax
    cmpq $kPartMax, %rax
    ja 9f
    leaq compact_graph(%rip), %r11
    movq (%r11,%rax,8), %r11
    testq %r11, %r11
    je 9f
    movq %rdi, %rax
    andq $-8, %rax
    addq %r11, %rax
    .endm

    # Jumps to \other if another thread than that of \mark wrote the cell \offset bytes behind rax. Clobbers r11.
    .macro check_own other, offset, mark:vararg
    movq \offset(%rax), %r11
    xorq \mark, %r11
    testq thread_bits(%rip), %r11
    jne \other
    .endm

    # Jumps to \further if the access spans several words. Clobbers r11.
    .macro check_one_word further
    movzbl kSiteSize(%rsi), %r11d
    leal -1(%rdi,%r11), %r11d
    xorl %edi, %r11d
    testl $-8, %r11d
    jne \further
    .endm
    # The same for a \kind access to a whole word, which is the common case; jumps to \other for all others.
    .macro check_whole_word kind, other, further
    cmpw $(\kind + (8 << 8)), kSiteKind(%rsi)
    jne \other
    testb $7, %dil
    jne \further
    .endm
    # Jumps to 9f if there are more than two words or another thread wrote the second. Clobbers rdx and r11.
    .macro check_second_word mark:vararg
    count_bytes %r11d
    cmpl $16, %edx
    ja 9f
    check_own 9f, 8, \mark
    .endm
    # edx: bytes from the beginning of the first word to the end of the access. Clobbers \temporary.
    .macro count_bytes temporary
    movl %edi, %edx
    andl $7, %edx
    movzbl kSiteSize(%rsi), \temporary
    addl \temporary, %edx
    .endm

    # Jumps to \update for an atomic update, which writes. Clobbers r11 and \temporary.
    .macro check_kind update, temporary
    movzbl kSiteKind(%rsi), %r11d
    andl $15, %r11d
    movl $kWriteKinds, \temporary
    btl %r11d, \temporary
    jc \update
    .endm

    # Adds \event to the context at \context; stores it only if it changes. Clobbers rax and rdx.
    .macro push_event event, context
    movl (\context), %eax
    leal \event(,%rax,8), %edx
    andl compact_graph+kGraphMask(%rip), %edx
    cmpl %eax, %edx
    je 8f
    movl %edx, (\context)
8:
    .endm

    # rcx: the OwnGraph of the thread.
    .macro find_native_graph
    movq native_thread@gottpoff(%rip), %rcx
    movq %fs:kNativeOwn(%rcx), %rcx
    .endm
    .macro find_controlled_graph
    leaq own_graphs(%rip), %rcx
    .endm

    # r11: the context of thread r11. Clobbers rdx.
    .macro find_context
    shlq $kContextBytesLog, %r11
    leaq compact_graph+kGraphContexts(%rip), %rdx
    addq %rdx, %r11
    .endm
    # Adds a remote read to the context of thread r11. Clobbers all but r8.
    .macro push_read_controlled
    find_context
    push_event kRemoteRead, %r11
    .endm
    # The common case of push_remote_read(). rcx: the OwnGraph of the reader. Jumps to 19f if another thread changed the
    # context.
    .macro push_read_natively
    movl %r11d, %edx
    andl $((1 << kRemoteReadsLog) - 1), %edx
    shll $kRemoteReadsBytesLog, %edx
    leaq kOwnRemoteReads(%rcx,%rdx), %rcx
    cmpw %r11w, kReadsThread(%rcx)
    jne 19f
    cmpb $1, kReadsToHold(%rcx)
    jb 3f
    je 19f
    decb kReadsToHold(%rcx)
    jmp 4f
3:  find_context
    movl (%r11), %eax
    cmpl %eax, kReadsLastValue(%rcx)
    jne 19f
    movb $0, kReadsConflicts(%rcx)
    leal kRemoteRead(,%rax,8), %edx
    andl compact_graph+kGraphMask(%rip), %edx
    cmpl %eax, %edx
    je 4f
    movl %edx, (%r11)
    movl %edx, kReadsLastValue(%rcx)
4:
    .endm

    # A read of words that one other thread wrote. Jumps to 19f for other accesses and for edges that are still counted.
    # r8: the context of the reader. REQUIRES: find_word. Clobbers rax, rcx, rdx and r11.
    .macro read_other find_own_graph, push_read
    check_kind 19f, %edx
    count_bytes %ecx
    movq (%rax), %r11
    cmpl $8, %edx
    ja 25f
5:  testq %r11, %r11
    je 6f
    # rdx: the CountedEdge. None is cached if contexts are larger than its bits.
    movl %r11d, %edx
    andl $((1 << kSiteBits) - 1), %edx
    movl kSiteIndex(%rsi), %ecx
    movl %edx, %eax
    orl %ecx, %eax
    shrl $kCountedSiteBits, %eax
    jne 19f
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
    jne 19f
    # r11: the thread that wrote the word
    shrq $kSiteBits, %r11
    andl $((1 << kThreadBits) - 1), %r11d
    \push_read
    push_event kLocalRead, %r8
6:
    .endm

    .macro read_other_two_words
25: cmpl $16, %edx
    ja 19f
    cmpq 8(%rax), %r11
    je 5b
    jmp 19f
    .endm

    # r11: the cell of a write by the thread of \mark, whose context is at r11. Clobbers rcx.
    .macro make_cell mark:vararg
    movl (%r11), %r11d
    shlq $(kSiteBits + kThreadBits), %r11
    orq \mark, %r11
    movl kSiteIndex(%rsi), %ecx
    andl $((1 << kSiteBits) - 1), %ecx
    orq %rcx, %r11
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

    # Leaves for \otherwise: from 9, and from 19 while r8 is saved.
    .macro leave_for otherwise
    .cfi_adjust_cfa_offset 8
19: restore %r8
9:  jmp \otherwise
    .endm

    .macro begin_natively name, otherwise
    begin \name
    cmpb $kWords, hot+kHotNativeGraph(%rip)
    jne \otherwise
    find_word
    movq native_thread@gottpoff(%rip), %rcx
    .endm

    .text
    begin_natively heddle_graph_access_natively, heddle_pass_access_natively
    check_own 7f, 0, %fs:kNativeMark(%rcx)
    check_whole_word kPlainRead, 21f, 20f
1:  ret
21: check_one_word 20f
22: cmpb $kPlainRead, kSiteKind(%rsi)
    jne 23f
    ret
7:  save %r8
    movq %fs:kNativeContext(%rcx), %r8
    read_other find_native_graph, push_read_natively
    restore %r8
    jmp 1b
    .cfi_adjust_cfa_offset 8
    read_other_two_words
    .cfi_adjust_cfa_offset -8
20: check_second_word %fs:kNativeMark(%rcx)
    jmp 22b
23: check_kind 9f, %eax
    jmp 1b
    leave_for heddle_pass_access_natively
    end heddle_graph_access_natively

    .macro make_cell_natively
    movq %fs:kNativeContext(%rcx), %r11
    make_cell %fs:kNativeMark(%rcx)
    .endm
    begin_natively heddle_graph_write_natively, heddle_pass_write_natively
    check_own 9f, 0, %fs:kNativeMark(%rcx)
    check_one_word 20f
1:  make_cell_natively
    movq %r11, (%rax)
    ret
20: check_second_word %fs:kNativeMark(%rcx)
    make_cell_natively
    movq %r11, 8(%rax)
    movq native_thread@gottpoff(%rip), %rcx
    jmp 1b
    leave_for heddle_pass_write_natively
    end heddle_graph_write_natively

    # The first part of step() in hooks.cpp. Jumps to 9f if the step is a choice or the memory is freed. rax: the cell,
    # as in find_word; the heap always has one. rcx: the progress.
    .macro begin_controlled name
    begin \name
    movq hot+kHotProgress(%rip), %rcx
    movq kSteps(%rcx), %rax
    incq %rax
    cmpq hot+kHotNextChoice(%rip), %rax
    jae 9f
    check_freed 16f, 9f
13: movq %rdi, %rax
    andq $-8, %rax
    addq compact_graph + 8 * (0x110000000000 >> kPartBytesLog)(%rip), %rax
14:
    .endm
    .macro begin_controlled_outside_heap
    .p2align 5                  # for globals and stacks: the alignment makes this path a seventh faster
16: find_word
    jmp 14b
    .endm
    # The second part.
    .macro step
    movq kSiteWord(%rsi), %r11
    count_step %rcx
    add_to_hash %rcx, %r11
    ret
    .endm

    begin_controlled heddle_graph_access
    check_own 7f, 0, hot+kHotGraphMark(%rip)
    check_whole_word kPlainRead, 21f, 20f
    step
21: check_one_word 20f
22: cmpb $kPlainRead, kSiteKind(%rsi)
    jne 23f
2:  step
7:  save %r8
    movq hot+kHotGraphContext(%rip), %r8
    read_other find_controlled_graph, push_read_controlled
    restore %r8
    movq hot+kHotProgress(%rip), %rcx
    jmp 2b
    .cfi_adjust_cfa_offset 8
    read_other_two_words
    .cfi_adjust_cfa_offset -8
20: check_second_word hot+kHotGraphMark(%rip)
    jmp 22b
23: check_kind 9f, %eax
    jmp 2b
    begin_controlled_outside_heap
    leave_for heddle_pass_graph_access
    end heddle_graph_access

    .macro make_controlled_cell
    movq hot+kHotGraphContext(%rip), %r11
    make_cell hot+kHotGraphMark(%rip)
    .endm
    begin_controlled heddle_graph_write
    check_own 9f, 0, hot+kHotGraphMark(%rip)
    check_one_word 20f
1:  make_controlled_cell
    movq %r11, (%rax)
    movq hot+kHotProgress(%rip), %rcx
    step
20: check_second_word hot+kHotGraphMark(%rip)
    make_controlled_cell
    movq %r11, 8(%rax)
    jmp 1b
    begin_controlled_outside_heap
    leave_for heddle_pass_graph_write
    end heddle_graph_write
    .section .note.GNU-stack, "", @progbits
