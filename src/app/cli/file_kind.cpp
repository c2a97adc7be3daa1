#include "cli/file_kind.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

#include "binary/elf_file.h"
#include "breakpoints/breakpoint_file.h"
#include "clip/clip_words.h"
#include "coredump/core_export.h"
#include "graph/store/graph_file.h"
#include "report/run_text.h"
#include "support/files.h"
#include "support/unique_fd.h"
#include "trace/file/chunk.h"
#include "trace/file/compression.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kHeadMax = 256 << 10;  // bytes that are read: a whole block of a compressed file

std::string read_head(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return fd.valid() ? read_all(fd.get(), kHeadMax) : std::string();
}

bool is_text(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](unsigned char c) {
    return c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\033';
  });
}

std::string_view first_line(std::string_view bytes) { return bytes.substr(0, bytes.find('\n')); }

FileKind kind_of_elf(std::string_view bytes) {
  switch (binary::kind_of_elf(bytes)) {
    case binary::ElfKind::Core:
      return FileKind::Core;
    case binary::ElfKind::Object:
      return FileKind::Object;
    case binary::ElfKind::Program:
      return FileKind::Program;
    case binary::ElfKind::Library:
      return FileKind::Library;
    default:
      return FileKind::Unknown;
  }
}

// "T1|acq(m)|3"
bool is_std_event(std::string_view line) {
  const std::size_t first = line.find('|'), last = line.rfind('|');
  if (first == std::string_view::npos || first == last || first == 0) return false;
  const std::string_view operation = line.substr(first + 1, last - first - 1);
  return operation.find('(') != std::string_view::npos && operation.ends_with(')');
}

bool is_key(std::string_view bytes) {
  const std::string_view line = first_line(bytes);
  return line.size() == 32 && bytes.size() <= 33 &&
         line.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool starts_like(std::string_view bytes, std::string_view tag) {
  return bytes.size() >= tag.size() && std::equal(tag.begin(), tag.end(), bytes.begin(),
                                                  [](char a, unsigned char b) { return a == std::tolower(b); });
}

// Files of Heddle whose first line is a JSON object; the rest may be damaged.
FileKind kind_of_json(std::string_view bytes) {
  const std::string_view line = first_line(bytes);
  const std::string clip_key = "\"" + std::string(clip::kClipKey) + "\"";
  if (line.find(clip_key) != std::string_view::npos || ("{" + clip_key).starts_with(bytes)) return FileKind::Clip;
  if (line.find(coredump::kExportFormat) != std::string_view::npos) return FileKind::CoreExport;
  return is_text(bytes) ? FileKind::Json : FileKind::Unknown;
}

FileKind kind_of_text(std::string_view bytes) {
  if (bytes.starts_with("#!")) return FileKind::Program;
  if (bytes.starts_with(breakpoints::kBreakpointFileHead)) return FileKind::Breakpoints;
  if (is_key(bytes)) return FileKind::CoreKey;
  const std::string_view from = bytes.substr(std::min(bytes.find_first_not_of(" \t\r\n"), bytes.size()));
  if (from.starts_with('[')) return FileKind::Json;
  if (starts_like(from, "<!doctype html") || starts_like(from, "<html")) return FileKind::Html;
  if (from.starts_with("<?xml")) return FileKind::Xml;
  return is_std_event(first_line(from)) ? FileKind::StdTrace : FileKind::Text;
}

FileKind kind_of_bytes(std::string_view bytes) {
  if (bytes.empty()) return FileKind::Empty;
  // Also recognises files that are cut short.
  if (bytes.starts_with(trace::kTraceMagic) || trace::kTraceMagic.starts_with(bytes)) return FileKind::Trace;
  if (bytes.starts_with(graph::kGraphMagic)) return FileKind::Graph;
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return kind_of_elf(bytes);
  if (bytes.starts_with("\x1f\x8b")) return FileKind::Compressed;
  if (trace::is_compressed_file(bytes)) {
    const std::string inside = trace::decompress_file(bytes, kHeadMax).bytes;
    return !inside.empty() && kind_of_bytes(inside) == FileKind::Clip ? FileKind::Clip : FileKind::Compressed;
  }
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && bytes[begin] == '{') return kind_of_json(bytes.substr(begin));
  return is_text(bytes) ? kind_of_text(bytes) : FileKind::Unknown;
}

// As in "x is a clip".
constexpr std::pair<FileKind, const char*> kKindTexts[] = {
    {FileKind::Clip, "a clip"},
    {FileKind::Trace, "a trace"},
    {FileKind::StdTrace, "a trace in STD form"},
    {FileKind::Graph, "a graph"},
    {FileKind::Core, "a core file"},
    {FileKind::CoreExport, "an export of a core file"},
    {FileKind::CoreKey, "the key of an export"},
    {FileKind::Breakpoints, "a breakpoints file"},
    {FileKind::Program, "a program"},
    {FileKind::Library, "a shared library or a static program"},
    {FileKind::Object, "an object file"},
    {FileKind::Compressed, "a compressed file"},
    {FileKind::Json, "a JSON document"},
    {FileKind::Html, "an HTML page"},
    {FileKind::Xml, "an XML document"},
    {FileKind::Text, "text"},
    {FileKind::Directory, "a directory"},
    {FileKind::Empty, "an empty file"},
};

const char* kind_text(FileKind kind) {
  for (const auto& [known, text] : kKindTexts)
    if (known == kind) return text;
  return "of an unknown format";
}

std::string line_to_type(std::vector<std::string> words) { return "type: " + report::command_text(words); }

// The command for such a file; empty: Heddle has none.
std::string use_of(const std::string& path, FileKind kind) {
  switch (kind) {
    case FileKind::Clip:
      return line_to_type({"heddle", "replay", path});
    case FileKind::Trace:
      return line_to_type({"heddle", "trace", "info", path});
    case FileKind::StdTrace:
      return line_to_type({"heddle", "predict", "--no-validate", "--trace", path});
    case FileKind::Graph:
      return line_to_type({"heddle", "graph", "show", path});
    case FileKind::Core:
    case FileKind::CoreExport:
      return line_to_type({"heddle", "core", path, "--program", "PROGRAM", "--", "PROGRAM_WITH_BRANCHES"});
    case FileKind::CoreKey:
      return "give it with: heddle core EXPORT --key KEY";
    case FileKind::Breakpoints:
      return "type: HEDDLE_BREAKPOINTS=" + report::command_text({path}) + " ./program";
    case FileKind::Program:
      return line_to_type({"heddle", "hunt", "--", path});
    default:
      return "";
  }
}

std::string origin_of(FileKind wanted) {
  switch (wanted) {
    case FileKind::Clip:
      return "clips come from heddle hunt, heddle explore and heddle run --clip";
    case FileKind::Trace:
      return "traces come from heddle run --record";
    case FileKind::Graph:
      return "graphs come from heddle graph collect";
    case FileKind::Core:
      return "give the file that the kernel wrote when the program crashed";
    case FileKind::CoreKey:
      return "give the file that was written beside the export, with .key at its end";
    case FileKind::Program:
      return "give a program that was built with heddle-c++";
    default:
      return "";
  }
}

std::string advice(const std::string& path, FileKind found, FileKind wanted) {
  if (found == FileKind::Program && wanted == FileKind::Core)
    return "give the core file first and the program with --program";
  if (found == FileKind::Core && wanted == FileKind::Program) return "give the program that left the core file";
  if (found == FileKind::Directory && wanted == FileKind::Clip)
    return line_to_type({"heddle", "test", "--clips", path});
  const std::string use = use_of(path, found);
  return use.empty() ? origin_of(wanted) : use;
}

std::string with_advice(std::string text, const std::string& advice) {
  return advice.empty() ? text : text + "; " + advice;
}

bool is_source(const std::string& path) {
  constexpr std::array<std::string_view, 6> kEndings = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C"};
  const std::string ending = std::filesystem::path(path).extension().string();
  return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

std::string compile_line(const std::string& path) {
  const bool is_c = std::filesystem::path(path).extension() == ".c";
  return line_to_type(
      {is_c ? "heddle-cc" : "heddle-c++", "-g", "-pthread", path, "-o", std::filesystem::path(path).stem().string()});
}

}  // namespace

FileKind kind_of_file(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return FileKind::Unread;
  if (S_ISDIR(status.st_mode)) return FileKind::Directory;
  if (!S_ISREG(status.st_mode) || !check_readable_file(path)) return FileKind::Unread;
  return kind_of_bytes(read_head(path));
}

Status check_kind(const std::string& path, const std::vector<FileKind>& wanted) {
  const FileKind found = kind_of_file(path);
  if (std::find(wanted.begin(), wanted.end(), found) != wanted.end()) return ok_status();
  if (found == FileKind::Unread) return check_readable_file(path);
  return Error{with_advice(path + " is " + kind_text(found) + ", not " + kind_text(wanted.front()),
                           advice(path, found, wanted.front()))};
}

std::optional<Error> why_not_a_program(const std::string& path) {
  const FileKind found = kind_of_file(path);
  if (found == FileKind::Program || found == FileKind::Unread || found == FileKind::Directory) return std::nullopt;
  if (is_source(path)) return Error{path + " is source code, not a program; compile it first, " + compile_line(path)};
  if (found == FileKind::Text || found == FileKind::Unknown) return std::nullopt;
  return Error{with_advice(path + " is " + kind_text(found) + ", not a program", use_of(path, found))};
}

Error not_a_verb(const std::string& path) {
  const FileKind found = kind_of_file(path);
  const std::string use = is_source(path) ? "compile it first, " + compile_line(path) : use_of(path, found);
  return Error{path + " is " + (is_source(path) ? "source code" : kind_text(found)) + ", not a verb; " +
               (use.empty() ? "the verbs are in: heddle --help" : use)};
}

}  // namespace heddle::cli
