#pragma once
#include <string>

#include "clip/source_units.h"
#include "report/run_json.h"

namespace heddle::report {

// The value of "assertions" in the documents of verbs that search for failures.
Json assertions_json(const clip::SourceUnits& units);

// A note for reports without a failure; empty: no assertions are compiled out, as far as known.
std::string ndebug_text(const clip::SourceUnits& units);

}  // namespace heddle::report
