// Loops that vectorise, odd sizes and types, masked lanes, reductions.
#include <stdio.h>

enum { kCount = 1003 };
static float a[kCount], b[kCount], c[kCount];
static double d[kCount];
static int flags[kCount], chosen[kCount];
static short shorts[kCount];
static long double wide[5];
static __int128 huge;
static _Bool odd[kCount];
struct Bits {
  unsigned low : 3, middle : 11, high : 18;
} bits;

__attribute__((noinline)) static void saxpy(float factor) {
  for (int i = 0; i < kCount; ++i) c[i] = factor * a[i] + b[i];
}
__attribute__((noinline)) static void choose(int* restrict to, const int* restrict from) {
  for (int i = 0; i < kCount; ++i)
    if (from[i] > 2) to[i] = from[i] * 3;
}
__attribute__((noinline)) static double reduce(const double* values, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];
  return sum;
}
__attribute__((noinline)) static int gather(const int* restrict table, const short* restrict index) {
  int sum = 0;
  for (int i = 0; i < kCount; ++i) sum += table[index[i]];
  return sum;
}

int main(void) {
  for (int i = 0; i < kCount; ++i) {
    a[i] = i * 0.25f;
    b[i] = 1.0f / (i + 1);
    d[i] = i * 0.5;
    flags[i] = i % 7;
    shorts[i] = (short)(i * 31 % kCount);
    odd[i] = i & 1;
  }
  saxpy(1.5f);
  choose(chosen, flags);
  float last = 0;
  long total = 0;
  int odds = 0;
  for (int i = 0; i < kCount; ++i) {
    last += c[i];
    total += chosen[i];
    odds += odd[i];
  }
  for (int i = 0; i < 5; ++i) wide[i] = i / 3.0L;
  huge = (__int128)total << 70;
  bits.low = 5;
  bits.middle = 1234;
  bits.high = 99999;
  printf("%.6g %ld %d %.17g %d %Lg %ld %u %u %u\n", last, total, odds, reduce(d, kCount), gather(chosen, shorts),
         wide[4], (long)(huge >> 70), bits.low, bits.middle, bits.high);
}
