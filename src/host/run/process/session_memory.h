#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/session.h"
#include "support/result.h"
#include "support/unique_fd.h"

namespace heddle::run {

inline constexpr std::uint64_t kRingWordsDefault = 1u << 20;

// The inputs of a run. SessionMemory fills in the offsets and counts of `config`.
struct SessionInputs {
  format::SessionConfig config{};
  std::vector<std::uint64_t> armed_names;  // sorted
  std::vector<std::uint64_t> descents;
  std::vector<std::string> descent_names;  // the same as text; only for the host
  std::vector<format::ReplayRun> runs;
  std::vector<std::uint32_t> choices;
  std::vector<std::int64_t> arrivals;
  std::vector<format::SiteSwitch> switches;
  std::vector<std::uint64_t> site_names;
  std::vector<format::Deviation> deviations;
  std::vector<std::uint32_t> interesting;              // sorted
  std::vector<std::uint64_t> counts;                   // by index of descent
  std::vector<std::uint64_t> disabled;                 // descents of threads that the run does not start
  std::vector<format::DisabledIterations> iterations;  // sorted
  std::vector<format::RepeatPlan> repeats;
  std::uint64_t log_words = 0;    // size of the decision log of a systematic search
  std::uint64_t pairs_slots = 0;  // a power of two, or 0
  format::GraphConfig graph{};    // without its offsets
  // Bytes reserved for the inputs of later runs of a fork server.
  std::uint64_t run_input_bytes = 0;
  std::uint64_t ring_words = kRingWordsDefault;  // a power of two
};

// The shared memory of one controlled run, as the host sees it. Layout: the Session struct, inputs that are constant
// for the process (armed names, site switches), inputs of the next run, the areas that the runtime writes (decision
// log, pairs, graph), and the ring. The program inherits `fd()`. The host reads offsets and sizes from its private copy
// of the configuration, because a broken program may overwrite the shared one.
class SessionMemory {
 public:
  static Result<SessionMemory> create(const SessionInputs& inputs);
  SessionMemory(SessionMemory&&) noexcept;
  SessionMemory& operator=(SessionMemory&&) noexcept;
  ~SessionMemory();

  int fd() const { return fd_.get(); }
  format::Session& session() { return *reinterpret_cast<format::Session*>(base_); }
  const format::Session& session() const { return *reinterpret_cast<const format::Session*>(base_); }

  // The next published words that are not released yet, at most one piece of the ring, so that a program that waits for
  // space gets some early.
  std::span<const std::uint64_t> readable() const;
  // True if half of the ring is unread, so that the program will soon block on it.
  bool is_behind() const;
  // All words, including those not published yet. REQUIRES: the program has ended, or waits for the host.
  std::span<const std::uint64_t> readable_at_rest() const;
  // Frees `words` words for the program and wakes it if it waits for space.
  void release(std::size_t words);
  // Replaces the inputs that differ between the runs of a fork server: strategy and bounds in `inputs.config`, and the
  // lists from `descents` on, except those for site replay. Returns false if the reserved bytes do not suffice.
  bool set_run(const SessionInputs& inputs);
  // The areas that the runtime writes.
  std::span<const std::uint64_t> decision_log() const;
  std::span<const format::RepeatResult> repeat_results() const;
  std::span<const std::uint64_t> pairs() const;
  std::span<const format::GraphSlot> graph() const;
  std::span<const format::GraphCallSite> graph_call_sites() const;
  void clear_graph();
  // Resets the session for the next process that attaches to it. REQUIRES: no process writes to it.
  void renew();
  // Sleeps until the program has published a piece of the ring, or `time` has passed.
  void wait_for_data(std::chrono::microseconds time) const;

 private:
  SessionMemory(UniqueFd fd, std::byte* base, std::size_t size, const format::SessionConfig& config)
      : fd_(std::move(fd)), base_(base), size_(size), config_(config) {}
  template <typename T>
  std::span<const T> area(std::uint64_t offset, std::uint64_t count) const {
    return {reinterpret_cast<const T*>(base_ + offset), count};
  }
  void copy_run_inputs(const SessionInputs& inputs);
  std::span<const std::uint64_t> words_up_to(std::uint64_t end) const;

  UniqueFd fd_;
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  format::SessionConfig config_{};
  std::uint64_t run_inputs_begin_ = 0;
  std::uint64_t run_inputs_end_ = 0;
};

}  // namespace heddle::run
