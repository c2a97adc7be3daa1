#pragma once
// Options whose values are checked before the verb starts. The error for a wrong value names the option and says what
// to type instead.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/file_kind.h"
#include "cli/verb.h"

namespace heddle::cli {

// Whole numbers.
struct Bounds {
  std::uint64_t least = 1;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

// Each job is a process with its own memory.
inline constexpr Bounds kJobsBounds{1, 1024};
inline constexpr Bounds kAnyNumber{0};

CLI::Option* add_number_option(CLI::App& verb, const std::string& name, const std::string& what, Bounds bounds,
                               const std::function<void(std::uint64_t)>& keep);

template <typename Value>
struct IntegerIn {
  using Type = Value;
};
template <typename Value>
struct IntegerIn<std::optional<Value>> {
  using Type = Value;
};

// `value` is an integer or an optional integer; `bounds` are narrowed to the range of its type.
template <typename Value>
CLI::Option* add_number(CLI::App& verb, const std::string& name, Value& value, const std::string& what,
                        Bounds bounds = {}) {
  using Integer = typename IntegerIn<Value>::Type;
  bounds.most = std::min<std::uint64_t>(bounds.most, std::numeric_limits<Integer>::max());
  return add_number_option(verb, name, what, bounds,
                           [&value](std::uint64_t number) { value = static_cast<Integer>(number); });
}

// From 0 to 1.
CLI::Option* add_share(CLI::App& verb, const std::string& name, double& value, const std::string& what);

// Several numbers, separated by commas.
CLI::Option* add_number_list(CLI::App& verb, const std::string& name, std::vector<std::uint32_t>& values,
                             const std::string& what, Bounds bounds = {});

// One of `words`.
CLI::Option* add_choice(CLI::App& verb, const std::string& name, std::string& value, const std::string& what,
                        const std::vector<std::string>& words);

enum class Zero { NoBound, Refused };
// "30s", "500ms", "2m".
CLI::Option* add_duration(CLI::App& verb, const std::string& name, std::optional<std::chrono::milliseconds>& value,
                          const std::string& what, Zero zero);

// Returns whether the verb uses the path, given the other options. Empty: always.
using Needed = std::function<bool()>;

// An input file of one of these kinds.
CLI::Option* add_input(CLI::App& verb, Invocation& invocation, const std::string& name, std::string& path,
                       const std::string& what, const std::vector<FileKind>& kinds, const Needed& needed = {});
CLI::Option* add_inputs(CLI::App& verb, Invocation& invocation, const std::string& name,
                        std::vector<std::string>& paths, const std::string& what, const std::vector<FileKind>& kinds);

// Whole: a temporary file is renamed when it is complete. InPlace: the file itself is written.
enum class Writing { Whole, InPlace };
CLI::Option* add_output_file(CLI::App& verb, Invocation& invocation, const std::string& name, std::string& path,
                             const std::string& what, const Needed& needed = {}, Writing writing = Writing::Whole);
// `inside`: the subfolder that receives the files.
CLI::Option* add_output_directory(CLI::App& verb, Invocation& invocation, const std::string& name, std::string& path,
                                  const std::string& what, const Needed& needed = {}, const std::string& inside = "");

}  // namespace heddle::cli
