#include "support/installation.h"

#include <cstdlib>
#include <filesystem>

namespace heddle {

Installation find_installation() {
  std::filesystem::path library_dir;
  if (const char* named = std::getenv("HEDDLE_LIBRARY_DIR")) {
    library_dir = named;
  } else {
    std::error_code error;
    const std::filesystem::path tool = std::filesystem::read_symlink("/proc/self/exe", error);
    library_dir = tool.parent_path().parent_path() / "lib" / "heddle";
  }
  return {library_dir.string(), library_dir / "libheddle_rt.so", library_dir / "heddle_instrument.so",
          library_dir / "heddle_gdb.py"};
}

}  // namespace heddle
