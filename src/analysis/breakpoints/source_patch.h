#pragma once
// The breakpoints of a set as a patch against the source, for `patch -p1` in the source root.
#include <string>
#include <vector>

#include "breakpoints/breakpoint_file.h"
#include "support/result.h"

namespace heddle::breakpoints {

// One source file with the set's breakpoints in it. Fails, with the place, where none can be written.
Result<std::string> insert_breakpoints(const std::string& text, const std::string& file, const NamedSet& set);

// "--- a/file, +++ b/file" and the hunks; empty when the texts are equal.
std::string unified_diff(const std::string& before, const std::string& after, const std::string& file);

struct SourcePatch {
  std::string text;
  std::string root;  // where it is to be applied
};
// `root` empty: the working directory if the sources are below it, else the folder that they have in common.
// `program`: sources with a relative path are looked for in the folders above it, too.
Result<SourcePatch> make_source_patch(const NamedSet& set, const std::string& root, const std::string& program);

}  // namespace heddle::breakpoints
