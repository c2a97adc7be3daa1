#include "breakpoints/sources.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "support/files.h"

namespace heddle::breakpoints {

namespace fs = std::filesystem;

Result<std::string> Sources::find(const std::string& file) const {
  std::error_code error;
  std::vector<fs::path> folders;
  if (!root_.empty()) folders.push_back(root_);
  folders.push_back(fs::current_path(error));
  for (fs::path folder = fs::path(program_).parent_path(); !folder.empty(); folder = folder.parent_path()) {
    folders.push_back(folder);
    if (folder == folder.parent_path()) break;
  }
  if (fs::path(file).is_absolute() && fs::exists(file, error)) return file;
  for (const fs::path& folder : folders)
    if (!fs::path(file).is_absolute() && fs::is_regular_file(folder / file, error))
      return fs::weakly_canonical(folder / file, error).string();
  return Error{"the source " + file + " was not found; name its folder with --root DIR"};
}

std::optional<Sources::StatementInfo> Sources::find_statement_at(const std::string& file, std::uint32_t line,
                                                                 std::uint32_t column) {
  const auto [known, is_new] = texts_.try_emplace(file);
  if (is_new) {
    const Result<std::string> path = find(file);
    const Result<std::string> read = path ? read_file(*path) : Result<std::string>(path.error());
    if (read) known->second = *read;
  }
  const std::string& text = known->second;
  const std::optional<Statement> statement = find_statement(text, line, column);
  if (!statement) return std::nullopt;
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(statement->begin);
  const auto first = static_cast<std::uint32_t>(std::count(text.begin(), begin, '\n') + 1);
  const std::string_view words = std::string_view(text).substr(statement->begin, statement->end - statement->begin);
  const std::optional<SplitStatement> parts = split_assignment(words);
  return StatementInfo{first, parts.has_value(), parts && parts->read == parts->target};
}

}  // namespace heddle::breakpoints
