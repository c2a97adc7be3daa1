#include "trace/file/trace_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "support/unique_fd.h"
#include "trace/file/compression.h"
#include "trace/file/event_encoder.h"
#include "trace/file/table_coder.h"
#include "trace/object.h"
#include "trace/ring_decoder.h"

namespace heddle::trace {
namespace {

// Measured on irregular programs, where it matters: a tenth less time an event than level -1, for a fifth more bytes.
constexpr int kCompressionLevel = -6;
// Of a regular program much is compressed in little time, less than it takes to write it as it is. Seen anew by a chunk
// that is compressed as usual after so many that were not.
constexpr std::size_t kGoodRatio = 6;
constexpr std::uint32_t kHastyChunksMax = 64;
constexpr std::size_t kTableChunkSize = 1u << 20;  // rows are collected up to this

std::uint64_t head_of(const Event& event) { return format::ring_head(event.kind, event.flags, event.size, event.site); }

}  // namespace

class TraceWriter::Impl {
 public:
  Impl(UniqueFd fd, std::string path, const TraceHeader& header)
      : fd_(std::move(fd)), path_(std::move(path)), compressor_(kCompressionLevel, Compressor::Checksum::No) {
    write_bytes(make_trace_head());
    std::string payload;
    put_header(header, payload);
    write_chunk(ChunkKind::Header, payload);
  }

  void set_module_source(ModuleSource source) { module_source_ = std::move(source); }
  void set_call_site_sink(CallSiteSink sink) { call_site_sink_ = std::move(sink); }
  void set_record_sink(RecordSink sink) { record_sink_ = std::move(sink); }

  void set_haste(CompressionMode haste) { haste_ = haste; }

  void add_module(const TraceModule& module) {
    objects_.add_module(module.number, module.begin, module.end);
    std::string row;
    put_module(module, row);
    write_chunk(ChunkKind::Modules, row);
  }

  void add_sites(std::span<const TraceSite> sites) {
    std::string rows;
    for (const TraceSite& site : sites) {
      put_site(site, rows);
      if (rows.size() >= kTableChunkSize) {
        write_chunk(ChunkKind::Sites, rows);
        rows.clear();
      }
    }
    if (!rows.empty()) write_chunk(ChunkKind::Sites, rows);
  }

  void add_thread(ThreadId thread, const ThreadTable::Row& row) {
    threads_.add(thread, row.parent, row.ordinal);
    note_thread(thread);
  }

  void add_failure(const TraceFailure& failure) {
    std::string row;
    put_failure(failure, row);
    write_chunk(ChunkKind::Failure, row);
  }

  void append(std::span<const std::uint64_t> words) {
    while (!words.empty()) {
      if (decoder_.at_record()) {
        const std::size_t plain = encoder_.add_plain(words, objects_, decoder_.introduced());
        decoder_.skip(plain);
        words = words.subspan(plain);
        if (encoder_.full()) flush();
      }
      if (!words.empty()) {
        words = words.subspan(decoder_.decode_one(words, [this](const Event& record) { append_record(record); }));
      }
    }
  }

  void append(const Event& event) {
    if (event.thread != encoder_.thread()) encoder_.set_thread(event.thread);
    add(head_of(event), event.kind, event.object, event.value);
  }

  void flush() {
    if (!thread_rows_.empty()) write_thread_rows();
    if (encoder_.count() == 0) return;
    payload_.clear();
    encoder_.put_payload(payload_);
    const bool hasty = haste_ == CompressionMode::Great && !compresses_well_ && ++hasty_chunks_ % kHastyChunksMax != 0;
    write_chunk(ChunkKind::Events, payload_, hasty ? Storage::AsItIs : Storage::Compressed);
    if (!hasty) compresses_well_ = entries_.back().head.stored_size < payload_.size() / kGoodRatio;
    flushed_steps_ += encoder_.count();
    first_thread_ = encoder_.thread();
    encoder_.reset(first_thread_);
  }

  Status finish() {
    flush();
    const std::uint64_t index_offset = offset_;
    const std::vector<ChunkEntry> entries = std::exchange(entries_, {});
    std::string rows;
    for (const ChunkEntry& entry : entries) {
      put_index_entry(entry, rows);
      if (rows.size() >= kTableChunkSize) {
        write_chunk(ChunkKind::Index, rows);
        rows.clear();
      }
    }
    if (!rows.empty()) write_chunk(ChunkKind::Index, rows);
    write_bytes(make_footer(index_offset));
    fd_.reset();
    if (error_ != 0) return Error{"cannot write " + path_ + ": " + std::strerror(error_)};
    return ok_status();
  }

  StepIndex steps() const { return flushed_steps_ + encoder_.count(); }
  const ThreadTable& threads() const { return threads_; }
  const RingDecoder& decoder() const { return decoder_; }

 private:
  void append_record(const Event& record) {
    if (record_sink_) record_sink_(record);
    if (record.kind >= format::kOccurrence) [[unlikely]] {
      if (record.kind == format::kModule) load_module(static_cast<std::uint32_t>(record.object));
      if (record.kind == format::kCallSite && call_site_sink_) call_site_sink_(SiteId{record.site}, record.object);
      return;
    }
    const std::uint64_t object = object_is_address(record.kind) ? objects_.object_at(record.object) : record.object;
    add(format::ring_head(record.kind, record.flags, record.size, record.site), record.kind, object, record.value);
  }

  void add(std::uint64_t head, format::EventKind kind, std::uint64_t object, std::uint64_t value) {
    if (kind == format::EventKind::Switch) {
      encoder_.add_switch(head, object, value);
    } else {
      if (kind == format::EventKind::Fork) learn_thread(head, object, value);
      encoder_.add(head, object, value);
    }
    if (encoder_.full()) [[unlikely]]
      flush();
  }

  [[gnu::noinline]] void learn_thread(std::uint64_t head, std::uint64_t object, std::uint64_t value) {
    const ThreadId child{static_cast<std::uint32_t>(object)};
    if ((head >> 8 & format::kFailed) != 0 || threads_.rows().contains(child)) return;
    const bool told = (head >> 8 & format::kHasValue) != 0;
    threads_.add(child, encoder_.thread(), told ? std::optional(static_cast<std::uint32_t>(value)) : std::nullopt);
    note_thread(child);
  }

  void note_thread(ThreadId thread) {
    const auto row = threads_.rows().find(thread);
    if (row == threads_.rows().end()) return;
    put_thread(thread, row->second, thread_rows_);
    if (thread_rows_.size() >= kTableChunkSize) write_thread_rows();
  }

  void write_thread_rows() {
    write_chunk(ChunkKind::Threads, thread_rows_);
    thread_rows_.clear();
  }

  [[gnu::noinline]] void load_module(std::uint32_t index) {
    if (!module_source_) return;
    const std::optional<LoadedModule> loaded = module_source_(index);
    if (!loaded) return;
    add_module(loaded->module);
    add_sites(loaded->sites);
  }

  enum class Storage : bool { Compressed, AsItIs };
  void write_chunk(ChunkKind kind, std::string_view payload, Storage storage = Storage::Compressed) {
    const bool events = kind == ChunkKind::Events;
    stored_.assign(kChunkHeadSize, '\0');
    if (storage == Storage::Compressed)
      compressor_.compress(payload, stored_);
    else
      put_stored_frame(payload, stored_);
    const std::string_view frame = std::string_view(stored_).substr(kChunkHeadSize);
    ChunkEntry entry{.offset = offset_, .head = {}};
    entry.head.kind = kind;
    entry.head.raw_size = static_cast<std::uint32_t>(payload.size());
    entry.head.stored_size = static_cast<std::uint32_t>(frame.size());
    entry.head.event_count = events ? encoder_.count() : 0;
    entry.head.first_thread = number(first_thread_);
    entry.head.first_step = flushed_steps_;
    entry.head.payload_checksum = checksum(frame);
    std::string head;
    put_chunk_head(entry.head, head);
    // One write: a killed writer then leaves whole chunks, save for the last.
    stored_.replace(0, kChunkHeadSize, head);
    write_bytes(stored_);
    entries_.push_back(entry);
  }

  void write_bytes(std::string_view bytes) {
    offset_ += bytes.size();
    while (error_ == 0 && !bytes.empty()) {
      const ssize_t written = ::write(fd_.get(), bytes.data(), bytes.size());
      if (written > 0)
        bytes.remove_prefix(static_cast<std::size_t>(written));
      else if (written == 0 || errno != EINTR)
        error_ = written == 0 ? EIO : errno;
    }
  }

  UniqueFd fd_;
  std::string path_;
  int error_ = 0;
  std::uint64_t offset_ = 0;
  std::vector<ChunkEntry> entries_;

  Compressor compressor_;
  CompressionMode haste_ = CompressionMode::Usual;
  bool compresses_well_ = true;
  std::uint32_t hasty_chunks_ = 0;
  std::string payload_;
  std::string stored_;

  ModuleSource module_source_;
  CallSiteSink call_site_sink_;
  RecordSink record_sink_;
  RingDecoder decoder_;
  ObjectMap objects_;
  EventEncoder encoder_;
  StepIndex flushed_steps_ = 0;
  ThreadId first_thread_ = kMainThread;  // of the chunk that is being filled
  ThreadTable threads_;
  std::string thread_rows_;
};

Result<TraceWriter> TraceWriter::create(const std::string& path, const TraceHeader& header) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd.valid()) return Error{"cannot write " + path + ": " + std::strerror(errno)};
  return TraceWriter(std::make_unique<Impl>(std::move(fd), path, header));
}

TraceWriter::TraceWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceWriter::TraceWriter(TraceWriter&&) noexcept = default;
TraceWriter& TraceWriter::operator=(TraceWriter&&) noexcept = default;
TraceWriter::~TraceWriter() = default;

void TraceWriter::set_module_source(ModuleSource source) { impl_->set_module_source(std::move(source)); }
void TraceWriter::set_call_site_sink(CallSiteSink sink) { impl_->set_call_site_sink(std::move(sink)); }
void TraceWriter::set_record_sink(RecordSink sink) { impl_->set_record_sink(std::move(sink)); }
void TraceWriter::set_haste(CompressionMode haste) { impl_->set_haste(haste); }
void TraceWriter::add_module(const TraceModule& module) { impl_->add_module(module); }
void TraceWriter::add_sites(std::span<const TraceSite> sites) { impl_->add_sites(sites); }
void TraceWriter::add_thread(ThreadId thread, const ThreadTable::Row& row) { impl_->add_thread(thread, row); }
void TraceWriter::add_failure(const TraceFailure& failure) { impl_->add_failure(failure); }
void TraceWriter::append(std::span<const std::uint64_t> ring_words) { impl_->append(ring_words); }
void TraceWriter::append(const Event& event) { impl_->append(event); }
void TraceWriter::flush() { impl_->flush(); }
Status TraceWriter::finish() { return impl_->finish(); }
StepIndex TraceWriter::steps() const { return impl_->steps(); }
const ThreadTable& TraceWriter::threads() const { return impl_->threads(); }
const RingDecoder& TraceWriter::decoder() const { return impl_->decoder(); }

}  // namespace heddle::trace
