#include "report/html/explain_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include "report/failure/explain_json.h"
#include "report/failure/shrink_report.h"
#include "report/failure/timeline_text.h"
#include "report/html/html_templates.h"
#include "report/run_text.h"
#include "support/files.h"

namespace heddle::report {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kLinesAround = 12;
constexpr std::size_t kRankedShown = 10;

// U+2028 or U+2029.
bool is_line_separator(const std::string& text, std::size_t at) {
  return text.compare(at, 3, "\u2028") == 0 || text.compare(at, 3, "\u2029") == 0;
}

// Replaces placeholders @NAME@ in one pass, so that placeholders in a value are not replaced.
std::string filled(const std::string& text, const std::map<std::string, std::string>& values) {
  std::string result;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = text.find('@', at);
    const std::size_t end = begin == std::string::npos ? begin : text.find('@', begin + 1);
    const auto value = end == std::string::npos ? values.end() : values.find(text.substr(begin + 1, end - begin - 1));
    if (begin == std::string::npos) {
      result += text.substr(at);
      break;
    }
    result += text.substr(at, begin - at);
    if (value == values.end()) {
      result += '@';
      at = begin + 1;
    } else {
      result += value->second;
      at = end + 1;
    }
  }
  return result;
}

std::map<std::string, std::set<std::uint32_t>> shown_lines(const explain::Explanation& explanation) {
  std::map<std::string, std::set<std::uint32_t>> lines;
  const auto add = [&](const explain::SourceLocation& place) {
    if (!place.file.empty() && place.line != 0) lines[place.file].insert(place.line);
  };
  for (const explain::Step& step : explanation.steps)
    if (step.kind != explain::StepKind::Switch) add(step.place);
  for (const explain::CauseAccess& access : explanation.cause.accesses) add(access.place);
  return lines;
}

// Finds a file whose path in the debug information is relative to an unknown directory: an absolute path of the same
// program often ends with it.
std::string find_source(const std::string& file, const std::map<std::string, std::set<std::uint32_t>>& files) {
  std::error_code error;
  if (fs::is_regular_file(file, error)) return file;
  for (const auto& [other, lines] : files)
    if (fs::path(other).is_absolute() && other.ends_with("/" + file) && fs::is_regular_file(other, error)) return other;
  return {};
}

Json ranking_json(const std::vector<graph::RankedPoint>& ranking, const explain::Cause& cause) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(ranking.size(), kRankedShown); ++i) {
    const graph::RankedPoint& point = ranking[i];
    const bool in_cause =
        std::any_of(cause.accesses.begin(), cause.accesses.end(), [&](const explain::CauseAccess& access) {
          return access.place.line == point.line &&
                 fs::path(access.place.file).filename() == fs::path(point.file).filename();
        });
    rows.push_back({{"rank", i + 1},
                    {"file", point.file},
                    {"line", point.line},
                    {"function", point.function},
                    {"in_cause", in_cause}});
  }
  return rows;
}

// What the page needs to draw the order that synchronisation enforces.
void add_order(Json& json, const explain::Step& step) {
  if (step.kind != explain::StepKind::Event) return;
  json["writes"] = is_assignment(step);
  json["acquires"] = format::acquires(step.event);
  json["releases"] = format::releases(step.event);
  json["forks"] = step.event == format::EventKind::Fork;
  json["joins"] = step.event == format::EventKind::Join;
  json["other_thread"] = nullable(step.other_thread);
}

std::string file_name_of(const explain::Explanation& explanation) {
  std::string name = fs::path(explanation.clip).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.') c = '_';
  if (name.empty() || name == "index" || name.front() == '.') name = "failure" + name;
  return name;
}

Status write_index(const fs::path& directory) {
  std::set<fs::path> documents;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".json") documents.insert(entry.path());
  std::string rows;
  for (const fs::path& path : documents) {
    fs::path page = path;
    page.replace_extension(".html");
    const Result<std::string> text = read_file(path.string());
    if (!text || !fs::exists(page, error)) continue;
    const Json json = Json::parse(*text, nullptr, false);
    if (!json.is_object() || !json.contains("cause") || !json.contains("outcome")) continue;
    rows += "<tr><td><a href=\"" + html_escaped(page.filename().string()) + "\"><bdi>" +
            html_escaped(json["outcome"].value("signature", "")) + "</bdi></a></td><td>" +
            html_escaped(json["cause"].value("kind", "")) + "</td><td>" + std::to_string(json["threads"].size()) +
            "</td><td>" + std::to_string(json["preemptions"].value("after", 0)) + "</td></tr>\n";
  }
  if (rows.empty()) rows = "<tr><td colspan=\"4\">none</td></tr>\n";
  return write_file((directory / "index.html").string(),
                    filled(kIndexTemplate, {{"STYLE", kReportStyle}, {"ROWS", rows}}));
}

}  // namespace

std::string html_escaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_line_separator(text, i)) {
      result += ' ';
      i += 2;
    } else if (std::string_view("&<>\"'").find(c) != std::string_view::npos) {
      result += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

// Escapes characters of HTML markup, and line separators, which may end a line of a script. In JSON these occur in
// strings only.
std::string script_escaped(const std::string& json) {
  std::string result;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_line_separator(json, i)) {
      result += json[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else if (std::string_view("<>&").find(c) != std::string_view::npos) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result;
}

SourceLines read_sources(const explain::Explanation& explanation) {
  const std::map<std::string, std::set<std::uint32_t>> files = shown_lines(explanation);
  SourceLines sources;
  for (const auto& [file, wanted] : files) {
    const std::string path = find_source(file, files);
    const Result<std::string> text = path.empty() ? Result<std::string>(Error{"not found"}) : read_file(path);
    if (!text) continue;
    std::istringstream lines(*text);
    std::uint32_t number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const auto after = wanted.lower_bound(number > kLinesAround ? number - kLinesAround : 0);
      if (after != wanted.end() && *after <= number + kLinesAround) sources[file].emplace_back(number, line);
    }
  }
  return sources;
}

std::string explain_html(const explain::Explanation& explanation, const SourceLines& sources,
                         const ReportExtras& extras) {
  Json json = explain_json(explanation);
  json["commands"] = {command_text({"heddle", "replay", explanation.clip}),
                      command_text({"heddle", "debug", explanation.clip}),
                      command_text({"heddle", "explain", explanation.clip})};
  if (!extras.patch.empty()) json["commands"].push_back(command_text({"patch", "-p1", "-i", extras.patch}));
  for (std::size_t i = 0; i < explanation.steps.size(); ++i) add_order(json["steps"][i], explanation.steps[i]);
  json["also"] = extras.also;
  json["ranking"] = ranking_json(extras.ranking, explanation.cause);
  if (extras.shrunk) json["shrunk"] = shrink_json(*extras.shrunk);
  json["sources"] = Json::object();
  for (const auto& [file, lines] : sources) json["sources"][file] = lines;
  const std::string title =
      std::string(explain::cause_kind_word(explanation.cause.kind)) + ": " + explanation.outcome.signature;
  return filled(kReportTemplate, {{"TITLE", html_escaped(title)},
                                  {"STYLE", kReportStyle},
                                  {"SCRIPT", kReportScript},
                                  {"DATA", script_escaped(dump(json))}});
}

Status write_report_index(const std::string& directory) { return write_index(directory); }

Result<std::string> write_explain_html(const explain::Explanation& explanation, const std::string& directory,
                                       const ReportExtras& extras) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!fs::is_directory(directory))
    return Error{"cannot make the directory " + directory + "; name another one with --html"};
  const fs::path stem = fs::path(directory) / file_name_of(explanation);
  const std::string page = stem.string() + ".html";
  if (Status written = write_file(page, explain_html(explanation, read_sources(explanation), extras)); !written)
    return written.error();
  if (Status written = write_file(stem.string() + ".json", dump(explain_json(explanation)) + "\n"); !written)
    return written.error();
  if (Status written = write_index(directory); !written) return written.error();
  return page;
}

}  // namespace heddle::report
