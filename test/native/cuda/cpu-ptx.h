/* Words of PTX that is translated to C++ (test/gpu/sweep/ptx): registers are bits, which each instruction reads as numbers of its type. */

#include <limits>
#include <type_traits>
#include "cpu-threads.h"

struct uk_bf16 {
  unsigned short bits;
  uk_bf16() = default;
  uk_bf16(long double x) : bits(uk_f32_to_bf16(x)) {}
  operator float() const { return uk_of_bf16(bits); }
};

/* Value of a type in the low bits of a register. */
template <class T, class R> static T uk_as(R bits) {
  static_assert(sizeof(T) <= sizeof(R));
  T x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* A wider register gets an integer with its sign. */
template <class R, class T> static void uk_set(R &bits, T x) {
  static_assert(sizeof(T) <= sizeof(R));
  if constexpr (std::is_integral<T>::value) bits = x;
  else bits = 0, memcpy(&bits, &x, sizeof x);
}

/* Small addresses are those of shared memory, which other instructions read and write. */
template <class T, int count> static T *uk_at(unsigned long long address) {
  if (address < sizeof uk_group) uk_refuse("an address of shared memory is used as one of all memory"), address = (unsigned long long)uk_group;
  if (address % (count * sizeof(T))) uk_refuse("an address is not a multiple of what lies there");
  return (T *)address;
}
template <class T, int count> static T *uk_at_shared(unsigned long long address) {
  if (address > sizeof uk_group - count * sizeof(T)) uk_refuse("an address is outside of shared memory"), address = 0;
  return uk_at<T, count>((unsigned long long)uk_group + address);
}

// ── integers ─────────────────────────────────────────────────────────────────────────────────────────────────────────

template <class T> constexpr unsigned uk_width = 8 * sizeof(T);

/* Results of a division by zero are machine-specific. */
template <class T> static T uk_quotient(T a, T b) { return b == 0 ? (T)-1 : std::is_signed<T>::value && b == (T)-1 ? -a : a / b; }
template <class T> static T uk_remainder(T a, T b) { return b == 0 ? a : std::is_signed<T>::value && b == (T)-1 ? 0 : a % b; }
template <class T> static T uk_high(T a, T b) { return (__int128)a * b >> uk_width<T>; }
template <class T> static T uk_left(T a, unsigned by) { return by < uk_width<T> ? a << by : 0; }
template <class T> static T uk_right(T a, unsigned by) {
  return by < uk_width<T> ? a >> by : std::is_signed<T>::value ? a >> (uk_width<T> - 1) : 0;
}

/* Places of the bits [at, at + length), both of which are bytes. */
template <class T> static T uk_field(unsigned at, unsigned length) { return uk_left<T>(~uk_left<T>(-1, length & 255), at & 255); }
template <class T> static T uk_insert(T a, T b, unsigned at, unsigned length) {
  const T field = uk_field<T>(at, length);
  return (uk_left(a, at & 255) & field) | (b & ~field);
}
/* Bits [at, at + length), which are all there; the highest is the sign of a signed type. */
template <class T> static T uk_extract(T a, unsigned at, unsigned length) {
  const unsigned above = 8 * sizeof(T) - (at & 255) - (length & 255);
  return uk_right(uk_left(a, above), above + (at & 255));
}

/* Bit 4a + 2b + c of a table. */
static unsigned uk_logic(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  for (int bit = 0; bit < 32; bit++) {
    const unsigned row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
    result |= (table >> row & 1) << bit;
  }
  return result;
}

/* Bytes of a and b by four selectors, whose highest bit spreads the sign. */
static unsigned uk_permute(unsigned a, unsigned b, unsigned selectors) {
  const unsigned long long all = (unsigned long long)b << 32 | a;
  unsigned result = 0;
  for (int at = 0; at < 4; at++) {
    const unsigned selector = selectors >> 4 * at, byte = all >> 8 * (selector & 7) & 255;
    result |= (selector & 8 ? byte >> 7 ? 255 : 0 : byte) << 8 * at;
  }
  return result;
}

/* c and the products of the first elements of two words. */
template <int count, class L, class R> static unsigned uk_dot(unsigned a, unsigned b, unsigned c) {
  for (int at = 0; at < count; at++) c += (L)(a >> uk_width<L> * at) * (R)(b >> uk_width<R> * at);
  return c;
}

// ── numbers ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/* NaN is left out, and -0 is less than 0. */
template <class T> static T uk_least(T a, T b) { return a != a ? b : b != b ? a : a == b ? std::signbit(a) ? a : b : a < b ? a : b; }
template <class T> static T uk_most(T a, T b) { return -uk_least(-a, -b); }

static long double uk_integral(long double x, char rounding) {
  return rounding == 'z' ? truncl(x) : rounding == 'm' ? floorl(x) : rounding == 'p' ? ceill(x) : nearbyintl(x);
}

template <class T> static T uk_saturated(long double x) {
  const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  return x <= least ? least : x >= most ? most : (T)x;
}

/* NaN as an integer: 0, or the highest bit where either type has 64 bits. */
template <class To, class From> constexpr To uk_no_number = sizeof(From) < 8 && sizeof(To) < 8 ? 0 : (To)1 << (uk_width<To> - 1);

template <class T> static T uk_rounded(long double x, char rounding) {
  T y = (T)x;
  if (rounding != 'z' || !(fabsl(y) > fabsl(x))) return y;
  unsigned long long bits = 0;
  memcpy(&bits, &y, sizeof y), bits--, memcpy(&y, &bits, sizeof y);
  return y;
}

/* Conversion by way of a type that holds all numbers of the others, by `rounding` (nearest, zero, minus or plus infinity). */
template <class To, class From> static To uk_converted(From from, char rounding, bool to_integral, bool saturates) {
  const long double x = to_integral ? uk_integral(from, rounding) : (long double)from;
  if constexpr (std::is_integral<To>::value) {
    if (std::is_integral<From>::value) return saturates ? uk_saturated<To>(x) : (To)from;
    return x != x ? uk_no_number<To, From> : uk_saturated<To>(x);
  } else {
    if (saturates) return x > 0 ? x < 1 ? (To)x : (To)1.0L : (To)0.0L;
    return uk_rounded<To>(x, rounding);
  }
}
