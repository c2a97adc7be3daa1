#pragma once
#include <string>

#include "report/run_json.h"
#include "shrink/shrink_report.h"

namespace heddle::report {

// The document of `heddle shrink`.
Json shrink_json(const shrink::ShrinkReport& report);
std::string shrink_text(const shrink::ShrinkReport& report);

}  // namespace heddle::report
