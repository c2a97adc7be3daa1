#pragma once
#include <string>

namespace heddle {

// The parts of Heddle that the tools need at run time. They stand in lib/heddle beside the bin that holds the tool, in
// the build tree as under an installed prefix; HEDDLE_LIBRARY_DIR names another place.
struct Installation {
  std::string library_dir;
  std::string runtime;     // libheddle_rt.so
  std::string plugin;      // the pass
  std::string gdb_script;  // heddle_gdb.py
};

Installation find_installation();

}  // namespace heddle
