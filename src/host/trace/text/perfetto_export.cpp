#include "trace/text/perfetto_export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "trace/text/text_form.h"

namespace heddle::trace {
namespace {

using format::EventKind;

// Names come from programs and may contain any bytes.
std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

bool is_shown(EventKind kind) {
  return format::is_synchronisation(kind) || format::class_of(kind) == format::EventClass::Life ||
         format::class_of(kind) == format::EventClass::Thread;
}

}  // namespace

PerfettoExporter::PerfettoExporter(const TraceTables& tables, std::ostream& out) : tables_(tables), out_(out) {
  out_ << "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  begin_record();
  out_ << fmt::format(R"({{"ph":"M","name":"process_name","pid":1,"args":{{"name":{}}}}})",
                      json_text(tables.header.program));
  name_thread(kMainThread);
  for (const auto& [thread, row] : tables.threads.rows()) name_thread(thread);
}

void PerfettoExporter::add(const Event& event) {
  if (slice_open_ && slice_.thread != event.thread) end_slice();
  if (!slice_open_) {
    slice_ = {event.thread, event.step, event.step, {}};
    slice_open_ = true;
  }
  slice_.end = event.step + 1;
  if (slice_.name.empty()) {
    if (const TraceSite* site = tables_.find_site(event.site_id()); site != nullptr) slice_.name = site->function;
  }
  if (is_shown(event.kind)) {
    instant(event);
    arrows_of(event);
  }
  if (event.kind == EventKind::Switch) end_slice();
}

void PerfettoExporter::finish() {
  if (slice_open_) end_slice();
  out_ << "\n]}\n";
}

void PerfettoExporter::arrows_of(const Event& event) {
  const Point here{event.thread, event.step};
  const ThreadId other{static_cast<std::uint32_t>(event.object)};
  if (gives_up_lock(event)) {
    unlocked_[event.object] = here;
  } else if (takes_lock(event)) {
    const auto from = unlocked_.find(event.object);
    if (from != unlocked_.end() && from->second.thread != event.thread) arrow("lock", from->second, here);
  } else if (event.kind == EventKind::Fork) {
    forked_[other] = here;
  } else if (event.kind == EventKind::Exit) {
    ended_[event.thread] = here;
  } else if (event.kind == EventKind::Begin) {
    const auto from = forked_.find(event.thread);
    if (from != forked_.end()) arrow("fork", from->second, here);
  } else if (event.kind == EventKind::Join) {
    const auto from = ended_.find(other);
    if (from != ended_.end()) arrow("join", from->second, here);
  }
}

void PerfettoExporter::begin_record() {
  out_ << (first_record_ ? "\n" : ",\n");
  first_record_ = false;
}

void PerfettoExporter::end_slice() {
  begin_record();
  out_ << fmt::format(R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},"name":{}}})", number(slice_.thread),
                      slice_.begin, slice_.end - slice_.begin, json_text(slice_.name.empty() ? "run" : slice_.name));
  slice_open_ = false;
}

void PerfettoExporter::instant(const Event& event) {
  begin_record();
  out_ << fmt::format(
      R"({{"ph":"i","s":"t","pid":1,"tid":{},"ts":{},"name":"{}","args":{{"object":"{}","place":{}}}}})",
      number(event.thread), event.step, format::event_word(event.kind), object_text(event.kind, event.object),
      json_text(place_text(tables_, event.site_id())));
}

void PerfettoExporter::arrow(std::string_view name, const Point& from, const Point& to) {
  ++arrows_;
  begin_record();
  out_ << fmt::format(R"({{"ph":"s","pid":1,"tid":{},"ts":{},"id":{},"cat":"order","name":"{}"}})", number(from.thread),
                      from.step, arrows_, name);
  begin_record();
  out_ << fmt::format(R"({{"ph":"f","bp":"e","pid":1,"tid":{},"ts":{},"id":{},"cat":"order","name":"{}"}})",
                      number(to.thread), to.step, arrows_, name);
}

void PerfettoExporter::name_thread(ThreadId thread) {
  begin_record();
  out_ << fmt::format(R"({{"ph":"M","name":"thread_name","pid":1,"tid":{},"args":{{"name":"{}"}}}})", number(thread),
                      tables_.threads.name(thread));
}

void export_perfetto(TraceReader& reader, std::ostream& out) {
  PerfettoExporter exporter(reader.tables(), out);
  reader.for_each([&](const Event& event) { exporter.add(event); });
  exporter.finish();
}

}  // namespace heddle::trace
