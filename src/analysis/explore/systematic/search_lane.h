#pragma once
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>

#include "explore/systematic/systematic_search.h"

namespace heddle::explore {

// Shares one systematic search among several workers. The portfolio takes schedules by ticket, one at a time, so that
// the seed alone determines them. A systematic exploration takes them as they come, because all of them are run.
class SearchLane {
 public:
  explicit SearchLane(const SearchOptions& options) : options_(options), search_(options) {}

  // The next schedule; waits until there is one. nullopt: there are no more, or the search was given up.
  std::optional<SearchItem> take();
  // Takes schedules in the order of their tickets: waits until all earlier ones have finished. A new armed set has
  // other schedules, so it restarts the search.
  std::optional<SearchItem> take_in_order(std::uint64_t ticket, std::uint32_t armed_version);
  // Skips a ticket that no worker takes.
  void pass(std::uint64_t ticket);
  void finished(const SearchItem& item, std::span<const std::uint64_t> log, bool overflown);
  void give_up();

  struct Status {
    std::optional<std::uint32_t> bound_completed;
    bool complete = false;
    std::uint64_t schedules_run = 0;
  };
  Status status() const;  // as of SystematicSearch

 private:
  void advance();

  const SearchOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  SystematicSearch search_;
  std::uint64_t next_ticket_ = 0;
  std::set<std::uint64_t> passed_;
  bool out_ = false;  // the schedule of the last ticket is running
  std::uint32_t armed_version_ = 0;
  bool given_up_ = false;
};

}  // namespace heddle::explore
