#pragma once
// The files in src/app/report/html.

namespace heddle::report {

extern const char* const kReportTemplate;
extern const char* const kReportStyle;
extern const char* const kReportScript;
extern const char* const kIndexTemplate;

}  // namespace heddle::report
