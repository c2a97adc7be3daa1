#pragma once
// From a core to a clip: the failure's index, the aligned point of a run under control, what differs there, and the
// schedule that fails (multicore dumps, section 2).
#include <functional>
#include <string>

#include "coredump/core_export.h"
#include "coredump/core_options.h"
#include "coredump/core_report.h"
#include "experiment/progress.h"

namespace heddle::coredump {

// Writes what the analysis needs of a core, without values, to `path` and `path`.key.
Result<ExportReport> export_core(const std::string& core, const std::string& program, const std::string& path);

// Fails when the core cannot be used, or the program cannot be run again under control.
Result<CoreReport> analyse_core(const CoreOptions& options, const experiment::ShowProgress& show);

}  // namespace heddle::coredump
