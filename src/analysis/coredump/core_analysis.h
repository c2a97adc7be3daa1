#pragma once
// From a core to a clip: the index of the failure, the aligned point of a controlled run, the variables that differ
// there, and a schedule that fails in the same way (multicore dumps, section 2).
#include <string>

#include "coredump/core_export.h"
#include "coredump/core_options.h"
#include "coredump/core_report.h"
#include "experiment/progress.h"

namespace heddle::coredump {

// Writes the parts of a core that the analysis needs, without values, to `path`, and the key to `path`.key.
Result<ExportReport> export_core(const std::string& core, const std::string& program, const std::string& path);

// Fails if the core cannot be used, or if the program cannot be run again under control.
Result<CoreReport> analyse_core(const CoreOptions& options, const experiment::ShowProgress& show);

}  // namespace heddle::coredump
