#include "coredump/given_core.h"

#include "binary/elf_file.h"
#include "support/duration.h"

namespace heddle::coredump {
namespace {

Result<GivenCore> read_image(const CoreOptions& options, binary::Symbolizer& symbolizer) {
  Result<FailingCore> core = read_failing_core(options.core_path, options.production_program, symbolizer);
  if (!core) return core.error();
  GivenCore given;
  given.failing = std::move(*core);
  FailingCore& failing = given.failing;
  given.table = std::move(failing.table);
  given.other_indices = failing.other_indices;
  given.says.index = failing.index;
  given.says.index.point_count = failing.view->points_of(failing.image->threads.front());
  given.says.thread = failing.thread;
  given.says.threads = failing.image->threads.size();
  given.says.bytes = failing.image->size_bytes;
  given.says.stack = failing.source_stack;
  given.says.outcome = failing.outcome;
  return given;
}

Result<GivenCore> read_exported(const CoreOptions& options) {
  const std::string key = options.key_path.empty() ? options.core_path + ".key" : options.key_path;
  Result<ExportedCore> core = read_export(options.core_path, key);
  if (!core) return core.error();
  Result<binary::ElfFile> file = binary::ElfFile::open(options.production_program);
  if (!file) return file.error();
  if (file->build_id() != core->build_id)
    return Error{options.core_path + " is of another build than " + options.production_program +
                 "; give the very file that ran with --program"};
  Result<binary::BlockTable> table =
      binary::BlockTable::read(options.production_program, "HEDDLE_BUILD=production heddle-c++");
  if (!table) return table.error();
  GivenCore given;
  given.table = std::move(*table);
  given.other_indices = core->other_indices;
  given.says.index = core->index;
  given.says.thread = core->thread;
  given.says.threads = core->core_threads;
  given.says.bytes = core->core_bytes;
  given.says.stack = core->stack;
  given.says.outcome = core->outcome;
  given.exported = std::move(*core);
  return given;
}

std::vector<std::uint32_t> shape_of(const binary::FunctionRow& row) {
  std::vector<std::uint32_t> words;
  for (const binary::BlockRow& block : row.blocks) {
    words.insert(words.end(), block.successors.begin(), block.successors.end());
    words.push_back(~std::uint32_t{0});
  }
  return words;
}

}  // namespace

Result<GivenCore> read_given_core(const CoreOptions& options, binary::Symbolizer& symbolizer) {
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  Result<GivenCore> given = is_export(options.core_path) ? read_exported(options) : read_image(options, symbolizer);
  if (!given) return given.error();
  if (!options.by_count) {
    given->says.index.point_count.reset();
  } else if (!given->says.index.point_count) {
    return Error{options.production_program +
                 " does not count its points; build it with HEDDLE_COUNT_POINTS=1 HEDDLE_BUILD=production heddle-c++"};
  }
  given->says.seconds = seconds_since(begin);
  return given;
}

Status check_same_blocks(const GivenCore& core, const binary::BlockTable& table, const std::string& program,
                         const std::string& production_program) {
  for (const IndexEntry& entry : core.says.index.entries) {
    const binary::FunctionRow* there = core.table.find(entry.function, entry.source);
    const binary::FunctionRow* here = table.find(entry.function, entry.source);
    if (here != nullptr && there != nullptr && shape_of(*here) == shape_of(*there)) continue;
    return Error{program + " is not the same code as " + production_program + " (" + binary::demangle(entry.function) +
                 " differs); build both from one source with the same options"};
  }
  return ok_status();
}

}  // namespace heddle::coredump
