// Every general register holds a value over an access: a hook that loses one changes the sum. Eight vector accumulators
// do the same for the vector registers.
#include <stdio.h>

typedef double Vector __attribute__((vector_size(32)));

__attribute__((noinline)) static long general(long* p, long a, long b, long c, long d, long e, long f, long g, long h) {
  long x = a * 3, y = b * 5, z = c * 7, w = d * 9, u = e * 11, v = f * 13, s = g * 17, t = h * 19;
  long value = *p;
  return value + (x ^ y) + (y ^ z) * 2 + (z ^ w) * 3 + (w ^ u) * 4 + (u ^ v) * 5 + (v ^ s) * 6 + (s ^ t) * 7 +
         x * y * z * w * u * v * s * t + a + b * 2 + c * 3 + d * 4 + e * 5 + f * 6 + g * 7 + h * 8;
}

__attribute__((noinline)) static double vectors(Vector* values, int n) {
  Vector a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
  for (int i = 0; i < n; ++i) {
    Vector x = values[i];
    a += x;
    b += x * x;
    c -= x;
    d += a * b;
    e += c * d;
    f += a * x;
    g += b * x;
    h += d * x;
  }
  Vector sum = a + b + c + d + e + f + g + h;
  return sum[0] + sum[1] + sum[2] + sum[3];
}

static long shared_number = 5;
static Vector values[40];

int main(void) {
  for (int i = 0; i < 40; ++i)
    for (int lane = 0; lane < 4; ++lane) values[i][lane] = 1 + (i * 7 + lane) % 5 * 0.25;
  for (int round = 0; round < 3; ++round) {
    printf("%ld ", general(&shared_number, 1, 2, 3, 4, 5, 6, 7, 8));
    printf("%.17g\n", vectors(values, 40));
  }
}
