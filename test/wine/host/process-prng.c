// bcryptprimitives.dll with the one function of it that programs in Go want (esbuild): Wine has it from version 9 on.

unsigned char __stdcall SystemFunction036(void *bytes, unsigned long count); // RtlGenRandom

__declspec(dllexport) int __stdcall ProcessPrng(void *bytes, unsigned long long count) {
  return SystemFunction036(bytes, (unsigned long)count);
}

int __stdcall DllMainCRTStartup(void *module, unsigned reason, void *reserved) {
  (void)module;
  (void)reason;
  (void)reserved;
  return 1;
}
