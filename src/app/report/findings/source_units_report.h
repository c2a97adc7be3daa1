#pragma once
#include <string>

#include "clip/source_units.h"
#include "report/run_json.h"

namespace heddle::report {

// The value of "assertions" in the documents of all verbs that may find nothing.
Json assertions_json(const clip::SourceUnits& units);

// One line for a report that says that nothing was found; empty: no assertion is known to be compiled out.
std::string ndebug_text(const clip::SourceUnits& units);

}  // namespace heddle::report
