#include "trace/text/std_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "trace/text/text_form.h"

namespace heddle::trace {
namespace {

using format::EventClass;
using format::EventKind;

constexpr std::uint64_t kWordBytes = 8;

struct StdLine {
  std::string_view thread, op, operand, location;
};

// "op(operand)" or "op".
bool split_op(std::string_view text, StdLine& line) {
  const std::size_t open = text.find('(');
  line.op = text.substr(0, open);
  if (open == std::string_view::npos) return true;
  if (!text.ends_with(')')) return false;
  line.operand = text.substr(open + 1, text.size() - open - 2);
  return !line.operand.empty() && line.operand.find_first_of("()") == std::string_view::npos;
}

bool split_line(std::string_view text, StdLine& line) {
  const std::size_t first = text.find('|');
  const std::size_t second = first == std::string_view::npos ? first : text.find('|', first + 1);
  if (second == std::string_view::npos || text.find('|', second + 1) != std::string_view::npos) return false;
  line.thread = text.substr(0, first);
  line.location = text.substr(second + 1);
  return !line.thread.empty() && !line.location.empty() && split_op(text.substr(first + 1, second - first - 1), line);
}

struct Op {
  std::string_view word;
  EventKind kind;
  bool operand;
};

constexpr Op kOps[] = {
    {"r", EventKind::Read, true},       {"w", EventKind::Write, true},   {"acq", EventKind::Lock, true},
    {"rel", EventKind::Unlock, true},   {"fork", EventKind::Fork, true}, {"join", EventKind::Join, true},
    {"begin", EventKind::Begin, false}, {"end", EventKind::Exit, false},
};

class StdImporter {
 public:
  StdTrace result;

  bool add(std::string_view text) {
    StdLine line;
    if (!split_line(text, line)) return false;
    const Op* op = std::ranges::find(kOps, line.op, &Op::word);
    if (op == std::end(kOps) || op->operand == line.operand.empty()) return false;
    Event event;
    event.step = result.trace.events.size();
    event.kind = op->kind;
    event.thread = thread(line.thread);
    event.site = site(line.location);
    event.object = object(*op, line.operand);
    if (event.kind == EventKind::Fork) {
      result.trace.tables.threads.add(ThreadId{static_cast<std::uint32_t>(event.object)}, event.thread);
    }
    if (format::is_access(event.kind)) event.size = kWordBytes;
    result.trace.events.push_back(event);
    return true;
  }

 private:
  ThreadId thread(std::string_view name) {
    const ThreadId next{static_cast<std::uint32_t>(threads_.size())};
    const auto [known, added] = threads_.try_emplace(std::string(name), next);
    if (added) result.names.threads[next] = name;
    return known->second;
  }

  std::uint32_t site(std::string_view location) {
    const auto next = static_cast<std::uint32_t>(sites_.size() + 1);
    const auto [known, added] = sites_.try_emplace(std::string(location), next);
    if (added) {
      TraceSite& row = result.trace.tables.sites[SiteId{next}];
      row.id = SiteId{next};
      row.file = row.name = location;
    }
    return known->second;
  }

  std::uint64_t object(const Op& op, std::string_view name) {
    if (!op.operand) return 0;
    if (format::object_is_thread(op.kind)) return number(thread(name));
    std::map<std::string, std::uint64_t>& known_objects = format::is_access(op.kind) ? variables_ : locks_;
    const std::uint64_t next = 0x1000 + (variables_.size() + locks_.size()) * kWordBytes;
    const auto [known, added] = known_objects.try_emplace(std::string(name), next);
    if (added) result.names.objects[next] = name;
    return known->second;
  }

  std::map<std::string, ThreadId> threads_;
  std::map<std::string, std::uint32_t> sites_;
  std::map<std::string, std::uint64_t> variables_;
  std::map<std::string, std::uint64_t> locks_;
};

}  // namespace

Result<StdTrace> import_std(std::string_view text) {
  StdImporter importer;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (!importer.add(text.substr(0, end))) {
      return Error{
          fmt::format("line {}: not thread|op|location with op one of r(x) w(x) acq(l) rel(l) fork(t) join(t) "
                      "begin end",
                      number)};
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return std::move(importer.result);
}

Status StdExporter::add(const Event& event) {
  switch (format::class_of(event.kind)) {
    case EventClass::Access:
      if (format::touches_memory(event.kind)) access(event);
      break;
    case EventClass::Lock:
      lock(event);
      break;
    case EventClass::Condition:
    case EventClass::Barrier:
    case EventClass::Semaphore:
    case EventClass::Futex:
    case EventClass::Once:
      // A Wait is exported where it ends, because only then its predecessor is known.
      if (event.kind != EventKind::Wait) order(event, "sync_" + object_name(event));
      break;
    case EventClass::Thread:
      thread(event);
      break;
    default:
      break;
  }
  if (!problem_.empty()) return Error{problem_};
  return ok_status();
}

void StdExporter::lock(const Event& event) {
  if (format::takes_lock(event.kind) && !takes_lock(event)) return;
  if (format::is_shared(event.kind)) return order(event, object_name(event));
  format::takes_lock(event.kind) ? acquire(event) : release(event);
}

void StdExporter::thread(const Event& event) {
  const Op* op = std::ranges::find(kOps, event.kind, &Op::kind);
  if (op == std::end(kOps)) return;
  line(event, op->word, op->operand ? thread_name(ThreadId{static_cast<std::uint32_t>(event.object)}) : "");
}

void StdExporter::access(const Event& event) {
  const bool atomic = format::is_atomic_access(event.kind);
  const std::string lock = atomic ? "atomic_" + object_name(event) : "";
  if (atomic) line(event, "acq", lock);
  for (std::uint64_t offset = 0; offset == 0 || offset < access_size(event); offset += kWordBytes) {
    const std::string variable = object_name(event, offset);
    if (format::is_read_access(event.kind)) line(event, "r", variable);
    if (format::is_write_access(event.kind)) line(event, "w", variable);
  }
  if (atomic) line(event, "rel", lock);
}

void StdExporter::acquire(const Event& event) {
  Held& held = held_.try_emplace(event.object, Held{event.thread, 0}).first->second;
  if (held.owner != event.thread) held = {event.thread, 0};
  if (held.depth++ == 0) line(event, "acq", object_name(event));
}

void StdExporter::release(const Event& event) {
  const auto held = held_.find(event.object);
  if (held != held_.end() && --held->second.depth > 0) return;
  line(event, "rel", object_name(event));
  if (held != held_.end()) held_.erase(held);
}

void StdExporter::order(const Event& event, const std::string& lock) {
  line(event, "acq", lock);
  line(event, "rel", lock);
}

void StdExporter::line(const Event& event, std::string_view op, std::string_view operand) {
  const std::string thread = thread_name(event.thread);
  const std::string place = location(event);
  for (const std::string_view field : {std::string_view(thread), operand, std::string_view(place)}) {
    if (field.find_first_of("|\n") == std::string_view::npos) continue;
    problem_ =
        fmt::format("step {}: \"{}\" cannot be exported; a field of STD has no '|' or line end", event.step, field);
    return;
  }
  out_ << thread << '|' << op;
  if (!operand.empty()) out_ << '(' << operand << ')';
  out_ << '|' << place << '\n';
}

std::string StdExporter::object_name(const Event& event, std::uint64_t offset) const {
  const auto name = names_.objects.find(event.object + offset);
  return name != names_.objects.end() ? name->second : object_text(event.kind, event.object + offset);
}

std::string StdExporter::thread_name(ThreadId thread) const {
  const auto name = names_.threads.find(thread);
  return name != names_.threads.end() ? name->second : tables_.threads.name(thread);
}

std::string StdExporter::location(const Event& event) const {
  const TraceSite* site = tables_.find_site(event.site_id());
  if (site == nullptr) return "0";
  return site->line == 0 ? site->file : fmt::format("{}:{}:{}", site->file, site->line, site->column);
}

Status export_std(TraceReader& reader, std::ostream& out) {
  const StdNames names;
  StdExporter exporter(reader.tables(), names, out);
  for (std::span<const Event> events = reader.next(); !events.empty(); events = reader.next()) {
    for (const Event& event : events) {
      if (Status status = exporter.add(event); !status) return status;
    }
  }
  return ok_status();
}

}  // namespace heddle::trace
