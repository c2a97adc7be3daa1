// Moz-jsStr, repaired: both counters are updated, and both are read, in one critical section.
//
// usage: fixed [contexts] [strings per context] [statistics taken]
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

struct JsString {
  std::unique_ptr<char16_t[]> chars;
  std::size_t length;
};

struct JsRuntime {
  std::mutex mutex;
  std::uint64_t total_strings = 0;
  std::uint64_t length_sum = 0;
};

// One per script; the strings belong to the context that made them.
struct JsContext {
  explicit JsContext(JsRuntime& owner) : runtime(owner) {}

  JsRuntime& runtime;
  std::vector<JsString> strings;
};

void meter_string(JsRuntime& runtime, std::size_t length) {
  std::lock_guard guard(runtime.mutex);
  runtime.total_strings += 1;
  runtime.length_sum += length;
}

void new_string(JsContext& context, std::string_view bytes) {
  JsString string{std::make_unique<char16_t[]>(bytes.size() + 1), bytes.size()};
  for (std::size_t i = 0; i < bytes.size(); ++i) string.chars[i] = static_cast<unsigned char>(bytes[i]);
  meter_string(context.runtime, string.length);
  context.strings.push_back(std::move(string));
}

struct StringStatistics {
  std::uint64_t total_strings;
  std::uint64_t length_sum;

  double mean_length() const {
    return total_strings == 0 ? 0 : static_cast<double>(length_sum) / static_cast<double>(total_strings);
  }
};

StringStatistics string_statistics(JsRuntime& runtime) {
  std::lock_guard guard(runtime.mutex);
  return {runtime.total_strings, runtime.length_sum};
}

// Property names as a script's compiler makes them: all have the same length.
constexpr std::size_t kNameLength = 12;

void run_script(JsContext& context, std::size_t names) {
  for (std::size_t i = 0; i < names; ++i) {
    char name[kNameLength + 1];
    std::snprintf(name, sizeof name, "prop%08zu", i % 100000000);
    new_string(context, name);
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t context_count = argument(argc, argv, 1, 2);
  const std::size_t names = argument(argc, argv, 2, 3);
  const std::size_t statistics_count = argument(argc, argv, 3, 1);

  JsRuntime runtime;
  std::vector<JsContext> contexts;
  for (std::size_t i = 0; i < context_count; ++i) contexts.emplace_back(runtime);
  std::vector<std::thread> threads;
  for (JsContext& context : contexts) threads.emplace_back([&context, names] { run_script(context, names); });

  for (std::size_t i = 0; i < statistics_count; ++i) {
    const StringStatistics statistics = string_statistics(runtime);
    assert(statistics.total_strings == 0 || statistics.mean_length() == kNameLength);
  }
  for (std::thread& thread : threads) thread.join();

  const StringStatistics statistics = string_statistics(runtime);
  assert(statistics.total_strings == context_count * names);
  assert(statistics.length_sum == statistics.total_strings * kNameLength);
  std::printf("%llu strings, mean length %.1f\n", static_cast<unsigned long long>(statistics.total_strings),
              statistics.mean_length());
  return 0;
}
