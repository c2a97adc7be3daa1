#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>

#include "explore/systematic/systematic_search.h"

namespace heddle::explore {

// One systematic search for several workers.
class SearchLane {
 public:
  explicit SearchLane(const SearchOptions& options) : options_(options), search_(options) {}

  // The next schedule, as soon as there is one. nullopt: there is none left, or the search was given up.
  std::optional<SearchItem> take();
  // The same where the schedules are to come in one order, whoever is quicker: the ticket-th only after those before it
  // have finished. A new armed set makes other schedules: the search begins anew.
  std::optional<SearchItem> take_in_order(std::uint64_t ticket, std::uint32_t armed_version);
  // Nobody will take this ticket.
  void pass(std::uint64_t ticket);
  void finished(const SearchItem& item, std::span<const std::uint64_t> log, bool overflown);
  void give_up();

  std::optional<std::uint32_t> bound_completed() const;
  bool complete() const;
  std::uint64_t schedules_run() const;

 private:
  void advance();

  const SearchOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  SystematicSearch search_;
  std::uint64_t next_ticket_ = 0;
  std::set<std::uint64_t> passed_;
  bool out_ = false;
  std::uint32_t armed_version_ = 0;
  bool given_up_ = false;
};

}  // namespace heddle::explore
