# All system calls of the runtime. Exempt from Syscall User Dispatch: see os/raw_syscall.h.
    .section heddle_syscall_text, "ax", @progbits
    .globl heddle_syscall_text_begin, heddle_syscall_text_end
    .hidden heddle_syscall_text_begin, heddle_syscall_text_end
heddle_syscall_text_begin:

    .globl heddle_raw_syscall
    .hidden heddle_raw_syscall
    .type heddle_raw_syscall, @function
heddle_raw_syscall:
    .cfi_startproc
    movq %rdi, %rax
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq %rcx, %rdx
    movq %r8, %r10
    movq %r9, %r8
    movq 8(%rsp), %r9
    syscall
    ret
    .cfi_endproc
    .size heddle_raw_syscall, .-heddle_raw_syscall

    .globl heddle_return_from_signal
    .hidden heddle_return_from_signal
    .type heddle_return_from_signal, @function
heddle_return_from_signal:
    movq %rdi, %rsp
    # falls through
    .globl heddle_signal_restorer
    .hidden heddle_signal_restorer
    .type heddle_signal_restorer, @function
heddle_signal_restorer:
    movq $15, %rax          # rt_sigreturn
    syscall
    ud2

heddle_syscall_text_end:
    nop
    .section .note.GNU-stack, "", @progbits
