#include "trace/file/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trace/file/chunk.h"

namespace heddle::trace {
namespace {

constexpr std::size_t kBlockEvents = 2048;

bool parse_table(ChunkKind kind, std::string_view payload, TraceTables& tables) {
  switch (kind) {
    case ChunkKind::Header:
      return parse_header(payload, tables.header);
    case ChunkKind::Modules:
      return parse_modules(payload, tables.modules);
    case ChunkKind::Sites:
      return parse_sites(payload, tables.sites);
    case ChunkKind::Threads:
      return parse_threads(payload, tables.threads);
    case ChunkKind::Failure:
      return parse_failure(payload, tables.failure);
    case ChunkKind::Events:
    case ChunkKind::Index:
      break;
  }
  return true;
}

}  // namespace

bool is_trace(const std::string& path) {
  const Result<std::unique_ptr<ByteSource>> source = open_file_source(path);
  if (!source) return false;
  std::string head;
  (*source)->read(0, kTraceMagic.size(), head);
  return head == kTraceMagic;
}

TraceReader::TraceReader(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)),
      decompressor_(std::make_unique<Decompressor>()),
      decoder_(std::make_unique<EventDecoder>()),
      block_(kBlockEvents) {}

Result<TraceReader> TraceReader::open(const std::string& path) {
  Result<std::unique_ptr<ByteSource>> source = open_file_source(path);
  if (!source) return source.error();
  return open(std::move(*source), path);
}

Result<TraceReader> TraceReader::open(std::unique_ptr<ByteSource> source, const std::string& name) {
  std::string head;
  source->read(0, kTraceHeadSize, head);
  const std::optional<std::uint32_t> version = parse_trace_head(head);
  if (!version && head.size() < kTraceHeadSize && make_trace_head().starts_with(head)) {
    return Error{name + " is cut short before its first event"};
  }
  if (!version) return Error{name + " is not a Heddle trace"};
  if (*version != kTraceVersion) {
    return Error{
        fmt::format("{} is a trace of version {}; this Heddle reads version {}", name, *version, kTraceVersion)};
  }
  TraceReader reader(std::move(source));
  reader.read_tables();
  return reader;
}

void TraceReader::read_tables() {
  ChunkDirectory directory = read_chunk_directory(*source_);
  problems_ = std::move(directory.problems);
  for (const ChunkEntry& entry : directory.entries) {
    if (entry.head.kind == ChunkKind::Events) {
      chunks_.push_back(entry);
      steps_ = entry.head.first_step + entry.head.event_count;
      continue;
    }
    const Result<std::string> payload = read_chunk_payload(*source_, entry, *decompressor_, {});
    if (!payload) {
      note({payload.error().message});
    } else if (!parse_table(entry.head.kind, *payload, tables_)) {
      note({fmt::format("the table at byte {} is malformed", entry.offset)});
    }
  }
}

std::span<const Event> TraceReader::next() {
  for (;;) {
    if (decoder_->left() == 0 || !decoder_->ok()) {
      if (!begin_chunk()) return {};
      continue;
    }
    const std::size_t count = decoder_->decode(block_);
    note_malformed();
    std::span<const Event> events(block_.data(), count);
    if (count > 0 && events.front().step < skip_until_) {
      events = events.subspan(std::min<std::size_t>(count, skip_until_ - events.front().step));
    }
    if (!events.empty()) return events;
  }
}

// Begins the next readable chunk; false at the end.
bool TraceReader::begin_chunk() {
  while (next_chunk_ < chunks_.size()) {
    const ChunkEntry& entry = chunks_[next_chunk_++];
    Result<std::string> payload = read_chunk_payload(*source_, entry, *decompressor_, decoder_->take_buffer());
    if (!payload) {
      note({payload.error().message});
    } else if (!decoder_->begin(entry.head, std::move(*payload))) {
      note({fmt::format("the chunk at byte {} is malformed", entry.offset)});
    } else {
      return true;
    }
  }
  return false;
}

void TraceReader::seek(StepIndex step) {
  const auto chunk = std::ranges::partition_point(
      chunks_, [step](const ChunkEntry& entry) { return entry.head.first_step + entry.head.event_count <= step; });
  next_chunk_ = static_cast<std::size_t>(chunk - chunks_.begin());
  skip_until_ = step;
  decoder_ = std::make_unique<EventDecoder>();
}

void TraceReader::note_malformed() {
  if (!decoder_->ok())
    note({fmt::format("the events from step {} to the end of their chunk are malformed", decoder_->step())});
}

// Lists the problem of a damaged chunk once, even if the chunk is read again.
void TraceReader::note(Problem problem) {
  if (std::ranges::find(problems_, problem) == problems_.end()) problems_.push_back(std::move(problem));
}

}  // namespace heddle::trace
