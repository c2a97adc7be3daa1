#include "coredump/core_export.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/files.h"
#include "support/unique_fd.h"

namespace heddle::binary {

static void to_json(nlohmann::json& json, const Branch& branch) { json = {branch.block, branch.successor}; }
static void from_json(const nlohmann::json& json, Branch& branch) { branch = {json.at(0), json.at(1)}; }

}  // namespace heddle::binary

namespace heddle::coredump {

// The names of the fields are keys of the file.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(IndexEntry, kind, function, source, point, has_call, region, loop, count,
                                   count_known, branches, nesting, line)

namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

std::vector<IndexEntry> entries_from(const Json& json) {
  for (const Json& entry : json) {
    const int kind = entry.at("kind"), nesting = entry.at("nesting");
    if (kind < 0 || kind > static_cast<int>(IndexEntry::Kind::Statement) || nesting < 0 ||
        nesting > static_cast<int>(binary::Nesting::Ancestor))
      throw Json::other_error::create(501, "unknown kind of entry", &json);
  }
  return json;
}

Json head_of(const FailingCore& core, const std::string& build_id) {
  Json stack = Json::array(), others = Json::object();
  for (const auto& [thread, index] : core.other_indices) others[thread] = index.entries;
  for (const binary::SourceFrame& frame : core.source_stack) stack.push_back({frame.function, frame.file, frame.line});
  const std::optional<std::uint64_t> points = core.view->points_of(core.image->threads.front());
  return {{"format", kExportFormat},
          {"version", kVersion},
          {"build_id", build_id},
          {"outcome", {static_cast<int>(core.outcome.kind), core.outcome.signal, core.outcome.signature}},
          {"thread", core.thread},
          {"threads", core.threads},
          {"bytes", core.bytes},
          {"points", points ? Json(*points) : Json(nullptr)},
          {"stack", std::move(stack)},
          {"problems", core.index.problems},
          {"index", core.index.entries},
          {"other_indices", std::move(others)}};
}

// The path is part of the hashed text, so that equal values of two variables have different hashes.
std::uint64_t hash_of(const HashKey& key, const std::string& path, std::string_view value) {
  std::string bytes = path;
  bytes += '\0';
  bytes += value;
  return keyed_hash(key, bytes);
}

Status write_key(const HashKey& key, const std::string& path) {
  ::unlink(path.c_str());
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  char text[40];
  const int size = std::snprintf(text, sizeof text, "%016llx%016llx\n", static_cast<unsigned long long>(key.high),
                                 static_cast<unsigned long long>(key.low));
  if (!fd.valid() || ::write(fd.get(), text, static_cast<std::size_t>(size)) != size)
    return Error{"cannot write " + path + ": " + std::strerror(errno)};
  return ok_status();
}

Result<HashKey> read_key(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  if (!(file >> text) || text.size() != 32 || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    return Error{path + " is not the key of an export; name the file that --export wrote with --key"};
  return HashKey{std::stoull(text.substr(16), nullptr, 16), std::stoull(text.substr(0, 16), nullptr, 16)};
}

}  // namespace

bool is_export(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  return file.get(first) && first == '{';
}

Result<ExportReport> write_export(const FailingCore& core, const std::string& build_id, const std::string& path) {
  HashKey key;
  if (::getrandom(&key, sizeof key, 0) != sizeof key) return Error{"no random numbers for the key of the export"};
  std::ofstream file(path, std::ios::trunc);
  if (!file) return Error{"cannot write " + path + ": " + std::strerror(errno)};
  file << head_of(core, build_id).dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  ExportReport report;
  binary::walk({*core.view, core.stack, core.other_stacks}, [&](const binary::WalkedVariable& variable) {
    char hash[20];
    std::snprintf(hash, sizeof hash, "%016llx",
                  static_cast<unsigned long long>(hash_of(key, variable.path, variable.value)));
    file << Json{variable.path, variable.type, hash}.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    ++report.variables;
  });
  report.bytes = static_cast<std::uint64_t>(file.tellp());
  if (!file.flush()) return Error{"cannot write " + path};
  report.key_path = path + ".key";
  if (Status written = write_key(key, report.key_path); !written) return written.error();
  return report;
}

Result<ExportedCore> read_export(const std::string& path, const std::string& key_path) {
  ExportedCore core;
  const Result<HashKey> key = read_key(key_path);
  if (!key) return key.error();
  core.key = *key;
  std::ifstream file(path);
  std::string line;
  std::uint64_t number = 1;
  try {
    std::getline(file, line);
    const Json head = Json::parse(line);
    if (head.at("format") != kExportFormat || head.at("version") != kVersion)
      return Error{path +
                   " is not an export of this version; write it again with: heddle core CORE --program P --export F"};
    core.build_id = head.at("build_id");
    core.outcome.kind = static_cast<format::OutcomeKind>(head.at("outcome").at(0).get<int>());
    core.outcome.signal = head.at("outcome").at(1);
    core.outcome.signature = head.at("outcome").at(2);
    core.thread = head.at("thread");
    core.threads = head.at("threads");
    core.bytes = head.at("bytes");
    if (!head.at("points").is_null()) core.index.point_count = head.at("points").get<std::uint64_t>();
    core.index.problems = head.at("problems").get<std::vector<std::string>>();
    core.index.entries = entries_from(head.at("index"));
    for (const auto& [thread, index] : head.at("other_indices").items())
      core.other_indices[thread].entries = entries_from(index);
    if (core.index.entries.empty()) return Error{path + " is damaged: it has no index; write it again"};
    for (const Json& frame : head.at("stack")) {
      binary::SourceFrame source;
      source.function = frame.at(0);
      source.file = frame.at(1);
      source.line = frame.at(2);
      core.source_stack.push_back(std::move(source));
    }
    while (std::getline(file, line)) {
      ++number;
      const Json variable = Json::parse(line);
      core.hashes[variable.at(0).get<std::string>()] = std::stoull(variable.at(2).get<std::string>(), nullptr, 16);
    }
  } catch (const std::exception&) {
    return Error{path + " is damaged in line " + std::to_string(number) + "; copy it again from its origin"};
  }
  return core;
}

binary::ComparisonReport compare_with_export(const ExportedCore& failing, binary::ComparedStack passing,
                                             const binary::SharedTest& is_shared) {
  constexpr std::size_t kListedMax = 20'000;
  binary::ComparisonReport report;
  binary::walk(passing, [&](const binary::WalkedVariable& variable) {
    const auto found = failing.hashes.find(variable.path);
    if (found == failing.hashes.end()) return;
    ++report.variables;
    if (variable.address != 0 && is_shared && is_shared(variable.address, variable.size)) ++report.shared;
    if (found->second == hash_of(failing.key, variable.path, variable.value)) return;
    ++report.differences;
    if (report.list.size() < kListedMax)
      report.list.push_back({variable.path, "hash", 0, variable.address, variable.size});
  });
  return report;
}

}  // namespace heddle::coredump
