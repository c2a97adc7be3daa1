#include "shrink/profile/loops.h"

#include <algorithm>
#include <string_view>

#include "abi/hooks.h"
#include "abi/skipped_calls.h"
#include "base/hash.h"
#include "binary/elf_file.h"
#include "binary/symbolizer.h"

namespace heddle::shrink {
void LoopObserver::add_other(const trace::Event& record) {
  const std::uint32_t thread = number(record.thread);
  if (record.kind == format::EventKind::Iteration) return add_iteration(record, thread);
  if (record.kind == format::EventKind::Fork || record.kind == format::EventKind::Join) {
    for (auto& [key, of_loop] : iterations_) {
      if (key.first != thread) continue;
      for (const std::uint32_t open : of_loop.open) {
        ThreadsOfIteration& threads = of_loop.loop.threads[open];
        (record.kind == format::EventKind::Fork ? threads.forked : threads.joined)
            .push_back(static_cast<std::uint32_t>(record.object));
      }
    }
  }
  if (trace::is_point(record)) ++positions_[thread].points;
}

void LoopObserver::add_iteration(const trace::Event& record, std::uint32_t thread) {
  Position& position = positions_[thread];
  Recent& recent = recent_[(record.object ^ thread) % recent_.size()];
  if (recent.record == nullptr || recent.thread != thread || recent.loop != record.object)
    recent = {thread, record.object, &iterations_[{thread, record.object}]};
  LoopRecord& of_loop = *recent.record;
  const auto at = static_cast<std::uint32_t>(record.value);
  ++position.order;
  // An iteration without an end was left by an exception or by the end of the thread. Iterations of one loop nest if
  // its function is recursive.
  if ((record.flags & format::kFailed) != 0) {
    of_loop.loop.skipped_before.push_back({at, position.order});
  } else if ((record.flags & format::kAfter) == 0) {
    of_loop.open.push_back(static_cast<std::uint32_t>(of_loop.loop.iterations.size()));
    of_loop.loop.iterations.push_back(
        {at, {position.points + 1, Iteration::kNever}, {position.order, Iteration::kNever}});
  } else if (!of_loop.open.empty()) {
    Iteration& ended = of_loop.loop.iterations[of_loop.open.back()];
    ended.points.end = position.points + 1;
    ended.extent.end = position.order;
    of_loop.open.pop_back();
  }
}

std::vector<LoopOfThread> LoopObserver::finish(const std::vector<std::string>& names, std::uint64_t begin_points,
                                               const std::map<std::uint64_t, std::string>& loops) {
  std::vector<LoopOfThread> found;
  for (auto& [key, record] : iterations_) {
    const auto [thread, hash] = key;
    const auto name = loops.find(hash);
    if (thread >= names.size() || name == loops.end()) continue;
    LoopOfThread& loop = record.loop;
    loop.thread = names[thread];
    loop.loop = name->second;
    loop.only_sliced = is_only_sliced(name->second);
    const auto offset = static_cast<std::uint32_t>(thread == number(kMainThread) ? begin_points : 0);
    for (Iteration& iteration : loop.iterations) {
      iteration.points.end = std::min(iteration.points.end, positions_[thread].points + 1);
      loop.points += iteration.points.end - iteration.points.begin;
      iteration.points.begin += offset;
      iteration.points.end += offset;
    }
    found.push_back(std::move(loop));
  }
  return found;
}

// A user may have named a block "each request". A name by the compiler has a line number, or "?" for an unknown place.
bool is_only_sliced(const std::string& name) {
  for (const std::string_view prefix : {HEDDLE_CALL_PREFIX, HEDDLE_EACH_PREFIX}) {
    if (!name.starts_with(prefix)) continue;
    const std::string place = name.substr(prefix.size(), name.find(' ', prefix.size()) - prefix.size());
    const std::size_t colon = place.rfind(':');
    if (place == "?") return true;
    return colon != std::string::npos && colon + 1 < place.size() &&
           place.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  }
  return false;
}

std::map<std::uint64_t, std::string> loop_names(const format::SessionResult& result) {
  std::map<std::uint64_t, std::string> names;
  for (const format::ModuleReport& module : binary::modules_of(result)) {
    if (module.first_site == 0) continue;
    const Result<binary::ElfFile> file = binary::ElfFile::open(module.path);
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

}  // namespace heddle::shrink
