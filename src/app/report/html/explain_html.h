#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "explain/explanation.h"
#include "graph/ranking/ranking.h"
#include "shrink/shrink_report.h"
#include "support/result.h"

namespace heddle::report {

// Lines of source files around what is shown, by file as the explanation names it: (number, text).
using SourceLines = std::map<std::string, std::vector<std::pair<std::uint32_t, std::string>>>;
// What of it can be read here. A relative path is looked for in the working directory and beside the other files.
SourceLines read_sources(const explain::Explanation& explanation);

// What else is known of a failure besides its explanation.
struct ReportExtras {
  std::optional<shrink::ShrinkReport> shrunk;
  std::vector<std::string> also;            // signatures of other failures with the same cause
  std::string patch;                        // path; empty: none
  std::vector<graph::RankedPoint> ranking;  // of communication in many runs, the most suspicious first; empty: none
};

// The report as one file that needs nothing else.
std::string explain_html(const explain::Explanation& explanation, const SourceLines& sources,
                         const ReportExtras& extras = {});

// Writes the report into `directory`, a JSON document beside it, and anew an index of all reports there. Returns the
// path of the report.
Result<std::string> write_explain_html(const explain::Explanation& explanation, const std::string& directory,
                                       const ReportExtras& extras = {});
// The index alone: for a directory without reports, one that says so.
Status write_report_index(const std::string& directory);

// Text as it may stand anywhere in HTML; JSON as it may stand inside a script element.
std::string html_escaped(const std::string& text);
std::string script_escaped(const std::string& json);

}  // namespace heddle::report
