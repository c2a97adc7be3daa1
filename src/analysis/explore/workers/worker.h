#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "explore/search.h"
#include "explore/workers/executor.h"

namespace heddle::explore {

// A planned schedule.
struct Task {
  std::uint64_t index = 0;
  std::shared_ptr<const ArmedSet> armed;  // nullptr: everything is armed
  run::SessionInputs inputs;
  std::optional<SearchItem> item;
};

// Runs schedules of a search on one processor until there are no more. Each index is one of three kinds: a profiled
// run, the first of each batch; a run of the systematic search; or a sampled run. The speed of the workers decides
// which worker takes an index, but not what its schedule does: that depends on the index and on results that wait_for()
// and take_in_order() wait for. INVARIANT: every taken index is settled or skipped, else other workers would wait
// forever.
class Worker {
 public:
  // `processor`: to which the worker is bound; negative: none.
  Worker(Search& search, int processor)
      : search_(search), processor_(processor), executor_(search.program, processor) {}

  void work();

 private:
  const ExploreOptions& options() const { return search_.options; }

  // Skips the index, for which other workers may wait.
  void skip(std::uint64_t index);
  bool over(std::uint64_t index) const;
  bool is_profiled(std::uint64_t index) const;
  bool is_searched(std::uint64_t index) const;
  run::RunOptions options_of(const Task& task) const;
  void plan_sampled(Task& task, const ArmedSet* known) const;
  void plan_searched(Task& task) const;
  // Runs with everything armed and reports which sites are shared.
  Status do_profiled(std::uint64_t index);
  void note_units();  // source units of the last run
  Status do_scheduled(std::uint64_t index);
  // Runs many schedules of a body inside one process. False: there are no more.
  Result<bool> do_block();
  Status arm(const std::shared_ptr<const ArmedSet>& armed);
  Status settle(Executor::Made made, const Task& task);

  Search& search_;
  const int processor_;
  Executor executor_;
  std::uint32_t armed_version_ = ~0u;
  std::optional<binary::SiteTable> sites_;
  std::uint32_t modules_ = 0;
  std::uint64_t runs_ = 0;
  std::uint64_t pairs_added_ = 0;  // to the coverage
  bool ended_ = false;
};

}  // namespace heddle::explore
