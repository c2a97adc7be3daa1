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

// What a run is given. The offsets and counts of `config` are filled in when it is laid out.
struct SessionInputs {
  format::SessionConfig config{};
  std::vector<std::uint64_t> armed_names;  // sorted
  std::vector<std::uint64_t> descents;
  std::vector<std::string> descent_names;  // the same, for people; stays on this side
  std::vector<format::ReplayRun> runs;
  std::vector<std::uint32_t> choices;
  std::vector<std::int64_t> arrivals;
  std::vector<format::SiteSwitch> switches;
  std::vector<std::uint64_t> site_names;
  std::vector<format::Deviation> deviations;
  std::vector<std::uint32_t> interesting;              // sorted
  std::vector<std::uint64_t> counts;                   // by index of descent
  std::vector<std::uint64_t> disabled;                 // descents of threads that are not to be started
  std::vector<format::DisabledIterations> iterations;  // sorted
  std::vector<format::RepeatPlan> repeats;
  std::uint64_t log_words = 0;    // for what a systematic search wants to know
  std::uint64_t pairs_slots = 0;  // a power of two, or none
  format::GraphConfig graph{};    // its offsets are filled in
  // A fork server is given other inputs for every run: room for as many bytes of them.
  std::uint64_t run_input_bytes = 0;
  std::uint64_t ring_words = kRingWordsDefault;  // a power of two
};

// The shared memory of one controlled run, from the host's side. The program inherits `fd()`.
class SessionMemory {
 public:
  static Result<SessionMemory> create(const SessionInputs& inputs);
  SessionMemory(SessionMemory&&) noexcept;
  SessionMemory& operator=(SessionMemory&&) noexcept;
  ~SessionMemory();

  int fd() const { return fd_.get(); }
  format::Session& session() { return *reinterpret_cast<format::Session*>(base_); }
  const format::Session& session() const { return *reinterpret_cast<const format::Session*>(base_); }

  // The next words that were written and not yet released. Never more than a piece of the ring, so that a program that
  // waits for space has it long before all that it wrote was gone through.
  std::span<const std::uint64_t> readable() const;
  // Half of the ring waits to be read: the program will soon wait for whoever reads it.
  bool is_behind() const;
  // As long as the program runs some of them may not be readable yet. REQUIRES: it has ended, or waits for the host.
  std::span<const std::uint64_t> readable_at_rest() const;
  // Gives `words` back to the program and wakes it if it waits for space.
  void release(std::size_t words);
  // Lays out what differs from run to run of a fork server, in the room that was reserved: strategy and seed of
  // `inputs.config`, descents, runs, choices, deviations, interesting sites, counts, disabled
  // threads and iterations. False: it does not fit.
  bool set_run(const SessionInputs& inputs);
  // What the runtime left in the areas of its own.
  std::span<const std::uint64_t> decision_log() const;
  std::span<const format::RepeatResult> repeat_results() const;
  std::span<const std::uint64_t> pairs() const;
  std::span<const format::GraphSlot> graph() const;
  std::span<const format::GraphCallSite> graph_call_sites() const;
  void clear_graph();
  // As it was when it was made: for the next process that attaches to it. REQUIRES: no process writes to it.
  void renew();
  // Sleeps until the program has written a good part of the ring, or `milliseconds` have passed.
  void wait_for_data(std::chrono::microseconds time) const;

 private:
  SessionMemory(UniqueFd fd, std::byte* base, std::size_t size, const format::SessionConfig& config)
      : fd_(std::move(fd)), base_(base), size_(size), config_(config) {}
  void copy_run_inputs(const SessionInputs& inputs);
  std::span<const std::uint64_t> words_up_to(std::uint64_t end) const;

  UniqueFd fd_;
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  // Kept here as well: the program may be broken and overwrite what is shared.
  format::SessionConfig config_{};
  std::uint64_t run_inputs_begin_ = 0;
  std::uint64_t run_inputs_end_ = 0;
};

}  // namespace heddle::run
