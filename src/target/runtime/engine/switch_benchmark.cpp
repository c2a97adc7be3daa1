// The cost of handing the turn to another fiber: registers, stack, thread pointer. bench/micro/switches.cpp measures
// whole switches, including the choice and the record.
#include <benchmark/benchmark.h>
#include <sys/auxv.h>

#include <cstdint>
#include <memory>

#include "runtime/engine/switch.h"

extern "C" void heddle_fiber_main();

namespace {

using heddle::runtime::switch_stacks;
using heddle::runtime::SwitchFrame;

constexpr unsigned long kHwcap2Fsgsbase = 1u << 1;
void* main_stack_pointer;
void* other_stack_pointer;
std::uint64_t thread_pointer;
std::uint32_t has_fsgsbase;

void switch_back_forever() {
  for (;;) switch_stacks(&other_stack_pointer, main_stack_pointer, thread_pointer, has_fsgsbase);
}

void there_and_back(benchmark::State& state) {
  constexpr std::size_t kWords = 8192;
  const auto stack = std::make_unique<std::uint64_t[]>(kWords);
  auto* frame = reinterpret_cast<std::uint64_t*>((reinterpret_cast<std::uintptr_t>(stack.get() + kWords) - 64) &
                                                 ~std::uintptr_t{15});
  *--frame = 0;
  SwitchFrame* first = reinterpret_cast<SwitchFrame*>(frame) - 1;
  *first = {0, 0, reinterpret_cast<std::uint64_t>(&switch_back_forever)};
  asm volatile("stmxcsr (%0)\n fnstcw 4(%0)" : : "r"(first) : "memory");
  other_stack_pointer = first;
  thread_pointer = reinterpret_cast<std::uint64_t>(__builtin_thread_pointer());
  has_fsgsbase = (getauxval(AT_HWCAP2) & kHwcap2Fsgsbase) != 0;
  for (auto _ : state) switch_stacks(&main_stack_pointer, other_stack_pointer, thread_pointer, has_fsgsbase);
  state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK(there_and_back);

}  // namespace

// switch_x86_64.S refers to it, but no fiber begins here.
void heddle_fiber_main() {}

BENCHMARK_MAIN();
