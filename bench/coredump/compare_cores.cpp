// Reads and compares two cores of one program. Prints the number of variables and the time.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>

#include "binary/image/comparison.h"
#include "coredump/index/failing_core.h"

using namespace heddle;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

double processor_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

// usage: compare_cores PROGRAM CORE CORE
int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: compare_cores PROGRAM CORE CORE\n", stderr);
    return 2;
  }
  const Clock::time_point begin = Clock::now();
  binary::Symbolizer symbolizer;
  Result<coredump::FailingCore> a = coredump::read_failing_core(argv[2], argv[1], symbolizer);
  Result<coredump::FailingCore> b = coredump::read_failing_core(argv[3], argv[1], symbolizer);
  for (const auto* core : {&a, &b})
    if (!*core) {
      std::fprintf(stderr, "compare_cores: %s\n", core->error().message.c_str());
      return 1;
    }
  const double read_seconds = seconds_since(begin), read_processor_seconds = processor_seconds();
  const Clock::time_point compared = Clock::now();
  const binary::ComparisonReport report =
      binary::compare({*a->view, a->stack, a->other_stacks}, {*b->view, b->stack, b->other_stacks}, nullptr);
  const double compare_seconds = seconds_since(compared);
  for (const binary::Difference& difference : report.list)
    std::fprintf(stderr, "%s: %s\n", difference.path.c_str(), difference.what.c_str());
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"variables\": %llu, \"objects\": %llu, \"differences\": %llu, \"unreadable\": %llu, \"read_seconds\": %.3f, "
      "\"compare_seconds\": %.3f, \"read_processor_seconds\": %.3f, \"processor_seconds\": %.3f, \"rss_bytes\": "
      "%lld}\n",
      static_cast<unsigned long long>(report.variables), static_cast<unsigned long long>(report.objects),
      static_cast<unsigned long long>(report.differences), static_cast<unsigned long long>(report.unreadable),
      read_seconds, compare_seconds, read_processor_seconds, processor_seconds(),
      static_cast<long long>(usage.ru_maxrss) * 1024);
  return 0;
}
