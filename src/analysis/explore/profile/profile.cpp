#include "explore/profile/profile.h"

#include <algorithm>

#include "trace/ring_event.h"

namespace heddle::explore {

using format::EventKind;

void Profiler::consume(std::span<const std::uint64_t> words) {
  decoder_.decode(words, [this](const trace::RingRecord& record) { add(record); });
}

void Profiler::add(const trace::RingRecord& record) {
  if (record.kind == EventKind::Fork) threads_.add(ThreadId{static_cast<std::uint32_t>(record.object)}, record.thread);
  finder_.add(trace::event_of(record));
  if (!format::is_access(record.kind) || record.site == 0) return;
  const std::size_t thread = number(record.thread);
  if (thread >= operations_.size()) operations_.resize(thread + 1);
  ++operations_[thread][record.site];
}

RunProfile Profiler::result() const {
  trace::SharedSites sites = finder_.result();
  RunProfile profile;
  profile.shared = std::move(sites.shared);
  profile.private_sites = std::move(sites.private_sites);
  profile.operations = operations_;
  for (const auto& of_thread : operations_)
    for (const auto& [site, count] : of_thread)
      if (std::binary_search(profile.private_sites.begin(), profile.private_sites.end(), SiteId{site}))
        profile.private_accesses += count;
  profile.descents = threads_.descents(operations_.size());
  profile.operations.resize(profile.descents.size());
  return profile;
}

}  // namespace heddle::explore
