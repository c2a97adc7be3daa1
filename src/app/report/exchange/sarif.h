#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "clip/clip.h"
#include "run/record/run_report.h"

namespace heddle::report {

struct SarifPlace {
  std::string file;  // as in the debug information; empty: unknown
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;
  std::string text;  // what happens there
};

// One step of the interleaving.
struct SarifStep {
  std::string thread;  // descent name
  SarifPlace place;
};

// One SARIF result: a failure, its location and its interleaving.
struct SarifFinding {
  std::string rule;  // an outcome kind
  std::string message;
  SarifPlace place;
  std::vector<SarifPlace> stack;    // of the failing thread, innermost first
  std::vector<SarifPlace> related;  // positions of the other threads, or accesses of the cause
  std::vector<SarifStep> steps;     // in order
  std::string signature;            // identifies the bug
  std::map<std::string, std::string> properties;
};

// Adds stack, other threads and preemptions of a failing run.
void add_run(SarifFinding& finding, const run::RunReport& report, std::span<const clip::ClipSwitch> preemptions);

// A SARIF 2.1.0 log with one run (tests/schemas/sarif-schema-2.1.0.json). Paths of files
// under `source_root` are relative to it, as code hosts require.
std::string sarif_log(std::span<const SarifFinding> findings, const std::string& tool_version,
                      const std::string& source_root);

}  // namespace heddle::report
