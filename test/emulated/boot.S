// The ROM of the emulated machine: from the reset vector through 32-bit into 64-bit mode with AVX-512 on, to `guest`;
// and the exceptions. `uk_step_call` runs a kernel with the trap flag set: each instruction that it runs is marked.

#include "guest.h"

.section .rom, "ax"
rom:

// ── from reset to 64 bits ───────────────────────────────────────────────────────────────────────────────────────────

.code16
  cli
  lgdtl %cs:(gdt_pointer - rom)
  movl $0x00000033, %eax        // PE, MP, ET, NE: caches on, no emulation of the x87
  movl %eax, %cr0
  ljmpl $0x08, $UK_ROM + (protected - rom)

.code32
protected:
  movw $0x10, %ax
  movw %ax, %ds
  movw %ax, %es
  movw %ax, %ss
// Bochs gives out its memory in blocks of 128 KiB as they are first used, and loads an image through the first of them
// only. Used in order, before any other memory, the blocks are those that the image lies in.
  movl $UK_CODE, %esi
1:
  movb (%esi), %al
  addl $0x20000, %esi
  cmpl $UK_CODE + UK_IMAGE_BYTES, %esi
  jb 1b
  movl $0x00040620, %eax        // PAE, OSFXSR, OSXMMEXCPT, OSXSAVE
  movl %eax, %cr4
  movl $0xd, %eax
  xorl %ecx, %ecx
  cpuid
  andl $0x600e7, %eax           // XCR0: x87, SSE, AVX, opmask, ZMM0-15's upper halves, ZMM16-31, tiles if there are any
  xorl %edx, %edx
  xorl %ecx, %ecx
  xsetbv
  movl UK_DATA + UK_PLAIN_TABLES, %eax
  movl %eax, %cr3
  movl $0xc0000080, %ecx        // EFER.LME
  rdmsr
  orl $0x100, %eax
  wrmsr
  movl $0x80010033, %eax        // PG, WP
  movl %eax, %cr0
  ljmpl $0x18, $UK_ROM + (long_mode - rom)

.code64
long_mode:
  lidt UK_ROM + (idt_pointer - rom)
  movw $0x20, %ax
  ltr %ax
  movl $UK_STACK, %esp
  fninit
  ldmxcsr UK_ROM + (mxcsr - rom)
  movl $guest, %eax
  call *%rax
1:
  hlt
  jmp 1b

mxcsr:
  .long 0x1f80

// ── running a kernel ────────────────────────────────────────────────────────────────────────────────────────────────

// unsigned long uk_step_call(void (*run)(void *const *, void *), void *const *args, void *workspace): 1 if it trapped.
.global uk_step_call
uk_step_call:
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rdi, %rax
  movq %rsi, %rdi
  movq %rdx, %rsi
  movq %rsp, UK_STACK           // kept right above the stack
  subq $8, %rsp                 // with the address of return: aligned to 16 before the call
  pushfq
  orq $0x100, (%rsp)
  popfq
  call *%rax
  pushfq
  andq $~0x100, (%rsp)
  popfq
  xorl %eax, %eax
end_call:
  movq UK_STACK, %rsp
  cld
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  ret

// ── exceptions ──────────────────────────────────────────────────────────────────────────────────────────────────────

.set vector, 0
.balign 16
traps:
.rept 32
  .balign 16
  .if vector == 1
    jmp step
  .else
    .if !(vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21)
      pushq $0                  // the processor pushes an error code for the others
    .endif
    pushq $vector
    jmp trap
  .endif
  .set vector, vector + 1
.endr

// After each instruction of a kernel: marks the next one.
step:
  pushq %rax
  pushq %rcx
  movq 16(%rsp), %rax
  subq $UK_CODE, %rax
  cmpq $UK_CODE_BYTES, %rax
  jae 1f
  movq UK_DATA + UK_RAN, %rcx
  btsq %rax, (%rcx)
1:
  popq %rcx
  popq %rax
  iretq

// Notes vector, error code, instruction and address; the call of the kernel returns 1.
trap:
  popq UK_DATA + UK_TRAP
  popq UK_DATA + UK_TRAP + 8
  popq UK_DATA + UK_TRAP + 16
  movq %cr2, %rax
  movq %rax, UK_DATA + UK_TRAP + 24
  movl $1, %eax
  jmp end_call

// ── tables ──────────────────────────────────────────────────────────────────────────────────────────────────────────

.balign 16
idt:
.set vector, 0
.rept 32
  .word traps - rom + 16 * vector, 0x18, 0x8e01, UK_ROM >> 16   // an interrupt gate on the second stack
  .long 0, 0
  .set vector, vector + 1
.endr
idt_pointer:
  .word 32 * 16 - 1
  .quad UK_ROM + (idt - rom)

.balign 16
task:                           // 104 bytes; of them only the first interrupt stack counts
  .fill 36, 1, 0
  .quad UK_TRAP_STACK
  .fill 60, 1, 0

.balign 16
gdt:
  .quad 0
  .quad 0x00cf9b000000ffff      // 0x08: 32-bit code
  .quad 0x00cf93000000ffff      // 0x10: data
  .quad 0x00af9b000000ffff      // 0x18: 64-bit code
  .word 103, task - rom, 0x8900 | UK_ROM >> 16, 0, 0, 0, 0, 0   // 0x20: the task
gdt_pointer:
  .word . - gdt - 1
  .long UK_ROM + (gdt - rom)

// ── the reset vector ────────────────────────────────────────────────────────────────────────────────────────────────

.org 0xfff0
.code16
  ljmp $UK_ROM >> 4, $0
.org 0x10000
.section .note.GNU-stack, "", @progbits
