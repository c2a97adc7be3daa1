#include "slice/log/execution_log.h"

#include <algorithm>

namespace heddle::slice {

AccessForm ExecutionLog::form_of(std::uint8_t flags, std::uint64_t size, std::uint32_t number) {
  constexpr std::uint64_t kSizeMax = 64;  // ranges have too many different lengths
  if (size > kSizeMax) return {};
  const std::uint64_t key = std::uint64_t{flags} << 48 | size << 32 | number;
  const std::uint32_t known = recent_forms_.get(key, 0, [&] { return find_form(flags, size, number, key); });
  if (known == 0) return {};
  return {known, static_cast<std::uint32_t>(size), (flags & entry::kPrivate) != 0};
}

std::uint32_t ExecutionLog::find_form(std::uint8_t flags, std::uint64_t size, std::uint32_t number, std::uint64_t key) {
  const auto [found, added] = form_numbers_.try_emplace(key, static_cast<std::uint32_t>(forms_.size()));
  if (added) {
    if (forms_.size() > kFarFormMask) {
      form_numbers_.erase(found);
      return 0;
    }
    Form& form = forms_.emplace_back();
    near_begins_.push_back(kNoBase);
    form.number = number;
    form.size = static_cast<std::uint32_t>(size);
    form.kind = flags;
  }
  return found->second;
}

void ExecutionLog::add_access(std::uint8_t flags, std::uint64_t address, std::uint64_t size, InvocationId invocation,
                              std::uint32_t number) {
  if (const AccessForm form = form_of(flags, size, number)) return add_access(form, address, invocation);
  add_unsettled(flags, address, size, invocation, number);
}

void ExecutionLog::begin_run(InvocationId invocation) {
  runs_.push_back({static_cast<std::uint32_t>(words_.size()), invocation});
  current_ = invocation;
}

void ExecutionLog::add_long_move(std::uint8_t kind, std::uint32_t number, std::uint32_t low) {
  words_.push_back(low);
  words_.push_back(kLongMoveTag | (kind - entry::kEnter + 0u) << kLongMoveKindShift | (number & kLongMoveNumberMask));
}

void ExecutionLog::add_aside(const Aside& aside) {
  const bool is_silent =
      aside.kind == kNewBase || (entry::is_access(aside.kind) && (aside.kind & entry::kPrivate) != 0);
  aside_.push_back(aside);
  words_.push_back(0);
  words_.push_back((is_silent ? kSilentTag : 0) | kAsideForm << kFarFormShift);
  events_ += is_silent ? 0 : 1;
}

// The log is read backwards, so the entry holds the previous base.
void ExecutionLog::move_base(Form& form, std::uint32_t number, std::uint64_t code, std::uint64_t address) {
  if (form.base != kNoBase) add_aside({form.base, 0, number, kNewBase});
  const std::uint64_t in_block = code % kFilterBlock;
  const std::uint64_t base = std::min(in_block < kWindow / 2 ? 0 : in_block - kWindow / 2, kFilterBlock - kWindow);
  form.base = code - in_block + base;
  near_begins_[number] = address - in_block + base;
}

void ExecutionLog::add_far(const AccessForm& access, std::uint64_t address) {
  Form& form = forms_[access.number];
  if (regions_[address >> kRegionShift] == 0) {
    if (region_bases_.size() == kRegionsMax) return add_aside({address, form.size, form.number, form.kind});
    region_bases_.push_back(address & ~kRegionMask);
    regions_[address >> kRegionShift] = static_cast<std::uint8_t>(region_bases_.size());
  }
  const std::uint64_t code =
      std::uint64_t{regions_[address >> kRegionShift] - 1u} << kRegionShift | (address & kRegionMask);
  const bool crosses_word = address % kWordBytes + form.size > kWordBytes;
  words_.push_back(static_cast<std::uint32_t>(code));
  words_.push_back((access.is_silent ? kSilentTag : 0) | access.number << kFarFormShift |
                   static_cast<std::uint32_t>(code >> 32));
  events_ += access.is_silent ? 0 : 1;
  if (crosses_word || access.is_silent || access.number > kNearFormMask) return;
  // Two accesses in a row in one window: the instruction is likely to stay there.
  if (form.base == kNoBase || code - form.last_far + kWindow / 2 < kWindow)
    move_base(form, access.number, code, address);
  form.last_far = code;
}

void ExecutionLog::add_synchronisation(InvocationId invocation, std::uint32_t site) {
  switch_to(invocation);
  synchronisation_sites_.push_back(site);
  words_.push_back(static_cast<std::uint32_t>(synchronisation_sites_.size()));
  words_.push_back(kSynchronisationForm << kFarFormShift);
  ++events_;
}

void ExecutionLog::decode_far(std::uint32_t tag, std::uint32_t low, Cursor& cursor, Entry& entry) const {
  const std::uint32_t number = tag >> kFarFormShift & kFarFormMask;
  if (number == kAsideForm) {
    const Aside& known = aside_[--cursor.aside];
    entry.kind = known.kind;
    entry.number = known.number;
    entry.size = known.size;
    entry.low = known.address;
    if (known.kind == kNewBase) cursor.bases[known.number] = known.address;
  } else if (number == kSynchronisationForm) {
    entry.kind = entry::kSynchronisation;
    entry.low = synchronisations_before_ + low;
    entry.number = synchronisation_sites_[low - 1];
  } else {
    const Form& form = forms_[number];
    entry.kind = form.kind;
    entry.number = form.number;
    entry.size = form.size;
    entry.low = address_of(std::uint64_t{tag & 0xff} << 32 | low);
  }
}

}  // namespace heddle::slice
