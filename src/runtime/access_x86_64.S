# The two hooks that nearly every event of a recorded run comes through, by hand: some fifty instructions of which a
# compiler makes eighty, because it saves a register for each of its temporaries. What is not the common case of a run
# that records accesses and does nothing else with them is handed on to hooks.cpp, before anything was done.
#
# void __heddle_access(void* address, HeddleSite* site)
# void __heddle_write(void* address, HeddleSite* site, uint64_t value)
# Both keep every register but r11 (abi/hooks.h). Offsets and constants are those that hooks.cpp asserts.
    .set hot, _ZN6heddle7runtime3hotE
    .set ring, _ZN6heddle7runtime4ringE
    .set accessible_bytes, _ZN6heddle7runtime4heap16accessible_bytesE
    .set kHotProgress, 8
    .set kHotNextChoice, 16
    .set kHotThreadWord, 32
    .set kHotInShort, 40
    .set kRecordInShort, 1      # InShort: less is none, more is a graph
    .set kRingLimit, 24
    .set kRingLap, 32
    .set kSiteIndex, 8
    .set kSteps, 0
    .set kEventHash, 8
    .set kWritten, 64           # from the progress to Ring::written, in a shared session
    .set kSlabUseMax, 0xfb      # UnitUse of a slab, less one
    .set kFreedUseMin, 0xfd     # UnitUse of freed units, less one
    .set kAddressBits, 48

    .section .rodata.cst8, "aM", @progbits, 8
    .balign 8
hash_factor:  .quad 0x9e3779b97f4a7c15
minus_blocks: .quad -0x110000000000
unit_uses:    .quad 0x12922c000000
marks:        .quad 0x120000000000

    .macro save register
    pushq \register
    .cfi_adjust_cfa_offset 8
    .endm
    .macro restore register
    popq \register
    .cfi_adjust_cfa_offset -8
    .endm

    .macro hook name, otherwise, graph, natively
    .globl \name
    .type \name, @function
    .p2align 6
\name:
    .cfi_startproc
    movq hot(%rip), %r11
    cmpq %fs:0, %r11
    jne \natively
    cmpb $kRecordInShort, hot+kHotInShort(%rip)
    jb \otherwise
    ja \graph
    save %rax
    save %rcx
    save %rdx
    save %r8
    # rdx: slot of the site, rcx: what it adds to the hash
    movl kSiteIndex(%rsi), %eax
    leaq heddle_introduced_sites(%rip), %rcx
    movl %eax, %edx
    andl $0x1fff, %edx
    movq (%rcx,%rdx,8), %rcx
    cmpl %eax, %ecx
    jne 9f
    # heap::is_freed_memory(address)
    movq minus_blocks(%rip), %rax
    addq %rdi, %rax
    cmpq accessible_bytes(%rip), %rax
    jae 2f
    movq %rax, %r11
    shrq $16, %r11
    addq unit_uses(%rip), %r11
    movzbl (%r11), %r11d
    decl %r11d
    cmpb $kSlabUseMax, %r11b
    ja 3f
    shrq $4, %rax
    addq marks(%rip), %rax
    cmpb $0, (%rax)
    js 9f
1:  movq hot+kHotProgress(%rip), %r11
    movq kSteps(%r11), %r8
    incq %r8
    cmpq hot+kHotNextChoice(%rip), %r8
    jae 9f
    movq kWritten(%r11), %rax
    cmpq ring+kRingLimit(%rip), %rax
    jae 9f
    movq %r8, kSteps(%r11)
    movq %rdi, %r8
    shlq $(64 - kAddressBits), %r8
    leaq 0x8000(%r8,%rdx), %r8
    movq ring+kRingLap(%rip), %rdx
    movq %r8, (%rdx,%rax,8)
    incq %rax
    movq %rax, kWritten(%r11)
    movq kEventHash(%r11), %rax
    orq hot+kHotThreadWord(%rip), %rcx
    rolq $23, %rax
    xorq %rcx, %rax
    imulq hash_factor(%rip), %rax
    movq %rax, kEventHash(%r11)
    restore %r8
    restore %rdx
    restore %rcx
    restore %rax
    ret
    .cfi_adjust_cfa_offset 32
    # not in the heap
2:  movq %rdi, %rax
    shrq $kAddressBits, %rax
    je 1b
    jmp 9f
    # in the heap, and not in a slab. Never used is -1: less than that is freed
3:  cmpb $0xff, %r11b
    je 1b
    cmpb $kFreedUseMin, %r11b
    jb 1b
9:  restore %r8
    restore %rdx
    restore %rcx
    restore %rax
    jmp \otherwise
    .cfi_endproc
    .size \name, .-\name
    .endm

    .text
    hook __heddle_access, heddle_pass_access, heddle_graph_access, heddle_graph_access_natively
    hook __heddle_write, heddle_pass_write, heddle_graph_write, heddle_graph_write_natively
    .section .note.GNU-stack, "", @progbits
