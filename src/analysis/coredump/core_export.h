#pragma once
// What the analysis needs of a core, without the values in it (multicore dumps, section 7): the index of the crash, and
// of each variable its path, its type and a keyed hash. Values that are few, as flags and small numbers, could be
// guessed from plain hashes; the key is in a file of its own, to be sent another way, or kept from all but the
// analysis.
//
// The file is text: one JSON object with what is known of the crash, then one array [path, type, hash] a line.
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "binary/image/comparison.h"
#include "coredump/index/failing_core.h"
#include "coredump/keyed_hash.h"

namespace heddle::coredump {

inline constexpr std::string_view kExportFormat = "heddle-core-export";

struct ExportedCore {
  run::Outcome outcome;
  std::vector<binary::SourceFrame> stack;
  std::string thread;
  std::string build_id;  // of the program that crashed
  FailureIndex index;
  std::map<std::string, FailureIndex> other_indices;
  std::uint64_t core_threads = 0;
  std::uint64_t core_bytes = 0;
  HashKey key;
  std::unordered_map<std::string, std::uint64_t> hashes;  // by path
};

struct ExportReport {
  std::string key_path;
  std::uint64_t variables = 0;
  std::uint64_t bytes = 0;
};

bool is_export(const std::string& path);
// The key goes to `path` + ".key", readable by its owner only. Both are files that are not there yet, or are replaced.
Result<ExportReport> write_export(const FailingCore& core, const std::string& build_id, const std::string& path);
Result<ExportedCore> read_export(const std::string& path, const std::string& key_path);

// As compare(): the variables that both sides have, and those of them whose hashes differ.
binary::ComparisonReport compare_with_export(const ExportedCore& failing, binary::ComparedStack passing,
                                             const binary::SharedTest& is_shared);

}  // namespace heddle::coredump
