// Addresses, and the data image, that the two halves of the guest share with the host (memory-image.ts).

#ifndef UK_GUEST
#define UK_GUEST

#define UK_ROM 0xf0000
#define UK_CODE 0x100000
#define UK_CODE_BYTES 0x700000
#define UK_DATA 0x800000

// Most bytes of code and data together.
#define UK_IMAGE_BYTES 0xe000000

// Kernels run on the first stack, traps on the second.
#define UK_STACK 0x90000
#define UK_TRAP_STACK 0x9f000

// Offsets in struct uk_data.
#define UK_PLAIN_TABLES 0
#define UK_RAN 16
#define UK_TRAP 32

#ifndef __ASSEMBLER__

// End of a kernel: it returned, or caused this exception.
struct uk_trap {
  unsigned long vector, error, rip, address;
};

#define UK_RETURNED 255

struct uk_call {
  void *const *args;
  void *workspace;
  struct uk_trap end;
};

// The data image begins with it.
struct uk_data {
  // Physical addresses of two page tables: all memory, and what kernels may touch.
  unsigned long plain_tables, guarded_tables;
  // One bit for each byte of the code: an instruction that begins there has run.
  unsigned char *ran;
  unsigned long count;
  // The exception that ended the running kernel.
  struct uk_trap trap;
  struct uk_call calls[];
};

#endif
#endif
