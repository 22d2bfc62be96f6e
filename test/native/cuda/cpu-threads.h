/* Generated CUDA C on a CPU, by g++: the threads of a group have stacks of their own, and take turns where they meet. Memory of a group is filled
   before each group, and copies in the background come as late as they may, so that a barrier or a wait left out is seen in the results.

   Instructions on tensor cores and their loads are as the PTX ISA lays out their operands ("Warp Level Matrix Instructions": mma.m16n8k16,
   mma.m16n8k32, ldmatrix; "Asynchronous Warpgroup Level Matrix Instructions": wgmma, matrix descriptors with the swizzle of 128 bytes), and so
   are boxes (cp.async.bulk.tensor) and the barriers at which they arrive (mbarrier). */

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <setjmp.h>
#include <ucontext.h>
#include <utility>
#include <vector>

struct uk_place { int x, y, z; };
template <class T> struct alignas(2 * sizeof(T)) uk_two { T x, y; };
using double2 = uk_two<double>;
using float2 = uk_two<float>;
using longlong2 = uk_two<long long>;
using int2 = uk_two<int>;
using short2 = uk_two<short>;
using ushort2 = uk_two<unsigned short>;
using char2 = uk_two<signed char>;
using uchar2 = uk_two<unsigned char>;
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
static uk_place blockIdx, threadIdx, blockDim, gridDim;

/* Groups of a cluster run beside each other, and reach the memory of each other. A group has threads from a multiple of `uk_stride` on. */
static const int uk_most_groups = 8;
alignas(1024) static unsigned char uk_memories[uk_most_groups][227 * 1024];
static int uk_rank, uk_stride;
#define uk_group uk_memories[uk_rank]

/* First reason for which a GPU would have refused the kernel or never ended it; null: none. With one no thread has another turn. */
static const char *uk_refused;
static void uk_refuse(const char *why) { uk_refused = uk_refused ? uk_refused : why; }

// ── threads that take turns ──────────────────────────────────────────────────────────────────────────────────────────

static const int uk_most_threads = 4096, uk_stack_bytes = 1 << 18;
/* A thread begins with a stack of its own (ucontext); from then on jumps lead there and back, which ask nothing of the system. */
static ucontext_t uk_threads[uk_most_threads];
static jmp_buf uk_turns, uk_places[uk_most_threads];
/* The thread, threads of a group, which of all have begun and ended, and how many of each group have not. */
static int uk_thread, uk_count, uk_has_begun[uk_most_threads], uk_is_done[uk_most_threads], uk_running[uk_most_groups];

/* Compilers take jumps for calls that neither read nor change what is in memory, but other threads do both. */
static void uk_is_in_memory() { __asm__ __volatile__("" ::: "memory"); }

[[noreturn]] static void uk_jump(jmp_buf &to) {
  uk_is_in_memory();
  _longjmp(to, 1);
}

static void uk_yield() {
  if (!_setjmp(uk_places[uk_thread])) uk_jump(uk_turns);
  uk_is_in_memory();
}

/* How often threads met, ended, or saw a phase end. Where all wait and this stays the same, they wait for ever. */
static unsigned uk_progress;

/* A thread's turns in a row in which it waited and nothing went on. */
struct uk_vain {
  unsigned turns = 0, seen = uk_progress;
  bool is_for_ever() {
    if (seen != uk_progress) seen = uk_progress, turns = 0;
    return ++turns > 10;
  }
};

/* Threads that meet: those of each group, those of each warp, and those of the cluster that have not ended. */
struct uk_meeting { int arrived, times; };
static uk_meeting uk_all_meet[uk_most_groups], uk_warp_meets[uk_most_threads / 32], uk_cluster_meets;

static void uk_meet(uk_meeting &at, int count) {
  const int before = at.times;
  if (++at.arrived == count) at.arrived = 0, at.times++, uk_progress++;
  for (uk_vain vain; at.times == before; uk_yield())
    if (vain.is_for_ever()) uk_refuse("threads wait for some that never come");
}

static void __syncthreads() { uk_meet(uk_all_meet[uk_rank], uk_count); }
static void uk_meet_cluster() {
  const int before = uk_cluster_meets.times;
  uk_vain vain;
  for (uk_cluster_meets.arrived++; uk_cluster_meets.times == before; uk_yield()) {
    int all = 0;
    for (int running : uk_running) all += running;
    if (uk_cluster_meets.arrived == all) return uk_cluster_meets.arrived = 0, uk_cluster_meets.times++, uk_progress++, (void)0;
    if (vain.is_for_ever()) uk_refuse("groups wait for some that never come");
  }
}
static void uk_warp_meet() {
  const int rest = uk_count - (uk_thread - uk_rank * uk_stride) / 32 * 32;
  uk_meet(uk_warp_meets[uk_thread / 32], rest < 32 ? rest : 32);
}

template <class... A, size_t... I> static void uk_call(void (*f)(A...), void **p, std::index_sequence<I...>) { f(*(A *)p[I]...); }
template <class... A> constexpr int uk_parameters(void (*)(A...)) { return sizeof...(A); }
template <class... A> static const int *uk_sizes(void (*)(A...)) {
  static const int sizes[] = {(int)sizeof(A)...};
  return sizes;
}
static void uk_forget_ahead();

template <class... A> struct uk_launch {
  static void (*f)(A...);
  static void **p;
  static void run() {
    uk_call(f, p, std::index_sequence_for<A...>{});
    uk_is_done[uk_thread] = 1, uk_progress++;
    uk_jump(uk_turns);
  }
};
template <class... A> void (*uk_launch<A...>::f)(A...);
template <class... A> void **uk_launch<A...>::p;

static void uk_begin(int thread, void (*run)()) {
  static char *stacks[uk_most_threads];
  if (!stacks[thread]) stacks[thread] = (char *)malloc(uk_stack_bytes);
  ucontext_t &own = uk_threads[thread];
  getcontext(&own);
  own.uc_stack.ss_sp = stacks[thread];
  own.uc_stack.ss_size = uk_stack_bytes;
  own.uc_link = nullptr;
  makecontext(&own, run, 0);
  uk_has_begun[thread] = uk_is_done[thread] = 0;
}

/* One turn of a thread of a group of the cluster. */
static void uk_turn(unsigned group, int at, const unsigned *g, const unsigned *b) {
  uk_thread = uk_rank * uk_stride + at;
  if (uk_is_done[uk_thread]) return;
  blockIdx = {(int)(group % g[0]), (int)(group / g[0] % g[1]), (int)(group / g[0] / g[1])};
  threadIdx = {(int)(at % b[0]), (int)(at / b[0] % b[1]), (int)(at / b[0] / b[1])};
  if (!_setjmp(uk_turns)) {
    if (uk_has_begun[uk_thread]) uk_jump(uk_places[uk_thread]);
    uk_has_begun[uk_thread] = 1;
    setcontext(&uk_threads[uk_thread]);
  }
  uk_is_in_memory();
  uk_running[uk_rank] -= uk_is_done[uk_thread];
}

/* Runs a kernel: grid, group, pointers to its arguments, groups of a cluster. The last thread of the last group goes first. */
template <class... A> static void uk_all(void (*f)(A...), const unsigned *g, const unsigned *b, void **p, int cluster) {
  uk_launch<A...>::f = f, uk_launch<A...>::p = p;
  uk_count = b[0] * b[1] * b[2], uk_stride = (uk_count + 31) / 32 * 32;
  blockDim = {(int)b[0], (int)b[1], (int)b[2]}, gridDim = {(int)g[0], (int)g[1], (int)g[2]};
  if (g[0] % cluster || cluster > uk_most_groups || cluster * uk_stride > uk_most_threads) return uk_refuse("groups are no whole clusters");
  for (unsigned first = 0; first < g[0] * g[1] * g[2]; first += cluster) {
    uk_forget_ahead();
    uk_cluster_meets = {};
    for (uk_meeting &each : uk_all_meet) each = {};
    for (uk_meeting &each : uk_warp_meets) each = {};
    for (uk_rank = 0; uk_rank < cluster; uk_rank++) {
      memset(uk_group, 0xff, sizeof uk_group);
      uk_running[uk_rank] = uk_count;
      for (int at = 0; at < uk_count; at++) uk_begin(uk_rank * uk_stride + at, uk_launch<A...>::run);
    }
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (uk_rank = cluster - 1; uk_rank >= 0; uk_rank--) {
        for (int at = uk_count - 1; at >= 0; at--) {
          uk_turn(first + uk_rank, at, g, b);
          if (uk_refused) return;
        }
        goes_on |= uk_running[uk_rank] > 0;
      }
    }
  }
}

// ── what the text calls ──────────────────────────────────────────────────────────────────────────────────────────────

template <class To, class From> static To uk_bits(From x) {
  To y;
  memcpy(&y, &x, sizeof y);
  return y;
}
static float __int_as_float(int x) { return uk_bits<float>(x); }
static float __uint_as_float(unsigned x) { return uk_bits<float>(x); }
static int __float_as_int(float x) { return uk_bits<int>(x); }
static double __longlong_as_double(long long x) { return uk_bits<double>(x); }
static long long __double_as_longlong(double x) { return uk_bits<long long>(x); }

/* What threads of a warp hand each other. */
static unsigned uk_handed[uk_most_threads];
template <class T> static T __shfl_xor_sync(unsigned threads, T own, int mask) {
  if (uk_count < 32 && threads != (1u << uk_count) - 1) abort();
  uk_handed[uk_thread] = uk_bits<unsigned>(own);
  uk_warp_meet();
  const T other = uk_bits<T>(uk_handed[uk_thread ^ mask]);
  uk_warp_meet();
  return other;
}

/* Conversions to integers saturate. Of NaN they make 0 where neither type has 64 bits, else the least number. */
template <class T> static T uk_whole(double x, double least, double beyond, T most) {
  return x != x || x < least ? (T)least : x >= beyond ? most : (T)x;
}
static int __double2int_rz(double x) { return uk_whole<int>(x, -0x1p31, 0x1p31, 0x7fffffff); }
static int __float2int_rz(float x) { return x != x ? 0 : __double2int_rz(x); }
static long long __double2ll_rz(double x) { return uk_whole<long long>(x, -0x1p63, 0x1p63, 0x7fffffffffffffffll); }
static long long __float2ll_rz(float x) { return __double2ll_rz(x); }

static float uk_f16_to_f32(unsigned short x) { return (float)uk_bits<_Float16>(x); }
static unsigned short uk_f32_to_f16(float x) { return uk_bits<unsigned short>((_Float16)x); }
static float uk_of_bf16(unsigned short x) { return __uint_as_float((unsigned)x << 16); }
static unsigned short uk_f32_to_bf16(float x) {
  const unsigned y = uk_bits<unsigned>(x);
  return x != x ? 0x7fff : (y + 0x7fff + (y >> 16 & 1)) >> 16;
}

// ── copies in the background ─────────────────────────────────────────────────────────────────────────────────────────

struct uk_copy { unsigned to; const void *from; };
static std::vector<std::vector<uk_copy>> uk_committed[uk_most_threads];
static std::vector<uk_copy> uk_begun[uk_most_threads];

static size_t __cvta_generic_to_shared(const void *p) { return (const unsigned char *)p - uk_group; }
static void uk_copy16(unsigned to, const void *from) { uk_begun[uk_thread].push_back({to, from}); }

/* Waits until no more groups of copies than `pending` are on their way. */
static void uk_wait(size_t pending) {
  auto &groups = uk_committed[uk_thread];
  while (groups.size() > pending) {
    for (const uk_copy &copy : groups.front()) memcpy(uk_group + copy.to, copy.from, 16);
    groups.erase(groups.begin());
  }
}

static void uk_wait_products(size_t pending);
static void uk_commit_products();

static void uk_instruction(const char *text) {
  size_t pending;
  if (strstr(text, "fence")) return;
  if (strstr(text, "wgmma.commit_group")) uk_commit_products();
  else if (const char *wait = strstr(text, "wgmma.wait_group.sync.aligned")) {
    if (sscanf(wait, "wgmma.wait_group.sync.aligned %zu", &pending) == 1) uk_wait_products(pending);
  } else if (strstr(text, "cp.async.commit_group")) {
    uk_committed[uk_thread].push_back(std::move(uk_begun[uk_thread]));
    uk_begun[uk_thread].clear();
  } else if (const char *wait = strstr(text, "cp.async.wait_group")) {
    if (sscanf(wait, "cp.async.wait_group %zu", &pending) == 1) uk_wait(pending);
  } else {
    fprintf(stderr, "an instruction that is not for the CPU: %s\n", text);
    abort();
  }
}

// ── boxes ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/* Map of an array, as the driver for tests encodes it. */
struct uk_mapped { const unsigned char *array; unsigned long long bytes, columns, rows, box[2]; };
/* A map as the argument of a kernel, which has 128 bytes. */
struct alignas(64) uk_argument : uk_mapped { unsigned char rest[128 - sizeof(uk_mapped)]; };
struct uk_box_copy { unsigned to; uk_mapped map; int column, row, rank; };
/* A barrier: its phase, the arrivals of each phase, arrivals and bytes that it waits for, and the boxes that are on their way. */
struct uk_slot { unsigned phase, all, arrivals; long bytes; std::vector<uk_box_copy> boxes; };
static std::map<unsigned, uk_slot> uk_slots;

/* Addresses in the memory of a group of the cluster: below 2^24 it is the thread's own. */
static unsigned uk_address_at(unsigned address, int rank) { return (rank + 1) << 24 | (address & 0xffffff); }
static unsigned uk_address(unsigned address) { return address >> 24 ? address : uk_address_at(address, uk_rank); }

static void uk_begin_slot(unsigned slot, unsigned arrivals) { uk_slots[uk_address(slot)] = {0, arrivals, arrivals, 0, {}}; }

/* The barrier, of a group that is still there. */
static uk_slot *uk_slot_at(unsigned slot) {
  const auto found = uk_slots.find(uk_address(slot));
  if (found == uk_slots.end()) return uk_refuse("a barrier that nobody has begun"), nullptr;
  if (uk_running[(found->first >> 24) - 1] == 0) return uk_refuse("the memory of a group that has ended"), nullptr;
  return &found->second;
}

/* Where a piece of 16 bytes lies: its place in 128 bytes is swapped by the number of the line, of eight. */
static unsigned uk_swapped(unsigned at) { return at ^ (at >> 3 & 112); }

/* Elements outside of the array are zeros. */
static void uk_arrive(uk_slot &slot, const uk_box_copy &copy) {
  const auto &[to, map, column, row, rank] = copy;
  for (unsigned y = 0; y < map.box[1]; y++)
    for (unsigned x = 0; x < map.box[0]; x++) {
      const unsigned long long from = column + x, line = row + y;
      unsigned char *element = uk_memories[rank] + uk_swapped(to + (y * map.box[0] + x) * map.bytes);
      if (from < map.columns && line < map.rows) memcpy(element, map.array + (line * map.columns + from) * map.bytes, map.bytes);
      else memset(element, 0, map.bytes);
    }
  slot.bytes -= map.bytes * map.box[0] * map.box[1];
}

/* Bytes that were said and that nobody has asked for yet: groups of a cluster ask for parts of a box. */
static long uk_missing(const uk_slot &slot) {
  long bytes = slot.bytes;
  for (const uk_box_copy &copy : slot.boxes) bytes -= copy.map.bytes * copy.map.box[0] * copy.map.box[1];
  return bytes;
}

static void uk_expect(unsigned slot, unsigned bytes) {
  if (uk_slot *at = uk_slot_at(slot)) at->bytes += bytes;
}

/* Every other barrier has its boxes at once: what still reads the slot is found out. The others get them when they are waited for. */
static void uk_begin_box_at(int rank, unsigned to, const void *map, int column, int row, unsigned slot) {
  uk_box_copy copy{to, {}, column, row, rank};
  memcpy(&copy.map, map, sizeof copy.map);
  if (to % 1024 || copy.map.box[0] * copy.map.bytes != 128) return uk_refuse("a box that TMA refuses");
  uk_slot *at = uk_slot_at(uk_address_at(slot, rank));
  if (!at) return;
  if (slot / 8 % 2) uk_arrive(*at, copy);
  else at->boxes.push_back(copy);
}
static void uk_begin_box(unsigned to, const void *map, int column, int row, unsigned slot) {
  uk_begin_box_at(uk_rank, to, map, column, row, slot);
}
/* A box for each group of the cluster whose bit is set, at the same place of its memory. */
static void uk_begin_shared_box(unsigned to, const void *map, int column, int row, unsigned slot, unsigned groups) {
  for (int rank = 0; rank < uk_most_groups; rank++)
    if (groups >> rank & 1) uk_begin_box_at(rank, to, map, column, row, slot);
}

static void uk_box(unsigned to, const void *map, int column, int row, unsigned slot, unsigned bytes) {
  uk_expect(slot, bytes);
  uk_begin_box(to, map, column, row, slot);
}
static void uk_shared_box(unsigned to, const void *map, int column, int row, unsigned slot, unsigned bytes, unsigned groups) {
  uk_expect(slot, bytes);
  uk_begin_shared_box(to, map, column, row, slot, groups);
}

static void uk_arrive(unsigned slot) {
  uk_slot *at = uk_slot_at(slot);
  if (at && at->arrivals == 0) uk_refuse("a barrier has more arrivals than it waits for");
  else if (at) at->arrivals--;
}
static void uk_arrive_at(unsigned slot, unsigned rank) { uk_arrive(uk_address_at(slot, rank)); }
static void uk_publish_slots() {}

/* Turns in a row in which a thread has waited in vain. */
static uk_vain uk_vain_turns[uk_most_threads];

/* Says whether a phase is over. The first answer is no, and the other threads get a turn, so that who does not ask again is found out. */
static bool uk_is_over(unsigned slot, unsigned parity) {
  uk_slot *found = uk_slot_at(slot);
  if (!found) return true;
  uk_slot &at = *found;
  uk_vain &vain = uk_vain_turns[uk_thread];
  const bool is_met = at.phase % 2 == parity && at.arrivals == 0, has_asked = vain.turns > 0;
  if (has_asked && is_met && uk_missing(at) == 0) {
    for (const uk_box_copy &copy : at.boxes) uk_arrive(at, copy);
    at = {at.phase + 1, at.all, at.all, 0, {}};
  }
  if (has_asked && at.phase % 2 != parity) {
    vain = {}, uk_progress++;
    return true;
  }
  if (vain.is_for_ever())
    uk_refuse(is_met ? "a batch of boxes has other bytes than were said" : "a barrier that never ends is waited for");
  uk_yield();
  return false;
}

static void uk_await(unsigned slot, unsigned parity) {
  while (!uk_is_over(slot, parity));
}
static void uk_await_cluster(unsigned slot, unsigned parity) { uk_await(slot, parity); }

// ── tensor cores ─────────────────────────────────────────────────────────────────────────────────────────────────────

/* What lanes of each warp bring to an instruction of all of them. */
struct uk_brought { unsigned at, a[4], b[2]; };
static uk_brought uk_lanes[uk_most_threads];

static const uk_brought *uk_bring(const uk_brought &own) {
  uk_lanes[uk_thread] = own;
  uk_warp_meet();
  return &uk_lanes[uk_thread & ~31];
}

static unsigned uk_element(const uk_brought *warp, int matrix, int row, int column) {
  unsigned short x;
  memcpy(&x, uk_group + warp[8 * matrix + row].at + 2 * column, 2);
  return x;
}

template <bool across> static void uk_load(unsigned (&r)[4], unsigned at) {
  const uk_brought *warp = uk_bring({at});
  const int row = uk_thread % 32 / 4, column = uk_thread % 4 * 2;
  for (int m = 0; m < 4; m++)
    r[m] = across ? uk_element(warp, m, column, row) | uk_element(warp, m, column + 1, row) << 16
                  : uk_element(warp, m, row, column) | uk_element(warp, m, row, column + 1) << 16;
  uk_warp_meet();
}
static void uk_load_rows(unsigned (&r)[4], unsigned at) { uk_load<false>(r, at); }
static void uk_load_columns(unsigned (&r)[4], unsigned at) { uk_load<true>(r, at); }

/* Half `high` of a register. */
static unsigned short uk_half(unsigned x, int high) { return high ? x >> 16 : x; }

/* Sums of a lane, as both instructions have them: c0 and c1 in its row, c2 and c3 eight rows below. */
template <class Sum, class Gain> static void uk_mma(Sum *c, const unsigned (&a)[4], unsigned b0, unsigned b1, Gain gain) {
  const uk_brought *warp = uk_bring({0, {a[0], a[1], a[2], a[3]}, {b0, b1}});
  const int row = uk_thread % 32 / 4, column = uk_thread % 4 * 2;
  for (int e = 0; e < 4; e++) gain(c[e], warp + 4 * row, warp + 4 * (column + e % 2), e / 2);
  uk_warp_meet();
}

/* m16n8k16: a row of A lies in two words of four lanes, and so does a column of B. */
template <float (*number)(unsigned short)> static void uk_mma_halves(float *c, const unsigned (&a)[4], unsigned b0, unsigned b1) {
  uk_mma(c, a, b0, b1, [](float &sum, const uk_brought *left, const uk_brought *right, int below) {
    for (int k = 0; k < 16; k++) {
      const int lane = k % 8 / 2;
      sum += number(uk_half(left[lane].a[below + 2 * (k / 8)], k % 2)) * number(uk_half(right[lane].b[k / 8], k % 2));
    }
  });
}
static void uk_mma_f16(float *c, const unsigned (&a)[4], unsigned b0, unsigned b1) { uk_mma_halves<uk_f16_to_f32>(c, a, b0, b1); }
static void uk_mma_bf16(float *c, const unsigned (&a)[4], unsigned b0, unsigned b1) { uk_mma_halves<uk_of_bf16>(c, a, b0, b1); }

/* Byte `at` of a register, as a number of a type. */
template <class T> static int uk_byte(unsigned x, int at) { return (T)(x >> 8 * at); }

/* m16n8k32: the same with four bytes in a word. */
template <class L, class R> static void uk_mma_bytes(int *c, const unsigned (&a)[4], unsigned b0, unsigned b1) {
  uk_mma(c, a, b0, b1, [](int &sum, const uk_brought *left, const uk_brought *right, int below) {
    for (int k = 0; k < 32; k++) {
      const int lane = k % 16 / 4;
      sum += uk_byte<L>(left[lane].a[below + 2 * (k / 16)], k % 4) * uk_byte<R>(right[lane].b[k / 16], k % 4);
    }
  });
}
static void uk_mma_s8(int *c, const unsigned (&a)[4], unsigned b0, unsigned b1) { uk_mma_bytes<signed char, signed char>(c, a, b0, b1); }
static void uk_mma_u8(int *c, const unsigned (&a)[4], unsigned b0, unsigned b1) { uk_mma_bytes<unsigned char, unsigned char>(c, a, b0, b1); }
static void uk_mma_u8_s8(int *c, const unsigned (&a)[4], unsigned b0, unsigned b1) { uk_mma_bytes<unsigned char, signed char>(c, a, b0, b1); }
static void uk_mma_s8_u8(int *c, const unsigned (&a)[4], unsigned b0, unsigned b1) { uk_mma_bytes<signed char, unsigned char>(c, a, b0, b1); }

// ── tensor cores of four warps ──────────────────────────────────────────────────────────────────────────────────────

/* Products go on until they are waited for. */
static std::vector<std::vector<std::function<void()>>> uk_committed_products[uk_most_threads];
static std::vector<std::function<void()>> uk_begun_products[uk_most_threads];

static void uk_commit_products() {
  uk_committed_products[uk_thread].push_back(std::move(uk_begun_products[uk_thread]));
  uk_begun_products[uk_thread].clear();
}

static void uk_wait_products(size_t pending) {
  auto &groups = uk_committed_products[uk_thread];
  while (groups.size() > pending) {
    for (const auto &product : groups.front()) product();
    groups.erase(groups.begin());
  }
}

/* Operand in panels, whose pieces of 16 bytes are swapped. Lines of a panel have 128 bytes, and eight of them are `stride` bytes. */
struct uk_descriptor {
  unsigned start, leading, stride;
  uk_descriptor(unsigned long long d) : start((d & 0x3fff) << 4), leading((d >> 16 & 0x3fff) << 4), stride((d >> 32 & 0x3fff) << 4) {
    if (d >> 62 != 1) uk_refuse("an operand of another swizzle");
  }
  /* Element `at` of a line; of several panels side by side where lines run across the depth. */
  template <class T> T element(unsigned line, unsigned at) const {
    const unsigned byte = at * sizeof(T);
    T x;
    memcpy(&x, uk_group + uk_swapped(start + byte / 128 * leading + line / 8 * stride + line % 8 * 128 + byte % 128), sizeof x);
    return x;
  }
};

/* A lane has of its tile of sums: row 16w + l/4 + 8(e/2 % 2), column 8(e/4) + 2(l % 4) + e%2. */
template <class L, class R, class Sum, size_t count, class Gain>
static void uk_products(const std::array<Sum *, count> &sums, unsigned long long a, unsigned long long b, int depth, bool along, Gain gain) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
  uk_begun_products[uk_thread].push_back([=] {
    const uk_descriptor left(a), right(b);
    for (int e = 0; e < (int)count; e++) {
      const int row = 16 * warp + lane / 4 + e / 2 % 2 * 8, column = e / 4 * 8 + lane % 4 * 2 + e % 2;
      for (int k = 0; k < depth; k++)
        gain(*sums[e], left.element<L>(row, k), along ? right.element<R>(column, k) : right.element<R>(k, column));
    }
  });
}

template <float (*number)(unsigned short), size_t count>
static void uk_products_halves(const std::array<float *, count> &sums, unsigned long long a, unsigned long long b) {
  uk_products<unsigned short, unsigned short>(sums, a, b, 16, false,
    [](float &sum, unsigned short x, unsigned short y) { sum += number(x) * number(y); });
}
template <class L, class R, size_t count>
static void uk_products_bytes(const std::array<int *, count> &sums, unsigned long long a, unsigned long long b) {
  uk_products<L, R>(sums, a, b, 32, true, [](int &sum, L x, R y) { sum += x * y; });
}

template <class Sum, size_t count> static std::array<Sum *, count> uk_each(Sum (&c)[count]) {
  std::array<Sum *, count> sums;
  for (size_t e = 0; e < count; e++) sums[e] = c + e;
  return sums;
}

#define uk_of_columns(n) \
  static void uk_products_f16_##n(float (&c)[n / 2], unsigned long long a, unsigned long long b) { uk_products_halves<uk_f16_to_f32>(uk_each(c), a, b); } \
  static void uk_products_bf16_##n(float (&c)[n / 2], unsigned long long a, unsigned long long b) { uk_products_halves<uk_of_bf16>(uk_each(c), a, b); } \
  static void uk_products_s8_##n(int (&c)[n / 2], unsigned long long a, unsigned long long b) { uk_products_bytes<signed char, signed char>(uk_each(c), a, b); } \
  static void uk_products_u8_##n(int (&c)[n / 2], unsigned long long a, unsigned long long b) { uk_products_bytes<unsigned char, unsigned char>(uk_each(c), a, b); } \
  static void uk_products_u8_s8_##n(int (&c)[n / 2], unsigned long long a, unsigned long long b) { uk_products_bytes<unsigned char, signed char>(uk_each(c), a, b); } \
  static void uk_products_s8_u8_##n(int (&c)[n / 2], unsigned long long a, unsigned long long b) { uk_products_bytes<signed char, unsigned char>(uk_each(c), a, b); }
uk_of_columns(64) uk_of_columns(128) uk_of_columns(192) uk_of_columns(256)

/* Drops the copies and products that the last group has begun and not waited for. */
static void uk_forget_ahead() {
  uk_slots.clear();
  for (int at = 0; at < uk_most_threads; at++) {
    uk_vain_turns[at] = {};
    uk_committed[at].clear(), uk_begun[at].clear();
    uk_committed_products[at].clear(), uk_begun_products[at].clear();
  }
}

// ── words of CUDA ────────────────────────────────────────────────────────────────────────────────────────────────────

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(n)
#define __cluster_dims__(x, y, z)
#define __grid_constant__
#define __shared__
#define __align__(n) __attribute__((aligned(n)))
#define asm
#define volatile(...) uk_instruction(#__VA_ARGS__)
