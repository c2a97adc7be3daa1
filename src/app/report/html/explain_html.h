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

// Source lines around the shown places, by file name in the explanation: (number, text).
using SourceLines = std::map<std::string, std::vector<std::pair<std::uint32_t, std::string>>>;
// Reads the source files that exist here. A relative path may be in the working directory or beside the other files.
SourceLines read_sources(const explain::Explanation& explanation);

// Further results about a failure.
struct ReportExtras {
  std::optional<shrink::ShrinkReport> shrunk;
  std::vector<std::string> also;            // signatures of other failures with the same cause
  std::string patch;                        // path; empty: none
  std::vector<graph::RankedPoint> ranking;  // of communication graphs, most suspicious first; empty: none
};

// The report as one self-contained file.
std::string explain_html(const explain::Explanation& explanation, const SourceLines& sources,
                         const ReportExtras& extras = {});

// Writes the report and its JSON document into `directory`, and updates the index of all reports there. Returns the
// path of the report.
Result<std::string> write_explain_html(const explain::Explanation& explanation, const std::string& directory,
                                       const ReportExtras& extras = {});
// Updates the index only.
Status write_report_index(const std::string& directory);

// Escape text for any place in HTML, and JSON for a script element.
std::string html_escaped(const std::string& text);
std::string script_escaped(const std::string& json);

}  // namespace heddle::report
