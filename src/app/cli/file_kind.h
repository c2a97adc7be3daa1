#pragma once
#include <optional>
#include <string>
#include <vector>

#include "support/result.h"

namespace heddle::cli {

// The kind of a file, by its first bytes and not by its name.
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
  Unread,  // missing, unreadable, or a pipe or device, which can be read only once
};

FileKind kind_of_file(const std::string& path);

// Fails if `path` cannot be read or has none of the kinds in `wanted`; the message names the kind of the file, the
// first wanted kind, and what to type instead. REQUIRES: `wanted` is not empty.
Status check_kind(const std::string& path, const std::vector<FileKind>& wanted);

// The error for a file `path` in the place of a program; nullopt: its kind is unknown.
std::optional<Error> why_not_a_program(const std::string& path);
// The error for a file in the place of a verb.
Error not_a_verb(const std::string& path);

}  // namespace heddle::cli
