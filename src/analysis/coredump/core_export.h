#pragma once
// The parts of a core that the analysis needs, without values (multicore dumps, section 7): the index of the crash, and
// the path, the type and a keyed hash of each variable. Flags and small numbers could be guessed from plain hashes. The
// key is therefore in a separate file, which can be sent by another channel, or given to the analysis only.
//
// The file is text: one JSON object that describes the crash, then one array [path, type, hash] per line.
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "binary/image/comparison.h"
#include "coredump/index/failing_core.h"
#include "coredump/keyed_hash.h"

namespace heddle::coredump {

inline constexpr std::string_view kExportFormat = "heddle-core-export";

struct ExportedCore : CoreFacts {
  std::string build_id;  // of the program that crashed
  HashKey key;
  std::unordered_map<std::string, std::uint64_t> hashes;  // by path
};

struct ExportReport {
  std::string key_path;
  std::uint64_t variables = 0;
  std::uint64_t bytes = 0;
};

bool is_export(const std::string& path);
// Replaces both files. Only the owner can read the key, `path`.key.
Result<ExportReport> write_export(const FailingCore& core, const std::string& build_id, const std::string& path);
Result<ExportedCore> read_export(const std::string& path, const std::string& key_path);

// As binary::compare(): counts the variables that both sides have, and lists those with different hashes.
binary::ComparisonReport compare_with_export(const ExportedCore& failing, binary::ComparedStack passing,
                                             const binary::SharedTest& is_shared);

}  // namespace heddle::coredump
