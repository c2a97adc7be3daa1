// Exceptions, coroutines, setjmp, computed goto, variable arguments, structs by value, virtual calls, statics.
#include <coroutine>
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

static int shared_number = 3;

struct Generator {
  struct promise_type {
    int value = 0;
    Generator get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(int next) {
      value = next;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
};

static Generator count(int* number) {
  for (int i = 0; i < 4; ++i) {
    *number += i;
    co_yield *number;
  }
}

struct Large {
  long words[6];
};
static Large large = {{1, 2, 3, 4, 5, 6}};
[[gnu::noinline]] static long by_value(Large a, int between, Large b) {
  return a.words[0] * between + b.words[5];
}

[[gnu::noinline]] static int sum(int count, ...) {
  va_list list;
  va_start(list, count);
  int total = shared_number;
  while (count-- > 0) total += va_arg(list, int);
  va_end(list);
  return total;
}

static std::jmp_buf jump_target;
[[gnu::noinline]] static int jump(volatile int* where) {
  if (setjmp(jump_target) == 0) {
    *where = 17;
    std::longjmp(jump_target, 1);
  }
  return *where + shared_number;
}

[[gnu::noinline]] static int computed(int which) {
  static void* labels[] = {&&up, &&down};
  goto* labels[which & 1];
up:
  return ++shared_number;
down:
  return --shared_number;
}

struct Guard {
  std::string text;
  ~Guard() { ++shared_number; }
};
[[gnu::noinline]] static std::size_t may_throw(int i) {
  Guard guard{"a text that does not fit the small buffer " + std::to_string(i)};
  if (i == 2) throw std::runtime_error(guard.text);
  return guard.text.size();
}

struct Shape {
  virtual int area() { return shared_number; }
  virtual ~Shape() = default;
};
struct Square : Shape {
  int area() override { return shared_number * shared_number; }
};
[[gnu::noinline]] static int measure(Shape& shape) {
  return shape.area();
}

static Guard& only_one() {
  static Guard guard{"made once"};
  return guard;
}

int main() {
  Generator generator = count(&shared_number);
  for (generator.handle.resume(); !generator.handle.done(); generator.handle.resume())
    std::printf("%d ", generator.handle.promise().value);
  generator.handle.destroy();
  volatile int where = 0;
  std::printf("%ld %d %d %d %d\n", by_value(large, 3, large), sum(3, 1, 2, 3), jump(&where), computed(0), computed(1));
  for (int i = 0; i < 4; ++i) try {
      std::printf("%zu ", may_throw(i));
    } catch (const std::exception& error) {
      std::printf("[%s %d] ", error.what(), shared_number);
    }
  Square square;
  Shape shape;
  std::printf("%d %d %s %s\n", measure(square), measure(shape), only_one().text.c_str(), only_one().text.c_str());
}
