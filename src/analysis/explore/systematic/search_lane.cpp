#include "explore/systematic/search_lane.h"

namespace heddle::explore {

std::optional<SearchItem> SearchLane::take() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (given_up_) return std::nullopt;
    if (std::optional<SearchItem> item = search_.next()) return item;
    if (!search_.waiting()) return std::nullopt;
    changed_.wait(lock);
  }
}

std::optional<SearchItem> SearchLane::take_in_order(std::uint64_t ticket, std::uint32_t armed_version) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return given_up_ || (next_ticket_ == ticket && !out_); });
  if (given_up_) return std::nullopt;
  if (armed_version != armed_version_) {
    armed_version_ = armed_version;
    search_ = SystematicSearch(options_);
  }
  std::optional<SearchItem> item = search_.next();
  advance();
  out_ = item.has_value();
  if (!out_) changed_.notify_all();
  return item;
}

void SearchLane::pass(std::uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  passed_.insert(ticket);
  if (ticket != next_ticket_) return;
  advance();
  changed_.notify_all();
}

void SearchLane::advance() {
  do ++next_ticket_;
  while (passed_.erase(next_ticket_) != 0);
}

void SearchLane::finished(const SearchItem& item, std::span<const std::uint64_t> log, bool overflown) {
  const std::lock_guard lock(mutex_);
  search_.finished(item, log, overflown);
  out_ = false;
  changed_.notify_all();
}

void SearchLane::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

SearchLane::Status SearchLane::status() const {
  const std::lock_guard lock(mutex_);
  return {search_.bound_completed(), search_.complete(), search_.schedules_run()};
}

}  // namespace heddle::explore
