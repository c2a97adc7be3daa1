#include "run/process/session_memory.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

#include "support/check.h"

namespace heddle::run {
namespace {

// High, because programs may expect their first descriptor to be 3.
constexpr int kDescriptorLow = 900;

class Layout {
 public:
  explicit Layout(std::uint64_t begin) : end_(begin) {}

  template <typename T>
  void place(const std::vector<T>& values, std::uint64_t& offset, std::uint64_t& count) {
    end_ = (end_ + 63) / 64 * 64;
    offset = end_;
    count = values.size();
    end_ += values.size() * sizeof(T);
  }
  std::uint64_t reserve(std::uint64_t bytes) {
    end_ = (end_ + 63) / 64 * 64;
    const std::uint64_t offset = end_;
    end_ += bytes;
    return offset;
  }
  std::uint64_t end() const { return end_; }

 private:
  std::uint64_t end_;
};

// Calls `use` with each list that may differ between the runs of a fork server, its offset and its count.
template <typename Use>
void for_each_run_input(const SessionInputs& inputs, format::SessionConfig& config, Use use) {
  use(inputs.descents, config.descents_offset, config.descents_count);
  use(inputs.runs, config.runs_offset, config.runs_count);
  use(inputs.choices, config.choices_offset, config.choices_count);
  use(inputs.arrivals, config.arrivals_offset, config.arrivals_count);
  use(inputs.deviations, config.deviations_offset, config.deviations_count);
  use(inputs.interesting, config.interesting_offset, config.interesting_count);
  use(inputs.counts, config.counts_offset, config.counts_count);
  use(inputs.disabled, config.disabled_offset, config.disabled_count);
  use(inputs.iterations, config.iterations_offset, config.iterations_count);
  use(inputs.repeats, config.repeats_offset, config.repeats_count);
}

void place_run_inputs(Layout& layout, const SessionInputs& inputs, format::SessionConfig& config) {
  for_each_run_input(inputs, config,
                     [&](const auto& values, auto& offset, auto& count) { layout.place(values, offset, count); });
  config.repeat_results_offset = layout.reserve(inputs.repeats.size() * sizeof(format::RepeatResult));
}

template <typename T>
void copy_in(std::byte* base, std::uint64_t offset, const std::vector<T>& values) {
  if (!values.empty()) std::memcpy(base + offset, values.data(), values.size() * sizeof(T));
}

long futex(const std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) {
  return ::syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

Result<SessionMemory> SessionMemory::create(const SessionInputs& inputs) {
  // The runtime requires that the largest record fits into each piece of the ring.
  HEDDLE_CHECK(std::has_single_bit(inputs.ring_words) &&
               inputs.ring_words >= format::kRecordWordsMax * format::kPiecesOfRing);
  HEDDLE_CHECK(std::is_sorted(inputs.armed_names.begin(), inputs.armed_names.end()));
  format::SessionConfig config = inputs.config;
  Layout layout(sizeof(format::Session));
  layout.place(inputs.armed_names, config.armed_names_offset, config.armed_names_count);
  layout.place(inputs.switches, config.switches_offset, config.switches_count);
  layout.place(inputs.site_names, config.site_names_offset, config.site_names_count);
  const std::uint64_t run_inputs_begin = layout.reserve(0);
  place_run_inputs(layout, inputs, config);
  if (layout.end() < run_inputs_begin + inputs.run_input_bytes)
    layout.reserve(run_inputs_begin + inputs.run_input_bytes - layout.end());
  const std::uint64_t run_inputs_end = layout.end();
  config.log_words = inputs.log_words;
  config.log_offset = layout.reserve(inputs.log_words * sizeof(std::uint64_t));
  config.pairs_slots = inputs.pairs_slots;
  config.pairs_offset = layout.reserve(inputs.pairs_slots * sizeof(std::uint64_t));
  config.graph = inputs.graph;
  config.graph.offset = layout.reserve(inputs.graph.slots * sizeof(format::GraphSlot));
  config.graph.call_sites_offset =
      inputs.graph.slots != 0 ? layout.reserve(format::kGraphCallSites * sizeof(format::GraphCallSite)) : 0;
  config.ring_offset = (layout.end() + 4095) / 4096 * 4096;
  config.ring_words = inputs.ring_words;
  const std::size_t size = config.ring_offset + config.ring_words * sizeof(std::uint64_t);

  const UniqueFd low(::memfd_create("heddle-session", MFD_CLOEXEC));
  if (!low.valid() || ::ftruncate(low.get(), static_cast<off_t>(size)) != 0) {
    return Error{std::string("cannot create shared memory for the run: ") + std::strerror(errno),
                 ExitCode::Uncontrolled};
  }
  UniqueFd fd(::fcntl(low.get(), F_DUPFD_CLOEXEC, kDescriptorLow));
  if (!fd.valid()) fd = UniqueFd(::fcntl(low.get(), F_DUPFD_CLOEXEC, 3));  // a small descriptor limit
  void* base = fd.valid() ? ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0) : MAP_FAILED;
  if (base == MAP_FAILED) {
    return Error{std::string("cannot map the run's shared memory: ") + std::strerror(errno), ExitCode::Uncontrolled};
  }

  SessionMemory memory(std::move(fd), static_cast<std::byte*>(base), size, config);
  memory.run_inputs_begin_ = run_inputs_begin;
  memory.run_inputs_end_ = run_inputs_end;
  memory.renew();
  copy_in(memory.base_, config.armed_names_offset, inputs.armed_names);
  copy_in(memory.base_, config.switches_offset, inputs.switches);
  copy_in(memory.base_, config.site_names_offset, inputs.site_names);
  memory.copy_run_inputs(inputs);
  return memory;
}

void SessionMemory::copy_run_inputs(const SessionInputs& inputs) {
  for_each_run_input(inputs, config_,
                     [&](const auto& values, std::uint64_t offset, std::uint64_t) { copy_in(base_, offset, values); });
}

bool SessionMemory::set_run(const SessionInputs& inputs) {
  Layout layout(run_inputs_begin_);
  format::SessionConfig config = config_;
  place_run_inputs(layout, inputs, config);
  if (layout.end() > run_inputs_end_) return false;
  config.strategy = inputs.config.strategy;
  config.seed = inputs.config.seed;
  config.quantum = inputs.config.quantum;
  config.depth = inputs.config.depth;
  config.length = inputs.config.length;
  config.default_order = inputs.config.default_order;
  config.steps_max = inputs.config.steps_max;
  config.fair_points = inputs.config.fair_points;
  config_ = config;
  session().config = config;
  copy_run_inputs(inputs);
  return true;
}

std::span<const std::uint64_t> SessionMemory::decision_log() const {
  return area<std::uint64_t>(config_.log_offset, std::min(session().log.words, config_.log_words));
}

std::span<const format::RepeatResult> SessionMemory::repeat_results() const {
  return area<format::RepeatResult>(config_.repeat_results_offset, config_.repeats_count);
}

std::span<const std::uint64_t> SessionMemory::pairs() const {
  return area<std::uint64_t>(config_.pairs_offset, config_.pairs_slots);
}

std::span<const format::GraphSlot> SessionMemory::graph() const {
  return area<format::GraphSlot>(config_.graph.offset, config_.graph.slots);
}

std::span<const format::GraphCallSite> SessionMemory::graph_call_sites() const {
  const std::uint64_t offset = config_.graph.call_sites_offset;
  return area<format::GraphCallSite>(offset, offset == 0 ? 0 : format::kGraphCallSites);
}

void SessionMemory::clear_graph() {
  std::memset(base_ + config_.graph.offset, 0, config_.graph.slots * sizeof(format::GraphSlot));
  session().graph.count = 0;
  session().graph.dropped = 0;
}

SessionMemory::SessionMemory(SessionMemory&& other) noexcept { *this = std::move(other); }

SessionMemory& SessionMemory::operator=(SessionMemory&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(base_, other.base_);
  std::swap(size_, other.size_);
  std::swap(config_, other.config_);
  std::swap(run_inputs_begin_, other.run_inputs_begin_);
  std::swap(run_inputs_end_, other.run_inputs_end_);
  return *this;
}

SessionMemory::~SessionMemory() {
  if (base_ != nullptr) ::munmap(base_, size_);
}

void SessionMemory::renew() {
  auto* session = new (base_) format::Session{};
  session->magic = format::kSessionMagic;
  session->version = format::kSessionVersion;
  session->config = config_;
}

std::span<const std::uint64_t> SessionMemory::readable() const {
  const std::span<const std::uint64_t> words = words_up_to(session().ring.published.load(std::memory_order_acquire));
  return words.first(std::min<std::size_t>(words.size(), config_.ring_words / format::kPiecesOfRing));
}

bool SessionMemory::is_behind() const {
  const format::Ring& ring = session().ring;
  const std::uint64_t read = ring.read.load(std::memory_order_relaxed);
  return ring.published.load(std::memory_order_acquire) >= read + config_.ring_words / 2;
}

std::span<const std::uint64_t> SessionMemory::readable_at_rest() const {
  return words_up_to(session().ring.written.load(std::memory_order_acquire));
}

std::span<const std::uint64_t> SessionMemory::words_up_to(std::uint64_t end) const {
  const std::uint64_t read = session().ring.read.load(std::memory_order_relaxed);
  if (end <= read) return {};
  const std::uint64_t available = std::min(end - read, config_.ring_words);
  const std::uint64_t at = read % config_.ring_words;
  return area<std::uint64_t>(config_.ring_offset, config_.ring_words)
      .subspan(at, std::min(available, config_.ring_words - at));
}

void SessionMemory::release(std::size_t words) {
  format::Ring& ring = session().ring;
  ring.read.fetch_add(words, std::memory_order_release);
  ring.space_sequence.fetch_add(1, std::memory_order_release);
  futex(ring.space_sequence, FUTEX_WAKE, INT_MAX, nullptr);
}

void SessionMemory::wait_for_data(std::chrono::microseconds time) const {
  const format::Ring& ring = session().ring;
  const std::uint32_t sequence = ring.data_sequence.load(std::memory_order_acquire);
  const std::uint64_t read = ring.read.load(std::memory_order_relaxed);
  if (ring.published.load(std::memory_order_acquire) >= read + config_.ring_words / format::kPiecesOfRing) return;
  const timespec timeout{time.count() / 1'000'000, time.count() % 1'000'000 * 1'000};
  futex(ring.data_sequence, FUTEX_WAIT, sequence, &timeout);
}

}  // namespace heddle::run
