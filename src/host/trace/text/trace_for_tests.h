#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/text/text_form.h"

namespace heddle::trace {

// `events`: lines without steps. Threads 1 to 3 are children of main. Site N is on line N of a.cpp.
inline Trace text_trace(const std::vector<std::string>& events) {
  std::string text = "htrace text 1\n";
  for (int thread = 1; thread <= 3; ++thread) {
    text += "thread " + std::to_string(thread) + " parent=0 ordinal=" + std::to_string(thread) + "\n";
  }
  for (std::size_t step = 0; step < events.size(); ++step) text += std::to_string(step) + " " + events[step] + "\n";
  Result<Trace> parsed = parse_trace_text(text);
  EXPECT_TRUE(parsed.ok()) << parsed.error().message;
  for (const Event& event : parsed->events) {
    if (event.site == 0) continue;
    TraceSite& site = parsed->tables.sites[event.site_id()];
    site.id = event.site_id();
    site.file = "a.cpp";
    site.line = event.site;
  }
  return std::move(*parsed);
}

}  // namespace heddle::trace
