#pragma once
#include <string>

namespace heddle {

// The parts of Heddle that the tools need at run time. They are in lib/heddle next to the bin folder of the tool, both
// in the build tree and under an installed prefix. HEDDLE_LIBRARY_DIR overrides the folder.
struct Installation {
  std::string library_dir;
  std::string runtime;     // libheddle_rt.so
  std::string plugin;      // heddle_instrument.so, the compiler pass
  std::string gdb_script;  // heddle_gdb.py
};

Installation find_installation();

}  // namespace heddle
