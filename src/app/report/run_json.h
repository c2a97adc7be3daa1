#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "clip/source_units.h"
#include "run/record/run_report.h"
#include "run/replay/replayer.h"

namespace heddle::report {

// Keys keep the order of insertion.
using Json = nlohmann::ordered_json;

// Null for an empty value.
inline Json nullable(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
template <typename Value>
Json nullable(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json outcome_json(const run::Outcome& outcome);
Json stack_json(const std::vector<binary::SourceFrame>& stack);
Json early_timeouts_json(const run::RunReport& report);
Json divergence_json(const std::optional<run::DivergenceReport>& divergence);
// Paths of the modules whose accesses are not observed, without the C library and the loader.
std::vector<std::string> uninstrumented_modules(const run::RunReport& report);
std::string hash_text(std::uint64_t event_hash);

// The document of `heddle run`.
Json run_json(const run::RunOptions& options, const run::RunReport& report, const clip::SourceUnits& units,
              const std::string& clip_path);
// The document of `heddle replay`.
Json replay_json(const run::ReplayReport& report);

// One line. Replaces bytes that are not valid UTF-8, for example in a file name.
std::string dump(const Json& document);

}  // namespace heddle::report
