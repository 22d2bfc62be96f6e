// In place of a C library for an addon on Windows, so that zig need not build one (65 s): where it begins, growth of the stack, texts.
// The rest is the system's: ucrtbase.dll (windows.def) and kernel32.dll. Part of addon.c.

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

// Called when the addon is loaded and when a thread begins or ends. Nothing has to be prepared.
int __stdcall DllMainCRTStartup(void *module, unsigned reason, void *reserved) {
  (void)module;
  (void)reason;
  (void)reserved;
  return 1;
}

#ifdef __x86_64__
// Called, with the bytes in rax, by functions that need more than a page of stack: Windows adds a page when the one above it has been touched, so
// all are touched from top to bottom. Keeps all registers.
__attribute__((naked, used)) void ___chkstk_ms(void) {
  __asm__("pushq %r10\n\t"
          "pushq %r11\n\t"
          "leaq 24(%rsp), %r10\n\t"
          "movq %rax, %r11\n"
          "0:\n\t"
          "cmpq $4096, %r11\n\t"
          "jbe 1f\n\t"
          "subq $4096, %r10\n\t"
          "orb $0, (%r10)\n\t"
          "subq $4096, %r11\n\t"
          "jmp 0b\n"
          "1:\n\t"
          "subq %r11, %r10\n\t"
          "orb $0, (%r10)\n\t"
          "popq %r11\n\t"
          "popq %r10\n\t"
          "ret");
}
#else
// The same on ARM: x15 has the bytes in sixteenths. Keeps all registers but x16 and x17, which are a callee's there.
__attribute__((naked, used)) void __chkstk(void) {
  __asm__("lsl x16, x15, #4\n\t"
          "mov x17, sp\n"
          "0:\n\t"
          "cmp x16, #4096\n\t"
          "b.ls 1f\n\t"
          "sub x17, x17, #4096\n\t"
          "ldr xzr, [x17]\n\t"
          "sub x16, x16, #4096\n\t"
          "b 0b\n"
          "1:\n\t"
          "sub x17, x17, x16\n\t"
          "ldr xzr, [x17]\n\t"
          "ret");
}
#endif

// As snprintf of C99, which ucrtbase.dll has under another name.
static int uk_snprintf(char *text, size_t size, const char *format, ...) {
  va_list values;
  va_start(values, format);
  const int length = __stdio_common_vsprintf(_CRT_INTERNAL_PRINTF_STANDARD_SNPRINTF_BEHAVIOR, text, size, format, NULL, values);
  va_end(values);
  return length;
}
#define snprintf uk_snprintf
