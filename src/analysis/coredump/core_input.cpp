#include "coredump/core_input.h"

#include "binary/elf_file.h"
#include "support/duration.h"

namespace heddle::coredump {
namespace {

Result<CoreInput> read_image(const CoreOptions& options, binary::Symbolizer& symbolizer) {
  Result<FailingCore> core = read_failing_core(options.core_path, options.production_program, symbolizer);
  if (!core) return core.error();
  CoreInput input;
  input.facts = *core;
  input.facts.index.point_count = core->view->points_of(core->image->threads.front());
  input.table = std::move(core->table);
  input.failing = std::move(*core);
  return input;
}

Result<CoreInput> read_exported(const CoreOptions& options) {
  const std::string key = options.key_path.empty() ? options.core_path + ".key" : options.key_path;
  Result<ExportedCore> core = read_export(options.core_path, key);
  if (!core) return core.error();
  Result<binary::ElfFile> file = binary::ElfFile::open(options.production_program);
  if (!file) return file.error();
  if (file->build_id() != core->build_id)
    return Error{options.core_path + " is of another build than " + options.production_program +
                 "; name the file that crashed with --program"};
  Result<binary::BlockTable> table =
      binary::BlockTable::read(options.production_program, "HEDDLE_BUILD=production heddle-c++");
  if (!table) return table.error();
  CoreInput input;
  input.facts = *core;
  input.table = std::move(*table);
  input.exported = std::move(*core);
  return input;
}

// The control flow of a function as one sequence.
std::vector<std::uint32_t> shape_of(const binary::FunctionRow& row) {
  std::vector<std::uint32_t> words;
  for (const binary::BlockRow& block : row.blocks) {
    words.insert(words.end(), block.successors.begin(), block.successors.end());
    words.push_back(~std::uint32_t{0});
  }
  return words;
}

}  // namespace

Result<CoreInput> read_core_input(const CoreOptions& options, binary::Symbolizer& symbolizer) {
  const auto begin = std::chrono::steady_clock::now();
  Result<CoreInput> input = is_export(options.core_path) ? read_exported(options) : read_image(options, symbolizer);
  if (!input) return input.error();
  if (!options.by_count) {
    input->facts.index.point_count.reset();
  } else if (!input->facts.index.point_count) {
    return Error{options.production_program +
                 " does not count its points; build it with HEDDLE_COUNT_POINTS=1 HEDDLE_BUILD=production heddle-c++"};
  }
  input->facts.seconds = seconds_since(begin);
  return input;
}

Status check_same_blocks(const CoreInput& core, const binary::BlockTable& table, const std::string& program,
                         const std::string& production_program) {
  for (const IndexEntry& entry : core.facts.index.entries) {
    const binary::FunctionRow* there = core.table.find(entry.function, entry.source);
    const binary::FunctionRow* here = table.find(entry.function, entry.source);
    if (here != nullptr && there != nullptr && shape_of(*here) == shape_of(*there)) continue;
    return Error{program + " is not the same code as " + production_program + " (" + binary::demangle(entry.function) +
                 " differs); build both from one source with the same options"};
  }
  return ok_status();
}

}  // namespace heddle::coredump
