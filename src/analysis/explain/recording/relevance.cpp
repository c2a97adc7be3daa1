#include "explain/recording/relevance.h"

#include <unordered_set>

#include "explain/recording/turn_span.h"
#include "run/verdict/failed_threads.h"
#include "slice/failure_slice.h"
#include "slice/slicer.h"

namespace heddle::explain {
namespace {

using format::EventKind;

// The events that a slice covers, in its order: accesses, synchronisation, and frees of recorded allocations.
std::vector<std::size_t> sliced_events(const Recording& recording) {
  std::vector<std::size_t> sliced;
  std::unordered_set<std::uint64_t> allocated;
  for (std::size_t i = 0; i < recording.events.size(); ++i) {
    const trace::Event& event = recording.events[i];
    if (event.kind == EventKind::Alloc) allocated.insert(event.object);
    if (event.kind == EventKind::Free ? allocated.erase(event.object) != 0
                                      : format::is_access(event.kind) || slice::Synchronisation::is_known(event.kind))
      sliced.push_back(i);
  }
  return sliced;
}

}  // namespace

std::optional<Relevance> find_relevant(const Recording& recording, ProgramOracle& oracle) {
  if (!slice::tells_flow(oracle.program().path)) return std::nullopt;
  slice::Slicer slicer;
  const Result<experiment::Trial> trial =
      oracle.observe(turns_of(turn_spans_of(recording)), format::kRecordBlocks | format::kRecordValues, slicer);
  if (!trial || trial->interrupted) return std::nullopt;
  const slice::Slice slice = slicer.slice(run::failed_threads(oracle.result()));
  const std::vector<std::size_t> sliced = sliced_events(recording);
  if (sliced.size() != slice.by_event.size()) return std::nullopt;
  Relevance relevance{std::vector<std::optional<bool>>(recording.events.size()), {slice.events, slice.relevant}};
  for (std::size_t i = 0; i < sliced.size(); ++i) relevance.by_event[sliced[i]] = slice.by_event[i];
  return relevance;
}

}  // namespace heddle::explain
