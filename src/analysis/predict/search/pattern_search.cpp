#include <algorithm>
#include <array>

#include "predict/heuristics.h"
#include "predict/search/searches.h"

namespace heddle::predict {
namespace {

constexpr std::uint64_t kPatternKey = 4;

// Matches the units of a pattern with classes of units, its locations with locations that these units share, and each
// event with the first or last access of its kind. kPatternStepsMax limits the search.
class PatternSearch {
 public:
  PatternSearch(const Model& model, const AnomalyPattern& pattern, std::size_t number, const UnitClasses& units,
                CandidateSet& candidates)
      : model_(model), pattern_(pattern), number_(number), units_(units), candidates_(candidates) {
    locations_.fill(kFree);
  }

  void run() { assign(0); }

 private:
  static constexpr std::uint32_t kFree = 0xffffffffu;
  struct UnitChoice {
    std::uint32_t unit_class = kFree;
    std::uint32_t instance = 0;
  };

  // Assigns each event first its unit, then its location, then its access.
  void assign(std::size_t event) {
    if (++steps_ > kPatternStepsMax) return;
    if (event == pattern_.events.size()) return finish();
    const PatternEvent& wanted = pattern_.events[event];
    if (chosen_[wanted.unit].unit_class != kFree) return assign_location(event);
    const auto try_class = [&](std::uint32_t number) {
      const UnitClass& unit_class = units_.all()[number];
      if (!fits_thread(wanted.thread, unit_class.thread)) return;
      const std::optional<ThreadIndex> before = threads_[wanted.thread];
      threads_[wanted.thread] = unit_class.thread;
      for (std::uint32_t instance = 0; instance < unit_class.instances.size(); ++instance) {
        chosen_[wanted.unit] = {number, instance};
        assign_location(event);
      }
      chosen_[wanted.unit] = {};
      threads_[wanted.thread] = before;
    };
    if (locations_[wanted.location] != kFree) {
      for (const std::uint32_t number : units_.at(locations_[wanted.location])) try_class(number);
    } else {
      for (std::uint32_t number = 0; number < units_.all().size(); ++number) try_class(number);
    }
  }

  bool fits_thread(std::uint8_t wanted, ThreadIndex thread) const {
    return threads_[wanted] ? threads_[wanted] == thread : std::ranges::find(threads_, thread) == threads_.end();
  }

  const UnitInstance& unit_of(const PatternEvent& event) const {
    const UnitChoice& choice = chosen_[event.unit];
    return units_.all()[choice.unit_class].instances[choice.instance];
  }

  void assign_location(std::size_t event) {
    const PatternEvent& wanted = pattern_.events[event];
    LocationId& location = locations_[wanted.location];
    if (location != kFree) {
      if (const UnitAccesses* accesses = unit_of(wanted).find(location)) assign_access(event, *accesses);
      return;
    }
    for (const UnitAccesses& accesses : unit_of(wanted).locations) {
      if (std::ranges::find(locations_, accesses.location) != locations_.end()) continue;
      location = accesses.location;
      assign_access(event, accesses);
      location = kFree;
    }
  }

  void assign_access(std::size_t event, const UnitAccesses& accesses) {
    const PatternEvent& wanted = pattern_.events[event];
    for (const LineAccesses& line : unit_of(wanted).of(accesses, wanted.access)) {
      assign_node(event, line.first);
      if (line.last != line.first) assign_node(event, line.last);
    }
  }

  void assign_node(std::size_t event, NodeId id) {
    if (!follows(event, id)) return;
    nodes_[event] = id;
    assign(event + 1);
  }

  // True if program order and the partial order permit the node after those of the earlier events.
  bool follows(std::size_t event, NodeId id) const {
    for (std::size_t earlier = 0; earlier < event; ++earlier) {
      if (model_.node(nodes_[earlier]).thread == model_.node(id).thread ? nodes_[earlier] >= id
                                                                        : model_.ordered(id, nodes_[earlier])) {
        return false;
      }
    }
    return true;
  }

  void finish() {
    CandidateKey key{kPatternKey, number_};
    for (std::size_t event = 0; event < pattern_.events.size(); ++event) key.add(model_.line(nodes_[event]));
    if (!candidates_.wants(key)) return;
    AnomalyCandidate candidate{.pattern = pattern_.name};
    candidate.kind = std::ranges::all_of(pattern_.events, [](const PatternEvent& event) { return event.location == 0; })
                         ? AnomalyKind::Atomicity
                         : AnomalyKind::MultiVariable;
    candidate.unit = units_.all()[chosen_[pattern_.events[0].unit].unit_class].kind;
    Goal goal;
    goal.shape = Goal::Shape::InOrder;
    goal.events.assign(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(pattern_.events.size()));
    for (std::uint8_t event = 1; event < pattern_.events.size(); ++event) {
      const std::uint8_t before = event - 1;
      goal.before.emplace_back(before, event);
      if (pattern_.events[event].adjacent) goal.adjacent.emplace_back(before, event);
    }
    candidates_.add(key, candidate, std::move(goal));
  }

  const Model& model_;
  const AnomalyPattern& pattern_;
  const std::size_t number_;
  const UnitClasses& units_;
  CandidateSet& candidates_;
  std::array<UnitChoice, kPatternEventsMax> chosen_{};
  std::array<std::optional<ThreadIndex>, kPatternEventsMax> threads_{};
  std::array<LocationId, kPatternEventsMax> locations_;
  std::array<NodeId, kPatternEventsMax> nodes_{};
  std::uint64_t steps_ = 0;
};

}  // namespace

void find_pattern_matches(const Model& model, std::span<const AnomalyPattern> patterns, const UnitClasses& units,
                          CandidateSet& candidates) {
  for (std::size_t number = 0; number < patterns.size(); ++number) {
    const AnomalyPattern& pattern = patterns[number];
    if (!pattern.is_race() && !pattern.is_triple()) PatternSearch(model, pattern, number, units, candidates).run();
  }
}

}  // namespace heddle::predict
