#include "explore/profile/profile.h"

#include <algorithm>

namespace heddle::explore {

using format::EventKind;

void Profiler::add(const trace::Event& event) {
  if (event.kind == EventKind::Fork) threads_.add(ThreadId{static_cast<std::uint32_t>(event.object)}, event.thread);
  finder_.add(event);
  if (!format::is_access(event.kind) || event.site == 0) return;
  const std::size_t thread = number(event.thread);
  if (thread >= operations_.size()) operations_.resize(thread + 1);
  ++operations_[thread][event.site];
}

RunProfile Profiler::result() const {
  RunProfile profile;
  static_cast<trace::SharedSites&>(profile) = finder_.result();
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
