#pragma once
#include <optional>
#include <string>

#include "coredump/core_export.h"
#include "coredump/core_options.h"

namespace heddle::coredump {

// The core that a user names, or an export in its place.
struct CoreInput {
  CoreFacts facts;
  binary::BlockTable table;              // of the program that crashed
  FailingCore failing;                   // of a core
  std::optional<ExportedCore> exported;  // of an export
};

// Fails if the core cannot be used.
Result<CoreInput> read_core_input(const CoreOptions& options, binary::Symbolizer& symbolizer);

// Fails if the blocks of the program that is run again differ from those of the program that crashed. They have the
// same numbers only if both are built from one source with the same options.
Status check_same_blocks(const CoreInput& core, const binary::BlockTable& table, const std::string& program,
                         const std::string& production_program);

}  // namespace heddle::coredump
