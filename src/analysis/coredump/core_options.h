#pragma once
#include <string>

#include "coredump/search/passing_runs.h"
#include "coredump/search/search.h"
#include "run/run_options.h"

namespace heddle::coredump {

struct CoreOptions {
  std::string core_path;  // a core or an export
  std::string key_path;   // of the export; empty: `core_path`.key
  std::string production_program;
  run::RunOptions run;  // of the program that is run again
  std::string out_directory = "heddle-clips";
  SearchOptions search;
  bool by_count = false;    // align by the count of points instead of by the index (Table 5)
  bool at_accesses = true;  // preempt also at accesses to critical variables
  Wanted wanted = Wanted::Failure;
  bool keep_aligned_core = false;
};

}  // namespace heddle::coredump
