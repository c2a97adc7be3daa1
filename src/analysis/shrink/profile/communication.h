#pragma once
// Who did what to whose data in one execution: where to look for what a failure is made of, before anything is tried.
#include <cstdint>
#include <utility>
#include <vector>

#include "shrink/profile/run_observers.h"
#include "trace/event.h"

namespace heddle::shrink {

// While `stopped` was at its `point`-th scheduling point, `other` came to data that `stopped` used next.
struct Interference {
  std::uint32_t stopped = 0;  // ThreadIds of the execution
  std::uint32_t point = 0;
  std::uint32_t other = 0;
  std::uint32_t other_point = 0;
  PointPlace before,
      at;  // what the stopped thread has done last, and what it was about to do; without lines and values
  // What it last knew of the data: where it had come to it before, and what was there. No site: it had not.
  std::uint32_t known_site = 0;
  std::uint64_t known_value = 0;
  // What the other one did to the data last.
  std::uint32_t other_site = 0;
  std::uint64_t other_value = 0;
  // Where it had given up a lock for the first time, and so may have taken something, before the first one was stopped;
  // 0: nowhere.
  std::uint32_t other_begin = 0;
  bool decides = false;  // it then wrote what those who failed read last
  bool operator==(const Interference&) const = default;
};

// A thread at one of its scheduling points.
struct PointOfThread {
  std::uint32_t thread = 0;  // ThreadId
  std::uint32_t point = 0;
  bool operator==(const PointOfThread&) const = default;
};

class Communication {
 public:
  // The threads that had to do with `from`: whose data they used last comes first, then who had to do with those, then
  // who synchronised with any of them. Without main, which is always there.
  std::vector<std::uint32_t> related_threads(const std::vector<std::uint32_t>& from) const;

  // Where that was written which these threads read last.
  std::vector<PointOfThread> last_writers(const std::vector<std::uint32_t>& readers) const;

  // Of all that are alike, by the places of their accesses, the last one. Those come first after which the stopped
  // thread wrote what `failed` read last; then those that split what the stopped thread did with one object, at its
  // last stop before at earlier ones; then the latest.
  std::vector<Interference> interferences(const std::vector<std::uint32_t>& failed) const;

 private:
  friend class CommunicationObserver;
  struct Step {
    std::uint64_t object = 0;
    std::uint64_t value = 0;
    std::uint32_t thread = 0;
    std::uint32_t point = 0;
    std::uint32_t site = 0;
    format::EventKind kind{};
    bool access = false;
    bool write = false;  // synchronisation counts as one
    PointPlace place() const { return {access ? site : 0, kind}; }
  };

  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  // A thread, up to a step.
  struct ThreadPosition {
    std::uint32_t thread;
    std::size_t end;
  };
  std::vector<ThreadPosition> sources_of(const ThreadPosition& place) const;
  // Steps that wrote what these threads read last.
  std::vector<std::size_t> origin_steps(const std::vector<std::uint32_t>& readers) const;

  std::vector<Step> steps_;
};

// Hears it. Of what is long only the last part is known, and what each thread did last before it: causes are near the
// failure, but who fails may have been stopped long ago.
class CommunicationObserver {
 public:
  void add(const trace::Event& record);
  Communication take();

 private:
  struct Part {
    std::vector<Communication::Step> steps;
    std::vector<std::size_t> turns;  // where they begin
  };
  void keep_last_of_threads();

  Part last_of_threads_;  // before all of these
  Part older_, newer_;
  ByNumber<std::uint32_t> points_;  // by thread
};

}  // namespace heddle::shrink
