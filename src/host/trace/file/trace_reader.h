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

// The file begins as traces do.
bool is_trace(const std::string& path);

// Reads a trace in order, or from any step on, in memory for one chunk. All tables are there after
// opening, also those that were written late. What is damaged is left out and told in problems():
// those of the frame at once, those of the chunks when they are reached. Steps stay true across a
// gap.
class TraceReader {
 public:
  // Fails when this is no trace, or of a version that is not known.
  static Result<TraceReader> open(const std::string& path);
  static Result<TraceReader> open(std::unique_ptr<ByteSource> source, const std::string& name);

  const TraceTables& tables() const { return tables_; }

  // The next events in order, some thousands at most; empty at the end. Valid until the next call.
  std::span<const Event> next();

  // next() goes on with the first event whose step is at least `step`.
  void seek(StepIndex step);

  // Events are in chunks, which can be read apart from each other: tells those from one chunk up to another (see
  // EventDecoder::tell()), each after sink.begin_chunk(number of its events).
  std::size_t chunk_count() const { return chunks_.size(); }
  template <typename Sink>
  void tell_chunks(std::size_t begin, std::size_t end, Sink& sink) {
    next_chunk_ = begin;
    while (next_chunk_ < end && begin_chunk()) {
      sink.begin_chunk(decoder_->left());
      decoder_->tell(sink);
      note_malformed();
    }
  }

  // One more than the last step that the file knows of.
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
