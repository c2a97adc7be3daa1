#pragma once
// The breakpoints of a set as a patch against the source, for `patch -p1` in the source root.
#include <string>

#include "breakpoints/breakpoint_file.h"
#include "support/result.h"

namespace heddle::breakpoints {

// The text of a source file with the breakpoints of the set. An error names the place at which none can be inserted.
Result<std::string> insert_breakpoints(const std::string& text, const std::string& file, const BreakpointSet& set);

// "--- a/file, +++ b/file" and the hunks; empty if the texts are equal.
std::string unified_diff(const std::string& before, const std::string& after, const std::string& file);

struct SourcePatch {
  std::string text;
  std::string root;  // folder to apply it in
};
// `root` empty: the working directory if the sources are below it, otherwise their common folder. Sources with a
// relative path are also searched in the folders above `program`.
Result<SourcePatch> make_source_patch(const BreakpointSet& set, const std::string& root, const std::string& program);

}  // namespace heddle::breakpoints
