#include "shrink/loops.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "abi/hooks.h"
#include "base/hash.h"
#include "run/elf_file.h"
#include "run/symbolizer.h"

namespace heddle::shrink {
namespace {

constexpr std::uint32_t kOpen = ~std::uint32_t{0};  // nothing has ended the iteration yet

}  // namespace

void LoopWatch::add(const trace::RingRecord& record) {
  const std::uint32_t thread = number(record.thread);
  std::uint32_t& points = points_[thread];
  if (record.kind == format::EventKind::Iteration) {
    std::vector<Iteration>& of_loop = iterations_[{thread, record.object}];
    const auto at = static_cast<std::uint32_t>(record.value);
    // One that nothing ends was left by an exception, or by the end of the thread.
    if ((record.flags & format::kAfter) == 0)
      of_loop.push_back({at, {points + 1, kOpen}, {}, {}});
    else if (!of_loop.empty() && of_loop.back().number == at)
      of_loop.back().points.end = points + 1;
    return;
  }
  if (record.kind == format::EventKind::Fork || record.kind == format::EventKind::Join) {
    for (auto& [key, of_loop] : iterations_)
      if (key.first == thread && !of_loop.empty() && of_loop.back().points.end == kOpen)
        (record.kind == format::EventKind::Fork ? of_loop.back().forked : of_loop.back().joined)
            .push_back(static_cast<std::uint32_t>(record.object));
  }
  if (format::is_access(record.kind) || (record.flags & format::kPoint) != 0 || record.kind == format::EventKind::Passed)
    ++points;
}

std::vector<LoopOfThread> LoopWatch::finish(const std::vector<std::string>& names, std::uint64_t begin_points,
                                            const std::map<std::uint64_t, std::string>& loops) {
  std::vector<LoopOfThread> found;
  for (auto& [key, iterations] : iterations_) {
    const auto [thread, hash] = key;
    const auto name = loops.find(hash);
    if (thread >= names.size() || name == loops.end()) continue;
    LoopOfThread loop{names[thread], name->second, std::move(iterations), 0};
    const auto offset = static_cast<std::uint32_t>(thread == number(kMainThread) ? begin_points : 0);
    for (Iteration& iteration : loop.iterations) {
      iteration.points.end = std::min(iteration.points.end, points_[thread] + 1);
      loop.points += iteration.points.end - iteration.points.begin;
      iteration.points.begin += offset;
      iteration.points.end += offset;
    }
    found.push_back(std::move(loop));
  }
  return found;
}

std::map<std::uint64_t, std::string> loop_names(const format::SessionResult& result) {
  std::map<std::uint64_t, std::string> names;
  for (const format::ModuleReport& module : run::modules_of(result)) {
    if (module.first_site == 0) continue;
    const Result<run::ElfFile> file = run::ElfFile::open(module.path);
    if (!file) continue;
    const std::span<const std::uint8_t> bytes = file->section(HEDDLE_SECTION_LOOPS).bytes;
    std::string name;
    for (const std::uint8_t byte : bytes) {
      if (byte != 0) {
        name += static_cast<char>(byte);
        continue;
      }
      if (!name.empty()) names.emplace(hash_bytes(name.data(), name.size()), name);
      name.clear();
    }
  }
  return names;
}

run::Omitted with_iterations(const run::Omitted& omitted, const LoopOfThread& loop,
                             const std::vector<std::uint32_t>& numbers) {
  run::Omitted result{omitted.threads, {}};
  std::set<std::uint32_t> all(numbers.begin(), numbers.end());
  for (const run::IterationRange& range : omitted.iterations) {
    if (range.thread != loop.thread || range.loop != loop.loop) {
      result.iterations.push_back(range);
      continue;
    }
    for (std::uint32_t i = range.first; i <= range.last; ++i) all.insert(i);
  }
  for (auto at = all.begin(); at != all.end();) {
    const std::uint32_t first = *at;
    std::uint32_t last = first;
    for (++at; at != all.end() && *at == last + 1; ++at) ++last;
    result.iterations.push_back({loop.thread, loop.loop, first, last});
  }
  std::sort(result.iterations.begin(), result.iterations.end(), [](const auto& a, const auto& b) {
    return std::tie(a.thread, a.loop, a.first) < std::tie(b.thread, b.loop, b.first);
  });
  return result;
}

}  // namespace heddle::shrink
