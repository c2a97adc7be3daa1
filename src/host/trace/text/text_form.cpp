#include "trace/text/text_form.h"

#include <fmt/format.h>

#include <ostream>
#include <sstream>

#include "trace/object.h"
#include "trace/text/text_fields.h"

namespace heddle::trace {
namespace {

using format::EventKind;

constexpr std::string_view kFirstLine = "htrace text 1";

std::optional<EventKind> kind_of_word(std::string_view word) {
  for (const EventKind kind : format::kEventKinds)
    if (word == format::event_word(kind)) return kind;
  return std::nullopt;
}

std::uint64_t parse_object(TextFields& fields, std::string_view text) {
  if (text.starts_with('t')) return fields.integer<std::uint32_t>(text.substr(1));
  if (!text.starts_with('m')) return fields.integer<std::uint64_t>(text);
  const std::size_t plus = text.find('+');
  if (plus == std::string_view::npos) return fields.refuse("an object in a module is m<number>+<offset>"), 0;
  const auto module = fields.integer<std::uint32_t>(text.substr(1, plus - 1));
  const auto offset = fields.integer<std::uint64_t>(text.substr(plus + 1));
  if (module >= format::kModulesMax || offset > kOffsetMax) fields.refuse("an object is out of range");
  return object_in_module(module % format::kModulesMax, offset & kOffsetMax);
}

ThreadId parse_thread(TextFields& fields, std::string_view text) {
  if (!text.starts_with('t')) fields.refuse("a thread is t<number>");
  return ThreadId{fields.integer<std::uint32_t>(text.substr(text.empty() ? 0 : 1))};
}

std::string module_text(const TraceModule& module) {
  return fmt::format("module {} begin={:#x} end={:#x} bias={:#x} first_site={} site_count={} build_id={} path={}",
                     module.number, module.begin, module.end, module.bias, module.first_site, module.site_count,
                     quoted_text(module.build_id), quoted_text(module.path));
}

TraceModule parse_module(TextFields& fields) {
  TraceModule module;
  module.number = fields.integer<std::uint32_t>();
  if (module.number >= format::kModulesMax) fields.refuse("a module's number is out of range");
  module.begin = fields.integer<std::uint64_t>("begin", fields.word());
  module.end = fields.integer<std::uint64_t>("end", fields.word());
  module.bias = fields.integer<std::uint64_t>("bias", fields.word());
  module.first_site = fields.integer<std::uint32_t>("first_site", fields.word());
  module.site_count = fields.integer<std::uint32_t>("site_count", fields.word());
  module.build_id = fields.string("build_id");
  module.path = fields.string("path");
  return module;
}

std::string site_text(const TraceSite& site) {
  return fmt::format(
      "site {} kind={:#x} size={} line={} column={} function_line={} file={} function={} chain={} "
      "name={}",
      number(site.id), site.kind, site.size, site.line, site.column, site.function_line, quoted_text(site.file),
      quoted_text(site.function), quoted_text(site.chain), quoted_text(site.name));
}

TraceSite parse_site(TextFields& fields) {
  TraceSite site;
  site.id = SiteId{fields.integer<std::uint32_t>()};
  site.kind = fields.integer<std::uint8_t>("kind", fields.word());
  site.size = fields.integer<std::uint8_t>("size", fields.word());
  site.line = fields.integer<std::uint32_t>("line", fields.word());
  site.column = fields.integer<std::uint32_t>("column", fields.word());
  site.function_line = fields.integer<std::uint32_t>("function_line", fields.word());
  site.file = fields.string("file");
  site.function = fields.string("function");
  site.chain = fields.string("chain");
  site.name = fields.string("name");
  return site;
}

void parse_event_field(TextFields& fields, std::string_view field, Event& event) {
  const bool change = event.kind == EventKind::Switch;
  if (field == "preemption") {
    event.flags |= format::kPreemption;
  } else if (field == "failed") {
    event.flags |= format::kFailed;
  } else if (field == "point") {
    event.flags |= format::kPoint;
  } else if (field == "after") {
    event.flags |= format::kAfter;
  } else if (field.starts_with("size=")) {
    event.size = fields.integer<std::uint16_t>("size", field);
  } else if (field.starts_with("value=")) {
    event.value = fields.integer<std::uint64_t>("value", field);
    event.flags |= format::kHasValue;
  } else if (!change && field.starts_with("site=")) {
    event.site = fields.integer<std::uint32_t>("site", field);
  } else if (change && field.starts_with("points=")) {
    event.site = fields.integer<std::uint32_t>("points", field);
  } else if (change && field.starts_with("check=")) {
    event.object |= std::uint64_t{fields.integer<std::uint32_t>("check", field)} << 32;
  } else {
    fields.refuse("\"" + std::string(field) + "\" is unexpected");
  }
}

Event parse_event(TextFields& fields, std::string_view step) {
  Event event;
  event.step = fields.integer<StepIndex>(step);
  event.thread = parse_thread(fields, fields.word());
  const std::string_view word = fields.word();
  const std::optional<EventKind> kind = kind_of_word(word);
  if (!kind) return fields.refuse("\"" + std::string(word) + "\" is not a kind of event"), event;
  event.kind = *kind;
  event.object = parse_object(fields, fields.word());
  if (event.kind == EventKind::Switch && event.object > 0xffffffffu) fields.refuse("a switch goes to a thread");
  for (std::string_view field = fields.word(); !field.empty(); field = fields.word()) {
    parse_event_field(fields, field, event);
  }
  return event;
}

void parse_line(TextFields& fields, Trace& trace) {
  const std::string_view first = fields.word();
  TraceTables& tables = trace.tables;
  if (first == "program")
    tables.header.program = fields.string();
  else if (first == "argument")
    tables.header.arguments.push_back(fields.string());
  else if (first == "build_id")
    tables.header.build_id = fields.string();
  else if (first == "module")
    tables.modules.push_back(parse_module(fields));
  else if (first == "site") {
    TraceSite site = parse_site(fields);
    tables.sites[site.id] = std::move(site);
  } else if (first == "thread") {
    const ThreadId thread{fields.integer<std::uint32_t>()};
    const ThreadId parent{fields.integer<std::uint32_t>("parent", fields.word())};
    tables.threads.add(thread, parent, fields.integer<std::uint32_t>("ordinal", fields.word()));
  } else if (first == "failure") {
    tables.failure.outcome = fields.string();
    for (std::string_view thread = fields.word(); !thread.empty(); thread = fields.word())
      tables.failure.threads.push_back(parse_thread(fields, thread));
  } else {
    const Event event = parse_event(fields, first);
    if (!trace.events.empty() && event.step <= trace.events.back().step) fields.refuse("steps do not ascend");
    trace.events.push_back(event);
  }
  fields.expect_end();
}

}  // namespace

std::string object_text(EventKind kind, std::uint64_t object) {
  if (object_is_thread(kind) && object <= 0xffffffffu) return fmt::format("t{}", object);
  if (is_in_module(object)) return fmt::format("m{}+{:#x}", module_of(object), offset_of(object));
  return fmt::format("{:#x}", object);
}

std::string event_text(const Event& event) {
  std::string text = fmt::format("{} t{} {} ", event.step, number(event.thread), format::event_word(event.kind));
  const bool change = event.kind == EventKind::Switch;
  if (change) {
    const Switch parts = as_switch(event);
    text += fmt::format("t{} points={} check={:#x}", number(parts.to), parts.points, parts.check);
  } else {
    text += object_text(event.kind, event.object);
  }
  if (event.size != 0) text += fmt::format(" size={}", event.size);
  if (!change && event.site != 0) text += fmt::format(" site={}", event.site);
  if (event.has_value()) text += fmt::format(" value={:#x}", event.value);
  if ((event.flags & format::kPreemption) != 0) text += " preemption";
  if ((event.flags & format::kFailed) != 0) text += " failed";
  if ((event.flags & format::kAfter) != 0) text += " after";
  if ((event.flags & format::kPoint) != 0) text += " point";
  return text;
}

Result<Event> parse_event_text(std::string_view line) {
  TextFields fields(line);
  const Event event = parse_event(fields, fields.word());
  if (!fields.ok()) return Error{fields.problem()};
  return event;
}

std::string place_text(const TraceTables& tables, SiteId id) {
  const TraceSite* site = tables.find_site(id);
  if (site == nullptr) return "";
  return fmt::format("{}:{}:{} {}", site->file, site->line, site->column, site->function);
}

std::string described_event_text(const Event& event, const TraceTables& tables) {
  std::string text = event_text(event);
  const SiteId site = event.kind == EventKind::Switch ? as_switch(event).site : event.site_id();
  const std::string place = place_text(tables, site);
  if (!place.empty()) {
    text += " # ";
    for (const char c : place) text += c == '\n' ? ' ' : c;  // a file name may contain line ends
  }
  return text;
}

void write_tables_text(const TraceTables& tables, std::ostream& out) {
  out << kFirstLine << "\nprogram " << quoted_text(tables.header.program) << '\n';
  for (const std::string& argument : tables.header.arguments) out << "argument " << quoted_text(argument) << '\n';
  out << "build_id " << quoted_text(tables.header.build_id) << '\n';
  for (const TraceModule& module : tables.modules) out << module_text(module) << '\n';
  for (const auto& [id, site] : tables.sites) out << site_text(site) << '\n';
  for (const auto& [thread, row] : tables.threads.rows()) {
    out << fmt::format("thread {} parent={} ordinal={}\n", number(thread), number(row.parent), row.ordinal);
  }
  if (tables.failure.outcome.empty()) return;
  out << "failure " << quoted_text(tables.failure.outcome);
  for (const ThreadId thread : tables.failure.threads) out << fmt::format(" t{}", number(thread));
  out << '\n';
}

void write_events_text(TraceReader& reader, StepIndex first, StepIndex count_max, std::ostream& out) {
  reader.seek(first);
  for (std::span<const Event> events = reader.next(); !events.empty(); events = reader.next()) {
    for (const Event& event : events) {
      if (count_max-- == 0) return;
      out << described_event_text(event, reader.tables()) << '\n';
    }
  }
}

std::string trace_text(const Trace& trace) {
  std::ostringstream out;
  write_tables_text(trace.tables, out);
  for (const Event& event : trace.events) out << event_text(event) << '\n';
  return std::move(out).str();
}

Result<Trace> parse_trace_text(std::string_view text) {
  Trace trace;
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (number == 1) {
      if (line != kFirstLine) return Error{"line 1: a trace as text begins with \"" + std::string(kFirstLine) + "\""};
      continue;
    }
    TextFields fields(line);
    parse_line(fields, trace);
    if (!fields.ok()) return Error{fmt::format("line {}: {}", number, fields.problem())};
  }
  if (number == 0) return Error{"line 1: a trace as text is not empty"};
  return trace;
}

}  // namespace heddle::trace
