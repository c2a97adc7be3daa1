#include "run/replay/debugged_start.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "format/session.h"
#include "support/files.h"

namespace heddle::run {
namespace {

// The exec-wrapper in heddle_gdb.py contains both.
constexpr std::string_view kWord = "debugged-start";
constexpr const char* kToolVariable = "HEDDLE_DEBUG_TOOL";
constexpr const char* kStartVariable = "HEDDLE_DEBUG_START";  // descriptor of the file

constexpr std::size_t kStartSizeMax = std::size_t{64} << 20;  // more than execve accepts

struct Start {
  std::string program;
  std::string working_directory;  // empty: gdb's
  std::string stdin_file;         // empty: gdb's stdin
  Variables environment;
};

// Zero-terminated strings, because paths and variables may contain any other byte.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> strings;
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\0', at)) != std::string::npos; at = end + 1)
    strings.push_back(text.substr(at, end - at));
  return strings;
}

std::string absolute_or_empty(const std::string& path) { return path.empty() ? path : absolute_path(path); }

Result<UniqueFd> write_start(const ChildSpec& spec, const std::string& stdin_file) {
  std::vector<std::string> strings = {spec.program, absolute_or_empty(spec.working_directory),
                                      absolute_or_empty(stdin_file)};
  strings.insert(strings.end(), spec.environment.begin(), spec.environment.end());
  std::string text;
  for (const std::string& string : strings) text.append(string).push_back('\0');
  Result<UniqueFd> file = make_unnamed_file();
  if (file && !write_all(file->get(), text))
    return Error{"cannot write the start of the program for gdb to a file in memory; free some memory and try again"};
  return file;
}

std::optional<Start> read_start(int fd) {
  const std::vector<std::string> strings = split(read_all(fd, kStartSizeMax));
  if (strings.size() < 3) return std::nullopt;
  return Start{strings[0], strings[1], strings[2], variables_of(std::span(strings).subspan(3))};
}

bool is_set_by_gdb_or_shell(const std::string& name) {
  constexpr std::string_view kNames[] = {"LINES", "COLUMNS", "PWD", "OLDPWD", "SHLVL", "_"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// Shells pass only variables with such names to their children.
bool is_name_in_shell(const std::string& name) {
  return name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
}

// Applies `set environment` and `unset environment`: the difference to the initial environment of gdb.
void apply_changes(Variables& environment, const Variables& initial, const Variables& now) {
  for (const auto& [name, value] : now) {
    const auto before = initial.find(name);
    const bool changed = before == initial.end() || before->second != value;
    if (changed && !is_set_by_gdb_or_shell(name)) environment[name] = value;
  }
  for (const auto& [name, value] : initial) {
    if (!now.contains(name) && !is_set_by_gdb_or_shell(name) && is_name_in_shell(name)) environment.erase(name);
  }
}

bool differ(const std::string& left, const std::string& right) {
  struct stat a, b;
  if (::stat(left.c_str(), &a) != 0 || ::stat(right.c_str(), &b) != 0) return false;
  return a.st_dev != b.st_dev || a.st_ino != b.st_ino;
}

std::string path_of_tool() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

}  // namespace

Result<UniqueFd> put_in_debugger(ChildSpec& spec, const std::string& stdin_file,
                                 const std::vector<std::string>& command) {
  if (!spec.working_directory.empty() && !std::filesystem::is_directory(spec.working_directory)) {
    return Error{"cannot enter " + spec.working_directory + ": it is not a directory"};
  }
  Result<UniqueFd> start = write_start(spec, stdin_file);
  if (!start) return start;
  Variables environment = variables_of(own_environment());
  environment[format::kSessionVariable] = variables_of(spec.environment)[format::kSessionVariable];
  environment["SHELL"] = "/bin/sh";  // gdb quotes arguments for this shell
  environment[kToolVariable] = path_of_tool();
  environment[kStartVariable] = std::to_string(start->get());
  spec.program = command.front();
  spec.arguments = command;
  spec.environment = entries_of(environment);
  spec.working_directory.clear();
  spec.own_group = false;  // gdb shares the terminal with this process
  spec.inherited_fds.push_back(start->get());
  return start;
}

bool is_debugged_start(std::span<char* const> words) {
  return words.size() > 2 && words[1] == kWord && std::getenv(kStartVariable) != nullptr;
}

Error become_debugged_program(std::span<char* const> words) {
  UniqueFd file(std::atoi(std::getenv(kStartVariable)));
  std::optional<Start> start = read_start(file.get());
  if (!start)
    return Error{
        "gdb has closed the file with the start of the program; start it with `run` inside `heddle debug CLIP`"};
  file.reset();

  const std::string gdb = "/proc/" + std::to_string(::getppid());
  const Result<std::string> initial = read_file(gdb + "/environ");
  if (initial) {
    apply_changes(start->environment, variables_of(split(*initial)), variables_of(own_environment()));
  }

  ChildSpec spec;
  spec.program = start->program;
  spec.arguments = {start->program};
  spec.arguments.insert(spec.arguments.end(), words.begin() + 3, words.end());  // the words after the program's name
  spec.environment = entries_of(start->environment);
  if (!differ(".", gdb + "/cwd")) spec.working_directory = start->working_directory;
  spec.randomize_addresses = true;  // gdb has decided already
  UniqueFd input;
  if (!start->stdin_file.empty() && !differ("/proc/self/fd/0", gdb + "/fd/0")) {
    input = UniqueFd(::open(start->stdin_file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!input.valid()) return Error{"cannot open " + start->stdin_file + ": " + std::strerror(errno)};
    spec.stdin_fd = input.get();
  }
  return become_program(spec);
}

}  // namespace heddle::run
