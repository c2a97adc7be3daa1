#include "breakpoints/source_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "breakpoints/sources.h"
#include "support/files.h"

namespace heddle::breakpoints {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kContextLines = 3;

// What is put around one statement, in the order in which a thread comes by.
struct Around {
  Statement statement;
  std::vector<std::string> before, after;
  std::vector<std::string> in_condition;  // before it, each time
  std::vector<std::string> in_bodies;     // at the beginning of each block that it controls
  std::string instead;                    // of the statement; empty: itself
};

bool is_c(const std::string& file) { return fs::path(file).extension() == ".c"; }

Error cannot_place(const RendezvousPoint& at, const char* why) {
  return Error{fmt::format("no breakpoint can be written before {}:{}: {}; use the .breakpoints file, which needs no "
                           "place in the source",
                           at.source.file, at.source.line, why),
               ExitCode::Found};
}

class Writer {
 public:
  Writer(const std::string& text, const std::string& file, const NamedSet& set)
      : text_(text), file_(file), set_(set), c_(is_c(file)) {}

  Result<std::string> write() {
    struct Mine {
      std::size_t meeting, place;
    };
    std::multimap<std::size_t, Mine> mine;  // by event
    for (std::size_t i = 0; i < set_.meetings.size(); ++i)
      for (std::size_t place = 0; place < set_.meetings[i].places.size(); ++place)
        if (set_.meetings[i].places[place].source.file == file_)
          mine.emplace(set_.meetings[i].places[place].event, Mine{i, place});
    for (const auto& [event, one] : mine)
      if (Status added = add(one.meeting, one.place); !added) return added.error();
    return apply();
  }

 private:
  Status add(std::size_t meeting_index, std::size_t place) {
    const Rendezvous& meeting = set_.meetings[meeting_index];
    const RendezvousPoint& at = meeting.places[place];
    const std::optional<Statement> statement = find_statement(text_, at.source.line, at.column);
    if (!statement) return cannot_place(at, "it is in no statement of a function's body");
    const bool every_time = statement->repeats && at.earlier_passes != 0;
    if (every_time && (c_ || statement->condition == 0 || (meeting.guarded && place == 0)))
      return cannot_place(at, "it is the condition of a loop, and not the first time");
    Around& around = arounds_.try_emplace(statement->begin, Around{*statement, {}, {}, {}, {}, ""}).first->second;
    const bool guards = meeting.guarded && place == 0;
    if (at.inside_statement && !guards) return split(around, meeting_index, place);
    const int number = ++guard_count_;
    if (every_time) {
      around.in_condition.push_back(fmt::format("(void)HEDDLE_BREAKPOINT_HERE({}), ", words(meeting_index, place)));
    } else if (!guards) {
      around.before.push_back(reach(meeting_index, place, number));
    } else if (c_) {
      around.before.push_back(declare_in_c(meeting_index, place, number) +
                              fmt::format("heddle_breakpoint_begin(&heddle_place_{});", number));
      const std::string end = fmt::format("heddle_breakpoint_done(&heddle_place_{});", number);
      around.after.insert(around.after.begin(), end);
      around.in_bodies.push_back(end);
    } else if (meeting.guards_critical_section || statement->jumps) {
      around.before.push_back(fmt::format("HEDDLE_BREAKPOINT({});", words(meeting_index, place)));
    } else {
      const std::string end = fmt::format("HEDDLE_BREAKPOINT_END(heddle_guard_{});", number);
      around.before.push_back(
          fmt::format("HEDDLE_BREAKPOINT_BEGIN(heddle_guard_{}, {});", number, words(meeting_index, place)));
      around.after.insert(around.after.begin(), end);
      around.in_bodies.push_back(end);
    }
    return ok_status();
  }

  // Between what a statement reads and what it writes.
  Status split(Around& around, std::size_t meeting, std::size_t place) {
    const RendezvousPoint& at = set_.meetings[meeting].places[place];
    const std::optional<SplitStatement> parts = split_assignment(
        std::string_view(text_).substr(around.statement.begin, around.statement.end - around.statement.begin));
    if (!parts || !around.instead.empty())
      return cannot_place(at,
                          "the thread must be stopped inside of one statement, between what it reads and what it "
                          "writes; split it in two");
    const int number = ++guard_count_;
    const std::string value = fmt::format("heddle_value_{}", number);
    const char* const automatic = c_ ? "__auto_type" : "auto";
    // What an index or a pointer says where to write is read before the stop, too.
    std::string target = parts->target;
    if (target.find_first_of("[>") != std::string::npos) {
      const std::string bound = fmt::format("heddle_target_{}", number);
      around.instead =
          c_ ? fmt::format("__auto_type {} = &{};\n", bound, target) : fmt::format("auto&& {} = {};\n", bound, target);
      target = c_ ? "*" + bound : bound;
    }
    const std::string& read = parts->read == parts->target ? target : parts->read;
    around.instead += fmt::format("{} {} = {};\n", automatic, value, read);
    if (!parts->change.empty()) around.instead += fmt::format("{}{};\n", value, parts->change);
    around.instead += fmt::format("{}\n{} = {};", reach(meeting, place, number), target, value);
    return ok_status();
  }

  std::string words(std::size_t meeting_index, std::size_t place) const {
    const Rendezvous& meeting = set_.meetings[meeting_index];
    const RendezvousPoint& at = meeting.places[place];
    std::string text = fmt::format("\"{}\", ", set_.breakpoint_name(meeting_index));
    if (meeting.places.size() != 2)
      text += fmt::format("nth({}, {})", place, meeting.places.size());
    else
      text += place == 0 ? "first()" : "second()";
    const unsigned role = set_.role_of(at.thread);
    text += role == kRoleMain ? ".in_main()" : fmt::format(".role({})", role);
    if (at.earlier_passes != 0) text += fmt::format(".ignore_first({})", at.earlier_passes);
    return text + fmt::format(".bound(1).tries(1).timeout_ms({})", set_.timeout_ms);
  }

  std::string reach(std::size_t meeting, std::size_t place, int number) const {
    if (!c_) return fmt::format("HEDDLE_BREAKPOINT_HERE({});", words(meeting, place));
    return declare_in_c(meeting, place, number) + fmt::format("heddle_breakpoint_reach(&heddle_place_{});", number);
  }

  std::string declare_in_c(std::size_t meeting_index, std::size_t place, int number) const {
    const Rendezvous& meeting = set_.meetings[meeting_index];
    const RendezvousPoint& at = meeting.places[place];
    const std::string name = fmt::format("heddle_place_{}", number);
    std::string text = fmt::format("struct heddle_breakpoint {} = HEDDLE_PLACE(\"{}\", {});\n", name,
                                   set_.breakpoint_name(meeting_index), place);
    if (meeting.places.size() != 2) text += fmt::format("{}.places = {};\n", name, meeting.places.size());
    text += fmt::format("{}.role = {};\n", name, set_.role_of(at.thread));
    if (at.earlier_passes != 0) text += fmt::format("{}.ignore_first = {};\n", name, at.earlier_passes);
    text += fmt::format("{0}.bound = {0}.tries = 1;\n{0}.timeout_ms = {1};\n", name, set_.timeout_ms);
    return text;
  }

  std::string indentation_of(std::size_t at) const {
    const std::size_t newline = text_.rfind('\n', at);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    const std::size_t end = text_.find_first_not_of(" \t", begin);
    return text_.substr(begin, std::min(end, at) - begin);
  }

  // From the last to the first, so that what is before stays where it is. One in another is behind its beginning.
  std::string apply() const {
    struct Edit {
      std::size_t end;
      std::string text;
    };
    std::multimap<std::size_t, Edit, std::greater<>> edits;  // by beginning
    for (const auto& [begin, around] : arounds_) {
      const Statement& statement = around.statement;
      const bool braces = statement.alone;
      const std::string indent = indentation_of(begin) + (braces ? "  " : "");
      std::string before = braces ? "{\n" + indent : "";
      for (const std::string& line : around.before) before += indented(line, indent) + "\n" + indent;
      std::string after;
      for (const std::string& line : around.after) after += "\n" + indent + indented(line, indent);
      if (braces) after += "\n" + indentation_of(begin) + "}";
      if (around.instead.empty()) {
        edits.emplace(begin, Edit{begin, before});
        edits.emplace(statement.end, Edit{statement.end, after});
        for (const std::string& text : around.in_condition)
          edits.emplace(statement.condition, Edit{statement.condition, text});
        for (const std::size_t body : statement.bodies)
          for (const std::string& line : around.in_bodies) edits.emplace(body, Edit{body, "\n" + indent + "  " + line});
      } else {
        edits.emplace(begin, Edit{statement.end, before + indented(around.instead, indent) + after});
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

  // Before the first #include, or at the beginning.
  std::size_t include_place() const {
    if (text_.starts_with("#include")) return 0;
    const std::size_t found = text_.find("\n#include");
    return found == std::string::npos ? 0 : found + 1;
  }

  const std::string& text_;
  const std::string& file_;
  const NamedSet& set_;
  const bool c_;
  std::map<std::size_t, Around> arounds_;  // by the statement's beginning
  int guard_count_ = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Longest common subsequence; sources with breakpoints differ in a few lines.
std::vector<std::pair<std::size_t, std::size_t>> common_lines(const std::vector<std::string>& a,
                                                              const std::vector<std::string>& b) {
  std::vector<std::pair<std::size_t, std::size_t>> common;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] == b[j]) {
      common.emplace_back(i++, j++);
      continue;
    }
    // The next line that both have, the nearest first.
    bool found = false;
    for (std::size_t distance = 1; !found && distance < a.size() + b.size(); ++distance) {
      for (std::size_t skipped = 0; !found && skipped <= distance; ++skipped) {
        const std::size_t next_i = i + skipped, next_j = j + distance - skipped;
        if (next_i >= a.size() || next_j >= b.size() || a[next_i] != b[next_j]) continue;
        i = next_i;
        j = next_j;
        found = true;
      }
    }
    if (!found) break;
  }
  return common;
}

bool is_below(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

Result<std::string> insert_breakpoints(const std::string& text, const std::string& file, const NamedSet& set) {
  return Writer(text, file, set).write();
}

std::string unified_diff(const std::string& before, const std::string& after, const std::string& file) {
  const std::vector<std::string> a = lines_of(before), b = lines_of(after);
  std::vector<std::pair<std::size_t, std::size_t>> common = common_lines(a, b);
  common.emplace_back(a.size(), b.size());
  struct Line {
    char mark;
    const std::string* text;
    std::size_t old_line, new_line;  // that come before it
  };
  std::vector<Line> lines;
  std::size_t i = 0, j = 0;
  for (const auto& [next_i, next_j] : common) {
    for (; i < next_i; ++i) lines.push_back({'-', &a[i], i, j});
    for (; j < next_j; ++j) lines.push_back({'+', &b[j], i, j});
    if (i < a.size() && j < b.size()) {
      lines.push_back({' ', &a[i], i, j});
      ++i, ++j;
    }
  }
  std::string text;
  for (std::size_t at = 0; at < lines.size();) {
    std::size_t first = at;
    while (first < lines.size() && lines[first].mark == ' ') ++first;
    if (first == lines.size()) break;
    std::size_t last = first;  // of the changes of this hunk
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

Result<SourcePatch> make_source_patch(const NamedSet& set, const std::string& root, const std::string& program) {
  // The same file may be named in two ways by the debug information.
  const Sources sources(root, program);
  NamedSet resolved = set;
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
