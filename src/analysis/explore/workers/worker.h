#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "explore/search.h"
#include "explore/workers/executor.h"

namespace heddle::explore {

// One schedule, ready to be run.
struct Task {
  std::uint64_t index = 0;
  std::shared_ptr<const ArmedSet> armed;  // nullptr: everything is
  run::SessionInputs inputs;
  std::optional<SearchItem> item;
};

// Makes schedules of a search until there are no more, on one processor. Which ones depends on who is quicker; what a
// schedule does depends on its index alone.
class Worker {
 public:
  // `processor`: it is bound to that one; negative: to none.
  Worker(Search& search, int processor)
      : search_(search), processor_(processor), executor_(search.program, processor) {}

  void work();

 private:
  const ExploreOptions& options() const { return search_.options; }

  // Others may wait for this one.
  void leave_out(std::uint64_t index);
  bool over(std::uint64_t index) const;
  bool is_profiled(std::uint64_t index) const;
  bool is_searched(std::uint64_t index) const;
  run::RunOptions options_of(const Task& task) const;
  void plan_sampled(Task& task, const ArmedSet* known) const;
  void plan_searched(Task& task) const;
  // A fully armed run: shows which sites are shared.
  Status do_profiled(std::uint64_t index);
  // Of the modules of the last run.
  void note_units();
  Status do_scheduled(std::uint64_t index);
  // Many schedules of a body that is repeated inside one process. False: there are no more.
  bool do_block();
  Status arm(const std::shared_ptr<const ArmedSet>& armed);
  Status settle(Executor::Made made, const Task& task);

  Search& search_;
  const int processor_;
  Executor executor_;
  std::uint32_t armed_version_ = ~0u;
  std::optional<binary::SiteTable> sites_;
  std::uint32_t modules_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t pairs_told_ = 0;
  bool ended_ = false;
};

}  // namespace heddle::explore
