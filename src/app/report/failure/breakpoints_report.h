#pragma once
#include <string>

#include "breakpoints/conflict_sweep.h"
#include "breakpoints/generator.h"
#include "report/run_json.h"

namespace heddle::report {

struct WrittenBreakpoints {
  std::string file;   // .breakpoints; empty: not written
  std::string patch;  // empty: not written
  std::string root;   // directory for applying the patch
};

// The document of `heddle breakpoints CLIP`.
Json breakpoints_json(const breakpoints::Generated& generated, const WrittenBreakpoints& written);
std::string breakpoints_text(const breakpoints::Generated& generated, const WrittenBreakpoints& written);

// The document of `heddle breakpoints --conflicts`.
Json conflicts_json(const breakpoints::SweepReport& report);
std::string conflicts_text(const breakpoints::SweepReport& report);

}  // namespace heddle::report
