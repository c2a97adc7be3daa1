#include "breakpoints/source_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "breakpoints/sources.h"
#include "support/files.h"

namespace heddle::breakpoints {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kContextLines = 3;

// The insertions around one statement, in the order of execution.
struct Insertions {
  Statement statement;
  std::vector<std::string> before, after;
  std::vector<std::string> in_condition;  // before it, in each iteration
  std::vector<std::string> in_bodies;     // at the begin of each block that it controls
  std::string replacement;                // of the statement; empty: none
};

// One place of one breakpoint of the set.
struct Target {
  const Rendezvous& rendezvous;
  std::string name;   // of the breakpoint
  std::size_t place;  // index
  const RendezvousPoint& at;

  // The first thread of a guarded rendezvous.
  bool guards() const { return rendezvous.guarded && place == 0; }
};

Error cannot_place(const RendezvousPoint& at, const char* why) {
  return Error{fmt::format("cannot insert a breakpoint before {}:{}: {}; use the .breakpoints file, which does not "
                           "change the source",
                           at.source.file, at.source.line, why),
               ExitCode::Found};
}

// Inserts the breakpoints of a set into one file. A plain breakpoint is a call before its statement. A guard begins
// before its statement and ends after it, and also at the begin of each block that the statement controls, because its
// condition has been evaluated there. A thread that must stop between a statement's read and its write gets the
// statement split in two. In C, which has no destructors or chained setters, the same is written with variables.
class Writer {
 public:
  Writer(const std::string& text, const std::string& file, const BreakpointSet& set)
      : text_(text), file_(file), set_(set), c_(file.ends_with(".c")) {}

  Result<std::string> write() {
    std::multimap<std::size_t, Target> targets;  // by event
    for (std::size_t i = 0; i < set_.meetings.size(); ++i) {
      const Rendezvous& rendezvous = set_.meetings[i];
      for (std::size_t place = 0; place < rendezvous.places.size(); ++place) {
        const RendezvousPoint& at = rendezvous.places[place];
        if (at.source.file == file_) targets.emplace(at.event, Target{rendezvous, set_.breakpoint_name(i), place, at});
      }
    }
    for (const auto& [event, target] : targets)
      if (Status added = add(target); !added) return added.error();
    return apply();
  }

 private:
  Status add(const Target& target) {
    const std::optional<Statement> statement = find_statement(text_, target.at.source.line, target.at.column);
    if (!statement) return cannot_place(target.at, "it is not in a statement of a function's body");
    const bool every_time = statement->repeats && target.at.earlier_passes != 0;
    if (every_time && (c_ || statement->condition == 0 || target.guards()))
      return cannot_place(target.at, "it is in the condition of a loop, and not in its first evaluation");
    Insertions& around =
        insertions_.try_emplace(statement->begin, Insertions{*statement, {}, {}, {}, {}, ""}).first->second;
    if (target.at.inside_statement && !target.guards()) return split(around, target);
    const int number = ++target_count_;
    if (every_time) {
      around.in_condition.push_back(fmt::format("(void)HEDDLE_BREAKPOINT_HERE({}), ", arguments(target)));
    } else if (!target.guards()) {
      around.before.push_back(reach(target, number));
    } else if (c_) {
      around.before.push_back(declare_in_c(target, number) +
                              fmt::format("heddle_breakpoint_begin(&heddle_place_{});", number));
      add_guard_end(around, fmt::format("heddle_breakpoint_done(&heddle_place_{});", number));
    } else if (target.rendezvous.guards_critical_section || statement->jumps) {
      around.before.push_back(fmt::format("HEDDLE_BREAKPOINT({});", arguments(target)));
    } else {
      around.before.push_back(fmt::format("HEDDLE_BREAKPOINT_BEGIN(heddle_guard_{}, {});", number, arguments(target)));
      add_guard_end(around, fmt::format("HEDDLE_BREAKPOINT_END(heddle_guard_{});", number));
    }
    return ok_status();
  }

  static void add_guard_end(Insertions& around, const std::string& end) {
    around.after.insert(around.after.begin(), end);
    around.in_bodies.push_back(end);
  }

  // Inserts the breakpoint between the read and the write of a statement.
  Status split(Insertions& around, const Target& place) {
    const std::optional<SplitStatement> parts = split_assignment(
        std::string_view(text_).substr(around.statement.begin, around.statement.end - around.statement.begin));
    if (!parts || !around.replacement.empty())
      return cannot_place(place.at,
                          "the thread must stop within one statement, between its read and its write; split the "
                          "statement in two");
    const int number = ++target_count_;
    const std::string value = fmt::format("heddle_value_{}", number);
    const char* const automatic = c_ ? "__auto_type" : "auto";
    // An index or a pointer in the target is also read before the stop.
    std::string target = parts->target;
    if (target.find_first_of("[>") != std::string::npos) {
      const std::string bound = fmt::format("heddle_target_{}", number);
      around.replacement =
          c_ ? fmt::format("__auto_type {} = &{};\n", bound, target) : fmt::format("auto&& {} = {};\n", bound, target);
      target = c_ ? "*" + bound : bound;
    }
    const std::string& read = parts->read == parts->target ? target : parts->read;
    around.replacement += fmt::format("{} {} = {};\n", automatic, value, read);
    if (!parts->change.empty()) around.replacement += fmt::format("{}{};\n", value, parts->change);
    around.replacement += fmt::format("{}\n{} = {};", reach(place, number), target, value);
    return ok_status();
  }

  std::string arguments(const Target& target) const {
    const std::size_t count = target.rendezvous.places.size();
    std::string text = fmt::format("\"{}\", ", target.name);
    if (count != 2)
      text += fmt::format("nth({}, {})", target.place, count);
    else
      text += target.place == 0 ? "first()" : "second()";
    const unsigned role = set_.role_of(target.at.thread);
    text += role == kRoleMain ? ".in_main()" : fmt::format(".role({})", role);
    if (target.at.earlier_passes != 0) text += fmt::format(".ignore_first({})", target.at.earlier_passes);
    return text + fmt::format(".bound(1).tries(1).timeout_ms({})", set_.timeout_ms);
  }

  std::string reach(const Target& target, int number) const {
    if (!c_) return fmt::format("HEDDLE_BREAKPOINT_HERE({});", arguments(target));
    return declare_in_c(target, number) + fmt::format("heddle_breakpoint_reach(&heddle_place_{});", number);
  }

  std::string declare_in_c(const Target& target, int number) const {
    const std::size_t count = target.rendezvous.places.size();
    const std::string name = fmt::format("heddle_place_{}", number);
    std::string text =
        fmt::format("struct heddle_breakpoint {} = HEDDLE_PLACE(\"{}\", {});\n", name, target.name, target.place);
    if (count != 2) text += fmt::format("{}.places = {};\n", name, count);
    text += fmt::format("{}.role = {};\n", name, set_.role_of(target.at.thread));
    if (target.at.earlier_passes != 0) text += fmt::format("{}.ignore_first = {};\n", name, target.at.earlier_passes);
    text += fmt::format("{0}.bound = {0}.tries = 1;\n{0}.timeout_ms = {1};\n", name, set_.timeout_ms);
    return text;
  }

  std::string indentation_of(std::size_t at) const {
    const std::size_t newline = text_.rfind('\n', at);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    const std::size_t end = text_.find_first_not_of(" \t", begin);
    return text_.substr(begin, std::min(end, at) - begin);
  }

  // Applies the edits from the last to the first, so that the offsets of earlier ones stay valid.
  std::string apply() const {
    struct Edit {
      std::size_t end;
      std::string text;
    };
    std::multimap<std::size_t, Edit, std::greater<>> edits;  // by begin
    for (const auto& [begin, around] : insertions_) {
      const Statement& statement = around.statement;
      const bool braces = statement.alone;
      const std::string indent = indentation_of(begin) + (braces ? "  " : "");
      std::string before = braces ? "{\n" + indent : "";
      for (const std::string& line : around.before) before += indented(line, indent) + "\n" + indent;
      std::string after;
      for (const std::string& line : around.after) after += "\n" + indent + indented(line, indent);
      if (braces) after += "\n" + indentation_of(begin) + "}";
      if (around.replacement.empty()) {
        edits.emplace(begin, Edit{begin, before});
        edits.emplace(statement.end, Edit{statement.end, after});
        for (const std::string& text : around.in_condition)
          edits.emplace(statement.condition, Edit{statement.condition, text});
        for (const std::size_t body : statement.bodies)
          for (const std::string& line : around.in_bodies) edits.emplace(body, Edit{body, "\n" + indent + "  " + line});
      } else {
        edits.emplace(begin, Edit{statement.end, before + indented(around.replacement, indent) + after});
      }
    }
    edits.emplace(include_place(), Edit{include_place(), "#include <heddle/breakpoint.h>\n\n"});
    std::string patched = text_;
    for (const auto& [begin, edit] : edits) patched.replace(begin, edit.end - begin, edit.text);
    return patched;
  }

  static std::string indented(const std::string& lines, const std::string& indent) {
    std::string text;
    for (const char letter : lines) text += letter == '\n' ? "\n" + indent : std::string(1, letter);
    return text;
  }

  // Before the first #include, or at the begin of the text.
  std::size_t include_place() const {
    if (text_.starts_with("#include")) return 0;
    const std::size_t found = text_.find("\n#include");
    return found == std::string::npos ? 0 : found + 1;
  }

  const std::string& text_;
  const std::string& file_;
  const BreakpointSet& set_;
  const bool c_;
  std::map<std::size_t, Insertions> insertions_;  // by the statement's begin
  int target_count_ = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

struct DiffLine {
  char mark;
  const std::string* text;
  std::size_t old_line, new_line;  // lines before it
};

// The nearest pair of equal lines after a[i] and b[j]; the ends of both texts if there is none.
std::pair<std::size_t, std::size_t> next_common(const std::vector<std::string>& a, std::size_t i,
                                                const std::vector<std::string>& b, std::size_t j) {
  if (i == a.size() || j == b.size()) return {a.size(), b.size()};
  for (std::size_t distance = 1; distance < a.size() + b.size(); ++distance) {
    for (std::size_t skipped = 0; skipped <= distance; ++skipped) {
      const std::size_t next_i = i + skipped, next_j = j + distance - skipped;
      if (next_i < a.size() && next_j < b.size() && a[next_i] == b[next_j]) return {next_i, next_j};
    }
  }
  return {a.size(), b.size()};
}

// Not always the shortest difference, but the texts differ in a few lines only.
std::vector<DiffLine> diff_lines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<DiffLine> lines;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      lines.push_back({' ', &a[i], i, j});
      ++i, ++j;
      continue;
    }
    const auto [next_i, next_j] = next_common(a, i, b, j);
    for (; i < next_i; ++i) lines.push_back({'-', &a[i], i, j});
    for (; j < next_j; ++j) lines.push_back({'+', &b[j], i, j});
  }
  return lines;
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

Result<std::string> insert_breakpoints(const std::string& text, const std::string& file, const BreakpointSet& set) {
  return Writer(text, file, set).write();
}

std::string unified_diff(const std::string& before, const std::string& after, const std::string& file) {
  const std::vector<std::string> a = lines_of(before), b = lines_of(after);
  const std::vector<DiffLine> lines = diff_lines(a, b);
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    std::size_t first = at;
    while (first < lines.size() && lines[first].mark == ' ') ++first;
    if (first == lines.size()) break;
    std::size_t last = first;  // last change of this hunk
    for (std::size_t k = first; k < lines.size() && k - last <= 2 * kContextLines; ++k)
      if (lines[k].mark != ' ') last = k;
    const std::size_t begin = first - std::min(first - at, kContextLines);
    const std::size_t end = std::min(last + 1 + kContextLines, lines.size());
    std::size_t old_count = 0, new_count = 0;
    std::string hunk;
    for (std::size_t k = begin; k < end; ++k) {
      old_count += lines[k].mark != '+';
      new_count += lines[k].mark != '-';
      hunk += lines[k].mark + *lines[k].text + "\n";
    }
    text += fmt::format("@@ -{},{} +{},{} @@\n", lines[begin].old_line + (old_count != 0), old_count,
                        lines[begin].new_line + (new_count != 0), new_count) +
            hunk;
    at = end;
  }
  return text.empty() ? text : fmt::format("--- a/{0}\n+++ b/{0}\n", file) + text;
}

Result<SourcePatch> make_source_patch(const BreakpointSet& set, const std::string& root, const std::string& program) {
  // The debug information may have two names for one file.
  const Sources sources(root, program);
  BreakpointSet resolved = set;
  std::vector<std::string> files;
  for (Rendezvous& meeting : resolved.meetings) {
    for (RendezvousPoint& place : meeting.places) {
      const Result<std::string> found = sources.find(place.source.file);
      if (!found) return found.error();
      place.source.file = *found;
      if (std::find(files.begin(), files.end(), *found) == files.end()) files.push_back(*found);
    }
  }
  std::error_code error;
  SourcePatch patch;
  fs::path base = root.empty() ? fs::current_path(error) : fs::absolute(root, error).lexically_normal();
  const auto all_below = [&] {
    return std::all_of(files.begin(), files.end(), [&](const std::string& file) { return is_below(file, base); });
  };
  if (root.empty() && !files.empty() && !all_below())
    for (base = fs::path(files.front()).parent_path(); !all_below() && base.has_relative_path();)
      base = base.parent_path();
  patch.root = base.string();
  for (const std::string& file : files) {
    const Result<std::string> text = read_file(file);
    if (!text) return text.error();
    const Result<std::string> patched = insert_breakpoints(*text, file, resolved);
    if (!patched) return patched.error();
    patch.text += unified_diff(*text, *patched, fs::path(file).lexically_relative(base).string());
  }
  return patch;
}

}  // namespace heddle::breakpoints
