#pragma once
#include <map>
#include <optional>
#include <string>

#include "coredump/core_export.h"
#include "coredump/core_options.h"
#include "coredump/core_report.h"

namespace heddle::coredump {

// A core, or what stands in for it, and what it says.
struct GivenCore {
  FailingCore failing;                   // of a core,
  std::optional<ExportedCore> exported;  // or of its export
  binary::BlockTable table;              // of the program that crashed
  std::map<std::string, FailureIndex> other_indices;
  ReadCore says;

  bool knows_all_threads() const { return says.threads == other_indices.size() + 1; }
};

// Fails when the core cannot be used.
Result<GivenCore> read_given_core(const CoreOptions& options, binary::Symbolizer& symbolizer);

// Fails when the program that is run again has other blocks than the one that crashed: they have the same numbers only
// if both builds are of one source and the same options.
Status check_same_blocks(const GivenCore& core, const binary::BlockTable& table, const std::string& program,
                         const std::string& production_program);

}  // namespace heddle::coredump
