#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/result.h"
#include "support/unique_fd.h"
#include "trace/event.h"
#include "trace/file/compression.h"
#include "trace/file/event_encoder.h"
#include "trace/file/table_coder.h"
#include "trace/object.h"
#include "trace/ring_decoder.h"
#include "trace/tables.h"

namespace heddle::trace {

// A module that the run has just loaded, with its sites.
struct LoadedModule {
  TraceModule module;
  std::vector<TraceSite> sites;
};

// Describes the module at this index of SessionResult::modules, for a Module record in the ring. The index may be
// damaged; returns nullopt then.
using ModuleSource = std::function<std::optional<LoadedModule>(std::uint32_t index)>;

// Receives each CallSite record: one frame of the call site to which events refer by this number.
using CallSiteSink = std::function<void(SiteId site, std::uint64_t pc)>;

// Receives each record that is not an access, a lock or an allocation.
using RecordSink = std::function<void(const Event& record)>;

// Writes a trace while the run continues: append-only, in bounded memory, each chunk in one write, so that the file of
// a killed writer reads as a prefix of the trace. The writer keeps the first disk error, writes nothing after it, and
// reports it in finish().
//
// Plain records go from the ring straight to the encoder. The decoder handles all others, and records that a span cuts
// in two. Occurrence, Frame, Module and CallSite records are not events; clips and tables are made from them.
class TraceWriter {
 public:
  // Creates or truncates `path`. Without finish() the file has no index and lacks the events since the last flush.
  static Result<TraceWriter> create(const std::string& path, const TraceHeader& header);

  void set_module_source(ModuleSource source) { module_source_ = std::move(source); }
  void set_call_site_sink(CallSiteSink sink) { call_site_sink_ = std::move(sink); }
  void set_record_sink(RecordSink sink) { record_sink_ = std::move(sink); }
  // From here on addresses in the module become objects in it. REQUIRES: module.number < format::kModulesMax.
  void add_module(const TraceModule& module);
  void add_sites(std::span<const TraceSite> sites);
  // Only for threads without a Fork event.
  void add_thread(ThreadId thread, const ThreadTable::Row& row);
  void add_failure(const TraceFailure& failure);

  // Fast stores chunks that compress poorly uncompressed: two thirds of the work, up to four times the bytes.
  enum class CompressionMode : bool { Normal, Fast };
  void set_compression_mode(CompressionMode mode) { compression_mode_ = mode; }

  // Appends the next words of the ring.
  void append(std::span<const std::uint64_t> ring_words);
  // Appends an event with a canonical object; its step is ignored.
  void append(const Event& event);

  // Ends the current chunk, so that the kernel has all events so far.
  void flush();
  Status finish();

  StepIndex steps() const { return flushed_steps_ + encoder_.count(); }
  const ThreadTable& threads() const { return threads_; }
  // The decoder of the ring words, which reports damage of the ring.
  const RingDecoder& decoder() const { return decoder_; }

 private:
  enum class Storage : bool { Compressed, Uncompressed };

  TraceWriter(UniqueFd fd, std::string path, const TraceHeader& header);
  void append_record(const Event& record);
  void add(std::uint64_t head, format::EventKind kind, std::uint64_t object, std::uint64_t value);
  void learn_thread(std::uint64_t head, std::uint64_t object, std::uint64_t value);
  void load_module(std::uint32_t index);
  void put_thread_row(ThreadId thread);
  // Appends a row to a table, and writes the rows as a chunk once they fill one.
  template <typename PutRow>
  void put_row(ChunkKind kind, std::string& rows, PutRow&& put);
  void write_rows(ChunkKind kind, std::string& rows);
  void write_chunk(ChunkKind kind, std::string_view payload, Storage storage = Storage::Compressed);
  void write_bytes(std::string_view bytes);

  UniqueFd fd_;
  std::string path_;
  int error_ = 0;  // the first errno of a write
  std::uint64_t offset_ = 0;
  std::vector<ChunkEntry> entries_;

  Compressor compressor_;
  CompressionMode compression_mode_ = CompressionMode::Normal;
  bool compresses_well_ = true;
  std::uint32_t uncompressed_chunks_ = 0;
  std::string payload_;
  std::string stored_;

  ModuleSource module_source_;
  CallSiteSink call_site_sink_;
  RecordSink record_sink_;
  RingDecoder decoder_;
  ObjectMap objects_;
  EventEncoder encoder_;
  StepIndex flushed_steps_ = 0;
  ThreadId first_thread_ = kMainThread;  // of the current chunk
  ThreadTable threads_;
  std::string thread_rows_;
};

}  // namespace heddle::trace
