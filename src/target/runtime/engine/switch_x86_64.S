# Entered by a jump from switch_stacks() (engine/switch.h), with the address to resume at on the stack.
# rdi: where to save the stack pointer, rsi: the next stack pointer, rdx: the next thread pointer, ecx: has_fsgsbase.
# Saves the frame pointer, mxcsr and the x87 control word (SwitchFrame), and loads the next stack and thread pointer.
    .text
    .globl heddle_switch
    .hidden heddle_switch
    .type heddle_switch, @function
heddle_switch:
    .cfi_startproc
    pushq %rbp
    subq $8, %rsp
    movq %rsp, %r9
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    testl %ecx, %ecx
    jz 1f
    wrfsbase %rdx           # serialises: stores that can follow it do
2:  stmxcsr (%r9)
    fnstcw 4(%r9)
    movl (%r9), %eax
    movzwl 4(%r9), %r8d
    cmpl (%rsp), %eax       # loading the control words is slow, and they rarely differ
    jne 4f
    cmpw 4(%rsp), %r8w
    jne 4f
3:  addq $8, %rsp
    popq %rbp
    popq %rcx
    jmp *%rcx
4:  ldmxcsr (%rsp)
    fldcw 4(%rsp)
    jmp 3b
    # arch_prctl(ARCH_SET_FS, thread_pointer), through the exempt stretch; 125 ns instead of 6
1:  movq %rdx, %rcx
    pushq %r9
    pushq %r9
    pushq $0                # the sixth argument; the stack is aligned
    movl $158, %edi
    movl $0x1002, %esi
    movq %rcx, %rdx
    xorl %ecx, %ecx
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    call heddle_raw_syscall
    addq $8, %rsp
    popq %r9
    popq %r9
    jmp 2b
    .cfi_endproc
    .size heddle_switch, .-heddle_switch

# void heddle_call_on_stack(void* stack_top, void (*function)())
    .globl heddle_call_on_stack
    .hidden heddle_call_on_stack
    .type heddle_call_on_stack, @function
heddle_call_on_stack:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rsp
    call *%rsi
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size heddle_call_on_stack, .-heddle_call_on_stack

# The first code of a fiber: heddle_switch jumps here with an aligned stack. A zero return address ends the unwinding.
    .globl heddle_fiber_begin
    .hidden heddle_fiber_begin
    .type heddle_fiber_begin, @function
heddle_fiber_begin:
    .cfi_startproc
    .cfi_undefined %rip
    xorl %ebp, %ebp
    call heddle_fiber_main
    ud2
    .cfi_endproc
    .size heddle_fiber_begin, .-heddle_fiber_begin
    .section .note.GNU-stack, "", @progbits
