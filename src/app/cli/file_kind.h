#pragma once
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::cli {

// What a file is by its first bytes; its name does not count.
enum class FileKind {
  Clip,  // compressed or not
  Trace,
  StdTrace,
  Graph,
  Core,
  CoreExport,
  CoreKey,
  Breakpoints,
  Program,  // ELF with an interpreter, or a script
  Library,
  Object,
  Compressed,
  Json,
  Html,
  Xml,
  Text,
  Directory,
  Empty,
  Unknown,
  Unread,  // missing, not readable, or a pipe or device whose first bytes can be read only once
};

FileKind kind_of_file(const std::string& path);

// Fails when `path` cannot be read or is none of `wanted`: says what it is and what to type instead. REQUIRES: `wanted`
// is not empty; its first kind is the one that is named.
Status check_kind(const std::string& path, const std::vector<FileKind>& wanted);

// What the file `path`, typed where a program has to stand, is instead; nothing when that is not known.
std::optional<Error> why_not_a_program(const std::string& path);
// The same for a file that is typed where the name of a verb has to stand.
Error not_a_verb(const std::string& path);

}  // namespace heddle::cli
