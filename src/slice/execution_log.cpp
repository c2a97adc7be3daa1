#include "slice/execution_log.h"

namespace heddle::slice {

AccessForm ExecutionLog::form_of(std::uint8_t flags, std::uint64_t size, std::uint32_t number) {
  if (size > kFormSizeMax) return kNoForm;
  const std::uint64_t key = std::uint64_t{flags} << 48 | size << 32 | number;
  const auto [found, added] = form_numbers_.try_emplace(key, forms_.size());
  if (added) {
    if (forms_.size() > kFormMask) {
      form_numbers_.erase(found);
      return kNoForm;
    }
    forms_.push_back({number, flags, static_cast<std::uint8_t>(size)});
  }
  const std::uint64_t silent = (flags & entry::kPrivate) != 0 ? 1 : 0;
  return {silent << kSilentShift | found->second << kFormShift, static_cast<std::uint32_t>(size)};
}

void ExecutionLog::add_access(std::uint8_t flags, std::uint64_t address, std::uint64_t size, InvocationId invocation,
                              std::uint32_t number) {
  const AccessForm form = form_of(flags, size, number);
  if (form.word != kNoForm.word) return add_access(form, address, invocation);
  switch_to(invocation);
  add_aside({address & kAddressMask, size, number, flags});
}

void ExecutionLog::add_aside(const Aside& aside) {
  const std::uint64_t silent = entry::is_access(aside.kind) && (aside.kind & entry::kPrivate) != 0 ? 1 : 0;
  aside_.push_back(aside);
  words_.push_back(std::uint64_t{1} << kAlwaysShift | silent << kSilentShift | kAsideForm << kFormShift);
  events_ += 1 - silent;
}

void ExecutionLog::add_in_new_region(const AccessForm& form, std::uint64_t address) {
  if (region_bases_.size() < kRegionsMax) {
    region_bases_.push_back(address & ~kRegionMask);
    regions_[address >> kRegionShift] = static_cast<std::uint8_t>(region_bases_.size());
    return add_access(form, address, current_);
  }
  const Form& known = forms_[form.word >> kFormShift & kFormMask];
  add_aside({address, known.size, known.number, known.kind});
}

void ExecutionLog::add_synchronisation(InvocationId invocation, std::uint32_t site, NodeId lock, NodeId wait,
                                       const Dependences& on) {
  switch_to(invocation);
  words_.push_back(std::uint64_t{1} << kAlwaysShift | kSynchronisationForm << kFormShift | next_synchronisation());
  dependences_.insert(dependences_.end(), on.nodes().begin(), on.nodes().end());
  synchronisations_.push_back({lock, wait, static_cast<std::uint32_t>(dependences_.size()), site});
  ++events_;
}

}  // namespace heddle::slice
