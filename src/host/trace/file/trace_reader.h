#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"
#include "trace/event.h"
#include "trace/file/byte_source.h"
#include "trace/file/chunk_directory.h"
#include "trace/file/compression.h"
#include "trace/file/event_decoder.h"
#include "trace/tables.h"

namespace heddle::trace {

// Whether the file begins with the magic bytes of a trace.
bool is_trace(const std::string& path);

// Reads a trace in order or from any step on. open() reads all tables, including those that were written late; events
// are decoded chunk by chunk, so that a trace of any length takes the memory of one chunk. Damaged parts are skipped
// and listed in problems(): damage of the frame after open(), damage of a chunk once the reader reaches it. Steps stay
// correct across a gap, because each chunk stores its first step.
class TraceReader {
 public:
  // Fails if the file is not a trace or has an unknown version.
  static Result<TraceReader> open(const std::string& path);
  static Result<TraceReader> open(std::unique_ptr<ByteSource> source, const std::string& name);

  const TraceTables& tables() const { return tables_; }

  // The next events in order, at most a few thousand; empty at the end. Valid until the next call.
  std::span<const Event> next();

  // Calls `visit(event)` for each remaining event.
  template <typename Visit>
  void for_each(Visit&& visit) {
    for (std::span<const Event> events = next(); !events.empty(); events = next())
      for (const Event& event : events) visit(event);
  }

  // next() continues with the first event whose step is at least `step`.
  void seek(StepIndex step);

  // Decodes the chunks from `begin` up to `end` into `sink` (EventDecoder::visit()), each after
  // sink.begin_chunk(event count). Chunks are independent, so that several readers can share a trace.
  std::size_t chunk_count() const { return chunks_.size(); }
  template <typename Sink>
  void visit_chunks(std::size_t begin, std::size_t end, Sink& sink) {
    next_chunk_ = begin;
    while (next_chunk_ < end && begin_chunk()) {
      sink.begin_chunk(decoder_->left());
      decoder_->visit(sink);
      note_malformed();
    }
  }

  // One more than the last step of the file.
  StepIndex steps() const { return steps_; }
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  explicit TraceReader(std::unique_ptr<ByteSource> source);
  void read_tables();
  bool begin_chunk();
  void note_malformed();
  void note(Problem problem);

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<Decompressor> decompressor_;
  std::unique_ptr<EventDecoder> decoder_;
  std::vector<ChunkEntry> chunks_;  // of events
  std::size_t next_chunk_ = 0;
  StepIndex skip_until_ = 0;
  StepIndex steps_ = 0;
  TraceTables tables_;
  std::vector<Event> block_;
  std::vector<Problem> problems_;
};

}  // namespace heddle::trace
