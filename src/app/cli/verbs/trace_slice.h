#pragma once
#include <string>

#include "cli/common_options.h"
#include "cli/verb.h"

namespace heddle::cli {

// heddle trace slice CLIP|TRACE: the events and lines that a failure depends on.
Result<ExitCode> show_slice(const std::string& path, const CommonOptions& common, const Invocation& invocation);

}  // namespace heddle::cli
