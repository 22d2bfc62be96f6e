/* NVIDIA's compiler as a library, for tests: its PTX has the entries of the text, nothing in them, and the path of a library in which g++
   has compiled the text for the CPU, a loop over all groups and threads around each function. The driver for tests runs that. The threads of
   a group have stacks of their own, and take turns at barriers. Texts with instructions of a GPU do not compile so. FOLDER, of the command that compiles this, is for the libraries, and gets a line a
   compilation in "log". */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program { char *source, *ptx, *log; };

int nvrtcVersion(int *major, int *minor) {
  *major = 13;
  *minor = 0;
  return 0;
}

int nvrtcCreateProgram(struct program **program, const char *source, const char *name, int count, void *headers, void *names) {
  (void)name, (void)headers, (void)names;
  *program = calloc(1, sizeof **program);
  (*program)->source = strdup(source);
  (*program)->log = strdup("");
  return count;
}

static const char *before =
  "#include <cmath>\n#include <cstdlib>\n#include <cstring>\n#include <ucontext.h>\n#include <utility>\n"
  "struct uk_place { int x, y, z; };\n"
  "struct uint2 { unsigned x, y; };\nstruct uint4 { unsigned x, y, z, w; };\n"
  "static thread_local uk_place blockIdx, threadIdx;\n"
  "#define __global__\n#define __device__\n#define __forceinline__ inline\n#define __launch_bounds__(n)\n"
  "#define __shared__\n#define __align__(n) __attribute__((aligned(n)))\n"
  "extern \"C\" { alignas(1024) unsigned char uk_group[227 * 1024]; }\n"
  "static ucontext_t uk_turns, uk_threads[1024];\n"
  "static int uk_thread, uk_is_done[1024];\n"
  "static void __syncthreads() { swapcontext(&uk_threads[uk_thread], &uk_turns); }\n"
  "template <class To, class From> static To uk_bits(From x) { To y; memcpy(&y, &x, sizeof y); return y; }\n"
  "static float __int_as_float(int x) { return uk_bits<float>(x); }\n"
  "static float __uint_as_float(unsigned x) { return uk_bits<float>(x); }\n"
  "static int __float_as_int(float x) { return uk_bits<int>(x); }\n"
  "static double __longlong_as_double(long long x) { return uk_bits<double>(x); }\n"
  "static long long __double_as_longlong(double x) { return uk_bits<long long>(x); }\n"
  "static unsigned short uk_f32_to_bf16(float x) { unsigned y = uk_bits<unsigned>(x); return (y + 0x7fff + (y >> 16 & 1)) >> 16; }\n"
  "template <class... A, size_t... I> static void uk_call(void (*f)(A...), void **p, std::index_sequence<I...>) { f(*(A *)p[I]...); }\n"
  "template <class... A> constexpr int uk_count(void (*)(A...)) { return sizeof...(A); }\n"
  "template <class... A> struct uk_launch {\n"
  "  static void (*f)(A...);\n"
  "  static void **p;\n"
  "  static void run() { uk_call(f, p, std::index_sequence_for<A...>{}); uk_is_done[uk_thread] = 1; }\n"
  "};\n"
  "template <class... A> void (*uk_launch<A...>::f)(A...);\n"
  "template <class... A> void **uk_launch<A...>::p;\n"
  /* One round brings each thread of the group to its next barrier. */
  "template <class... A> static void uk_group_of(const unsigned *b) {\n"
  "  static char *stacks[1024];\n"
  "  const int count = b[0] * b[1] * b[2];\n"
  "  for (int left = count, round = 0; left > 0; round++)\n"
  "    for (int at = 0; at < count; at++) {\n"
  "      if (round > 0 && uk_is_done[at]) continue;\n"
  "      if (round == 0) {\n"
  "        if (!stacks[at]) stacks[at] = (char *)malloc(1 << 18);\n"
  "        getcontext(&uk_threads[at]);\n"
  "        uk_threads[at].uc_stack.ss_sp = stacks[at];\n"
  "        uk_threads[at].uc_stack.ss_size = 1 << 18;\n"
  "        uk_threads[at].uc_link = &uk_turns;\n"
  "        makecontext(&uk_threads[at], uk_launch<A...>::run, 0);\n"
  "        uk_is_done[at] = 0;\n"
  "      }\n"
  "      uk_thread = at;\n"
  "      threadIdx = {(int)(at % b[0]), (int)(at / b[0] % b[1]), (int)(at / b[0] / b[1])};\n"
  "      swapcontext(&uk_turns, &uk_threads[at]);\n"
  "      left -= uk_is_done[at];\n"
  "    }\n"
  "}\n"
  "template <class... A> static void uk_all(void (*f)(A...), const unsigned *g, const unsigned *b, void **p) {\n"
  "  uk_launch<A...>::f = f, uk_launch<A...>::p = p;\n"
  "  for (unsigned group = 0; group < g[0] * g[1] * g[2]; group++) {\n"
  "    blockIdx = {(int)(group % g[0]), (int)(group / g[0] % g[1]), (int)(group / g[0] / g[1])};\n"
  "    memset(uk_group, 0xa5, sizeof uk_group);\n"
  "    uk_group_of<A...>(b);\n"
  "  }\n"
  "}\n";

static void append(const char *path, const char *line) {
  FILE *file = fopen(path, "a");
  if (!file) return;
  fprintf(file, "%s\n", line);
  fclose(file);
}

/* A name of the text's own, so that each candidate has its library. */
static unsigned long digest_of(const char *text) {
  unsigned long digest = 5381;
  while (*text) digest = digest * 33 + (unsigned char)*text++;
  return digest;
}

/* Calls `act` with each entry of a text. */
static void each_entry(const char *text, void (*act)(void *, int, const char *), void *with) {
  while ((text = strstr(text, "__launch_bounds__("))) {
    text = strchr(text, ')') + 1;
    while (isspace((unsigned char)*text)) text++;
    act(with, (int)strcspn(text, "("), text);
  }
}

/* The text, but for helpers that are an instruction of the GPU and that stand in `before`, for the CPU. */
static void print_for_cpu(const char *text, FILE *file) {
  const char *own = strstr(text, "__device__ __forceinline__ unsigned short uk_f32_to_bf16(");
  fwrite(text, 1, own ? (size_t)(own - text) : strlen(text), file);
  if (own) fputs(strchr(own, '\n'), file);
}

static void print_launcher(void *file, int length, const char *name) {
  fprintf(file, "extern \"C\" const int count_%.*s = uk_count(%.*s);\n", length, name, length, name);
  fprintf(file, "extern \"C\" void launch_%.*s(const unsigned *g, const unsigned *b, void **p) { uk_all(%.*s, g, b, p); }\n", length, name,
    length, name);
}

static void print_entry(void *end, int length, const char *name) {
  *(char **)end += sprintf(*(char **)end, "\t// .globl\t%.*s\n.visible .entry %.*s(\n)\n{\n\tret;\n}\n", length, name, length, name);
}

/* Returns the exit status of g++. */
static int compile_for_cpu(const char *text, const char *library) {
  char source[sizeof FOLDER + 40], command[6 * sizeof source];
  snprintf(source, sizeof source, "%s.cpp", library);
  FILE *file = fopen(source, "w");
  if (!file) return 1;
  fputs(before, file);
  print_for_cpu(text, file);
  each_entry(text, print_launcher, file);
  fclose(file);
  snprintf(command, sizeof command, "g++ -std=c++17 -w -O2 -fno-strict-aliasing -shared -fPIC -o %s.tmp %s 2> %s.txt && mv %s.tmp %s", library, source, library,
    library, library);
  return system(command);
}

int nvrtcCompileProgram(struct program *program, int count, const char **options) {
  const char *architecture = NULL;
  for (int at = 0; at < count; at++)
    if (!strncmp(options[at], "--gpu-architecture=", 19)) architecture = options[at] + 19;
  if (!architecture) return 5;
  append(FOLDER "/log", architecture);
  char path[sizeof FOLDER + 30];
  snprintf(path, sizeof path, FOLDER "/%lx.so", digest_of(program->source));
  if (compile_for_cpu(program->source, path)) {
    program->log = strdup("kernel.cu(1): error: this is not for the CPU");
    return 6;
  }
  program->ptx = malloc(strlen(program->source) * 2 + 3000);
  char *end = program->ptx;
  end += sprintf(end, "//\n// Generated by a compiler for tests\n//\n\n.version 9.0\n.target sm_%s\n.address_size 64\n\n",
    strchr(architecture, '_') + 1);
  end += sprintf(end, ".pragma \"library %s\";\n", path);
  each_entry(program->source, print_entry, &end);
  return 0;
}

int nvrtcGetProgramLogSize(struct program *program, size_t *size) { return *size = strlen(program->log) + 1, 0; }
int nvrtcGetProgramLog(struct program *program, char *log) { return strcpy(log, program->log), 0; }
int nvrtcGetPTXSize(struct program *program, size_t *size) { return *size = strlen(program->ptx) + 1, 0; }
int nvrtcGetPTX(struct program *program, char *ptx) { return strcpy(ptx, program->ptx), 0; }

/* Machine code is for the driver for tests, which takes PTX. */
int nvrtcGetCUBINSize(struct program *program, size_t *size) { return nvrtcGetPTXSize(program, size); }

int nvrtcGetCUBIN(struct program *program, char *cubin) {
  nvrtcGetPTX(program, cubin);
  char *version = strstr(cubin, ".version 9.0");
  memmove(cubin, version, strlen(version) + 1);
  memcpy(cubin, ".version 8.0", 12);
  return 0;
}

int nvrtcDestroyProgram(struct program **program) {
  free(*program);
  *program = NULL;
  return 0;
}
