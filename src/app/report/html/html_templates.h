#pragma once
// The files in src/report/html, as they were when this was built.

namespace heddle::report {

extern const char* const kReportTemplate;
extern const char* const kReportStyle;
extern const char* const kReportScript;
extern const char* const kIndexTemplate;

}  // namespace heddle::report
