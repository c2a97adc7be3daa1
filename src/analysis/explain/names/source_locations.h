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
// The innermost line of the program's own code; empty when there is none.
SourceLocation own_place(const std::vector<binary::SourceFrame>& stack);
// "kernel.cpp:42"; empty for an unknown place.
std::string short_place(const SourceLocation& place);

// Where in the program's own source an event of one recording happened. A line in a library's header says little, and
// so does that of a constructor which nobody wrote: the caller is looked for, in the inline chain or by stopping the
// program there once more.
class SourceLocator {
 public:
  SourceLocator(TrialOracle& oracle, const Recording& recording) : oracle_(oracle), recording_(recording) {}

  // What the site says by itself.
  SourceLocation known(std::size_t event) const;
  // May execute the program.
  SourceLocation find(std::size_t event);

 private:
  SourceLocation unmerged(std::size_t event, const trace::TraceSite& site) const;
  SourceLocation first_own_of_chain(std::string_view chain) const;
  bool begins_class(const std::string& file, std::uint32_t line) const;

  TrialOracle& oracle_;
  const Recording& recording_;
  std::map<std::size_t, SourceLocation> found_;
  mutable std::vector<std::unique_ptr<binary::FieldNames>> classes_;  // by module; read when they are needed
};

}  // namespace heddle::explain
