#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binary/debug_info/field_names.h"
#include "binary/symbolizer.h"
#include "explain/explanation.h"
#include "explain/recording/recording.h"
#include "explain/trials/trial_oracle.h"

namespace heddle::explain {

SourceLocation place_of_frame(const binary::SourceFrame& frame);
// The innermost line of the program's own code; empty if there is none.
SourceLocation own_place(const std::vector<binary::SourceFrame>& stack);
// "kernel.cpp:42"; empty for an unknown location.
std::string short_place(const SourceLocation& place);

// Locates the events of one recording in the program's own source. A line in a library header means little to a reader,
// and so does the line of a compiler-generated constructor. Both are replaced by the caller: from the inline chain of
// the site, or else from a stack, for which the program runs once more up to the event.
class SourceLocator {
 public:
  SourceLocator(TrialOracle& oracle, const Recording& recording) : oracle_(oracle), recording_(recording) {}

  // From the site table alone; empty if that does not suffice.
  SourceLocation known(std::size_t event) const;
  // As known(); executes the program if that is empty.
  SourceLocation find(std::size_t event);

 private:
  SourceLocation unmerged(std::size_t event, const trace::TraceSite& site) const;
  SourceLocation first_own_of_chain(std::string_view chain) const;
  bool begins_class(const std::string& file, std::uint32_t line) const;

  TrialOracle& oracle_;
  const Recording& recording_;
  std::map<std::size_t, SourceLocation> found_;
  mutable std::vector<std::unique_ptr<binary::FieldNames>> classes_;  // by module; read on demand
};

}  // namespace heddle::explain
