#pragma once
#include <string>
#include <utility>

#include "hunt/hunter.h"
#include "report/run_json.h"

namespace heddle::report {

// The document of `heddle hunt`.
Json hunt_json(const hunt::HuntReport& report, const std::string& index);
// Phase and state, such as "shrink" and "SIGNATURE: 3 threads, 2 preemptions left".
std::pair<std::string, std::string> hunt_progress_text(const hunt::HuntProgress& progress);
// A paragraph for each bug, with the commands to examine it.
std::string hunt_text(const hunt::HuntReport& report, const std::string& index);

std::string hunt_junit(const hunt::HuntReport& report, const std::string& program);
// The interleaving becomes the code flow of a result, the accesses of the cause its related locations.
std::string hunt_sarif(const hunt::HuntReport& report, const std::string& tool_version, const std::string& source_root);

}  // namespace heddle::report
