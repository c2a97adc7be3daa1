#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "support/result.h"
#include "trace/event.h"
#include "trace/problem.h"
#include "trace/ring_decoder.h"
#include "trace/tables.h"

namespace heddle::trace {

// What a run has just loaded.
struct LoadedModule {
  TraceModule module;
  std::vector<TraceSite> sites;
};

// Asked when a Module record comes out of the ring, with the index in it: SessionResult::modules
// has the answer. The index may be damaged; nullopt then.
using ModuleSource = std::function<std::optional<LoadedModule>(std::uint32_t index)>;

// Told of each CallSite record: one frame of the place that events will know by this number.
using CallSiteSink = std::function<void(SiteId site, std::uint64_t pc)>;

// Told of each record that is more than an access, a lock or an allocation.
using RecordSink = std::function<void(const Event& record)>;

// Writes a trace while the run goes on: append-only, in bounded memory. A file that was not
// finished, because its writer was killed, reads as a prefix. Trouble with the disk is kept and
// said by finish(); until then nothing more is written.
//
// Occurrence, Frame, Module and CallSite records are not events: clips and tables are made of them.
class TraceWriter {
 public:
  // Creates or truncates `path`.
  static Result<TraceWriter> create(const std::string& path, const TraceHeader& header);
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;
  ~TraceWriter();  // without finish() the file has no index and misses what was not yet flushed

  void set_module_source(ModuleSource source);
  void set_call_site_sink(CallSiteSink sink);
  void set_record_sink(RecordSink sink);
  // REQUIRES: module.number < format::kModulesMax. From here on addresses inside it are written
  // relative to it.
  void add_module(const TraceModule& module);
  void add_sites(std::span<const TraceSite> sites);
  // Needed only for threads that no Fork event introduces.
  void add_thread(ThreadId thread, const ThreadTable::Row& row);
  void add_failure(const TraceFailure& failure);

  // In great haste what compresses badly anyway is stored as it is: two thirds of the work, for up to four times the
  // bytes.
  enum class CompressionMode : bool { Usual, Great };
  void set_haste(CompressionMode haste);

  // The next words of the ring.
  void append(std::span<const std::uint64_t> ring_words);
  // An event whose object is canonical already. Its step is not looked at.
  void append(const Event& event);

  // Ends the current chunk, so that all events so far are on disk (or in the kernel's hands).
  void flush();
  Status finish();

  StepIndex steps() const;
  const ThreadTable& threads() const;
  // What the ring's words go through; it knows of damage. Stays where it is when the writer is moved.
  const RingDecoder& decoder() const;

 private:
  class Impl;
  explicit TraceWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::trace
