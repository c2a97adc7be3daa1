# The hooks of nearly all events of a recorded run, in assembly: about forty instructions instead of the eighty of a
# compiler, which saves a register for each temporary. They handle the common case, a run that records accesses and does
# nothing else with them. Every other case continues in hooks.cpp, before anything has changed.
#
# void __heddle_access(void* address, HeddleSite* site)
# void __heddle_write(void* address, HeddleSite* site, uint64_t value)
# void __heddle_range(void* address, HeddleSite* site, uint64_t size)
# They preserve all registers except rax, rcx, rdx and r11 (abi/hooks.h). hooks.cpp asserts the offsets and constants.
#include "runtime/hooks/hook_x86_64.inc"
    .set ring, _ZN6heddle7runtime4ringE
    .set kHotCompact, 40
    .set kHotCompactLimit, 48
    .set kRingLap, 32
    .set kWritten, 64           # from the progress to Ring::written, in a shared session
    .set kSiteCompact, 16
    .set kCompactBit, 0x8000
    .set kAddressBits, 48
    # Bytes from the written word to the prefetched one, whose cache line the host has read last.
    .set kWrittenNext, 1024

    .macro hook name, otherwise, choose, natively, graph=9b, ranged=0
    .globl \name
    .type \name, @function
    .p2align 6
\name:
    .cfi_startproc
    movq %fs:0, %r11
    cmpq hot+kHotCompact(%rip), %r11
    jne 8f
    # rdx holds the third argument until the compact word is certain to be written.
    movzwl kSiteCompact(%rsi), %ecx
    testl %ecx, %ecx
    je 9f
    .if \ranged
    leaq heddle_compact_sizes - 8 * kCompactBit(%rip), %rax
    cmpq (%rax,%rcx,8), %rdx
    jne 9f
    .endif
    check_freed 7f, 9f
1:  movq hot+kHotProgress(%rip), %r11
    movq kWritten(%r11), %rax
    cmpq hot+kHotCompactLimit(%rip), %rax
    jae 9f
    incq kSteps(%r11)
    movq %rdi, %rdx
    shlq $(64 - kAddressBits), %rdx
    orq %rcx, %rdx
    movq ring+kRingLap(%rip), %rcx
    movq %rdx, (%rcx,%rax,8)
    prefetchw kWrittenNext(%rcx,%rax,8)
    incq %rax
    movq %rax, kWritten(%r11)
    movq kSiteWord(%rsi), %rcx
    add_to_hash %r11
    ret
    # not in the heap
7:  movq %rdi, %rax
    shrq $kAddressBits, %rax
    je 1b
    jmp 9f
    # Not recorded as a compact word. r11 is the thread pointer; it is below compact if that is kCompactGraph.
8:  jb 6f
    cmpq hot(%rip), %r11
    jne \natively
    # Tested here, because both of the functions that may follow save a dozen registers.
9:  movq hot+kHotProgress(%rip), %r11
    movq kSteps(%r11), %r11
    incq %r11
    cmpq hot+kHotNextChoice(%rip), %r11
    jb \otherwise
    jmp \choose
6:  cmpq hot(%rip), %r11
    je \graph
    jmp \natively
    .cfi_endproc
    .size \name, .-\name
    .endm

    .text
    hook __heddle_access, heddle_pass_access, heddle_choose_and_access, \
         heddle_graph_access_natively, heddle_graph_access
    hook __heddle_write, heddle_pass_write, heddle_choose_and_write, heddle_graph_write_natively, heddle_graph_write
    hook __heddle_range, heddle_pass_range, heddle_choose_and_range, heddle_pass_range_natively, ranged=1
    .section .note.GNU-stack, "", @progbits
