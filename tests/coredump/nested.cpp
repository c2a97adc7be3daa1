// Known iteration counts on every level of the stack: recursion, nested loops, an inlined loop. Crashes in iteration 38
// of the loop of walk(). The other loops are then in these iterations: main 1, rec 2, 3 and 4, mid 5 (its inner loop is
// unrolled), and the inlined loop 7.
#include <cstdio>

struct Node {
  Node* next;
  int value;
};
int* volatile nowhere;
volatile long sink;
volatile int factor = 1;

__attribute__((noinline)) int opaque(int number) {
  asm volatile("");
  return number * factor;
}

__attribute__((noinline)) int walk(Node* node, int stop) {
  int sum = 0;
  while (node != nullptr) {
    sum += node->value;
    if (node->value == stop) sum += *nowhere;
    node = node->next;
  }
  return sum;
}

static inline __attribute__((always_inline)) int scan(Node* list, const char* text, int stop) {
  int sum = 0;
  for (; *text != 0; ++text) {
    if (*text == 'x')
      sum += walk(list, stop);
    else
      sum += opaque(*text);
  }
  return sum;
}

__attribute__((noinline)) int mid(Node* list, int begin, int end, double scale) {
  double product = scale;
  int sum = 0;
  for (int i = begin; i < end; i += 3) {
    product = product * 1.5 + opaque(i);
    if (product > 1e300) product = 1;
    for (int j = 0; j < 2; ++j) sum += scan(list, "abcdefx", i == begin + 12 && j == 1 ? 37 : -1);
  }
  sink = static_cast<long>(product);
  return sum;
}

__attribute__((noinline)) int rec(Node* list, int depth) {
  int sum = 0;
  for (int k = 0; k <= depth; ++k) {
    if (k == depth)
      sum += depth == 3 ? mid(list, 10, 100, 1.0) : rec(list, depth + 1);
    else
      sum += opaque(k);
  }
  return sum;
}

int main() {
  Node* list = nullptr;
  for (int i = 99; i >= 0; --i) list = new Node{list, i};
  long total = 0;
  unsigned long round = 0;
  do {
    total += rec(list, 1);
    ++round;
  } while (round < 5 && total != 12345);
  std::printf("%ld\n", total);
}
