#include "report/findings/source_units_report.h"

#include <fmt/format.h>

namespace heddle::report {
namespace {

constexpr std::size_t kNamesShown = 3;

std::string shown_names(const std::vector<std::string>& paths) {
  std::string text;
  for (std::size_t i = 0; i < std::min(paths.size(), kNamesShown); ++i)
    text += (i == 0 ? "" : ", ") + paths[i].substr(paths[i].rfind('/') + 1);
  return text + (paths.size() > kNamesShown ? ", ..." : "");
}

}  // namespace

Json assertions_json(const clip::SourceUnits& units) {
  return {{"units", units.count}, {"ndebug_units", units.ndebug.size()}, {"ndebug_files", units.ndebug}};
}

std::string ndebug_text(const clip::SourceUnits& units) {
  if (units.ndebug.empty()) return {};
  return fmt::format(
      "note: {} of {} {} compiled with NDEBUG ({}): their assertions are not checked; compile without -DNDEBUG (CMake: "
      "-DCMAKE_BUILD_TYPE=Debug, or RelWithDebInfo with CMAKE_CXX_FLAGS_RELWITHDEBINFO=\"-O2 -g\")\n",
      units.ndebug.size(), units.count, units.count == 1 ? "source file is" : "source files are",
      shown_names(units.ndebug));
}

}  // namespace heddle::report
