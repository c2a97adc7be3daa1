#pragma once
#include <string>

#include "coredump/core_analysis.h"
#include "report/run_json.h"

namespace heddle::report {

Json core_json(const coredump::CoreReport& report);
std::string core_text(const coredump::CoreReport& report);
Json export_json(const std::string& path, const coredump::ExportReport& report);
std::string export_text(const std::string& path, const coredump::ExportReport& report);

}  // namespace heddle::report
