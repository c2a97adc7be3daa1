#pragma once
// Cross-thread data flow of one execution. It suggests causes of a failure before any candidate runs.
#include <cstdint>
#include <utility>
#include <vector>

#include "shrink/profile/run_observers.h"
#include "trace/event.h"

namespace heddle::shrink {

// While `stopped` was preempted before its scheduling point `point`, `other` accessed data that `stopped` used next.
struct Interference {
  std::uint32_t stopped = 0;  // ThreadIds of the execution
  std::uint32_t point = 0;
  std::uint32_t other = 0;
  std::uint32_t other_point = 0;
  PointPlace before, at;  // last operation of `stopped`, and its pending one; without lines and values
  // The last access of `stopped` to the data before the preemption, and the value there. Site 0: none.
  std::uint32_t known_site = 0;
  std::uint64_t known_value = 0;
  // The last access of `other` to the data.
  std::uint32_t other_site = 0;
  std::uint64_t other_value = 0;
  // The point after the first unlock by `other`, if that was before the preemption: from there on `other` may have
  // taken work. 0 if none.
  std::uint32_t other_begin = 0;
  bool decides = false;  // `stopped` then wrote data that the failing threads read last
  bool operator==(const Interference&) const = default;
};

struct PointOfThread {
  std::uint32_t thread = 0;  // ThreadId
  std::uint32_t point = 0;
  bool operator==(const PointOfThread&) const = default;
};

// The operations of one execution, in order, each with thread, scheduling point and object.
//
// All answers are guesses. Accesses are compared by the word where they begin; of a long execution only the last
// operations are known. A wrong guess costs one run, since the criterion decides about every candidate.
class Communication {
 public:
  // The threads related to `from`, the closest first: threads whose data these used last, then threads whose data those
  // used, then threads that synchronised with any of them. Without main, which always runs.
  std::vector<std::uint32_t> related_threads(const std::vector<std::uint32_t>& from) const;

  // The points at which the data was written that these threads read last.
  std::vector<PointOfThread> last_writers(const std::vector<std::uint32_t>& readers) const;

  // Interferences, the most likely causes first. First those after which the preempted thread wrote data that `failed`
  // read last; then those between two accesses of the preempted thread to one object, at its last preemption before
  // earlier ones; then the latest. Of several with the same sites only the last is returned.
  std::vector<Interference> interferences(const std::vector<std::uint32_t>& failed) const;

 private:
  friend class CommunicationObserver;
  struct Operation {
    std::uint64_t object = 0;
    std::uint64_t value = 0;
    std::uint32_t thread = 0;
    std::uint32_t point = 0;
    std::uint32_t site = 0;
    format::EventKind kind{};
    bool access = false;
    bool write = false;  // also true for synchronisation
    PointPlace place() const { return {access ? site : 0, kind}; }
  };

  static constexpr std::uint32_t kNoThread = ~std::uint32_t{0};
  struct ThreadPosition {
    std::uint32_t thread;
    std::size_t end;
  };
  std::vector<ThreadPosition> sources_of(const ThreadPosition& place) const;
  // The indices of the writes of data that these threads read last.
  std::vector<std::size_t> origin_writes(const std::vector<std::uint32_t>& readers) const;

  std::vector<Operation> operations_;
};

// Collects the operations of a run. Of a long run it keeps the last ones, since causes are near the failure, and the
// last few of each thread before these, since a failing thread may have been preempted long before.
class CommunicationObserver {
 public:
  void add(const trace::Event& record);
  Communication take();

 private:
  struct Part {
    std::vector<Communication::Operation> operations;
    std::vector<std::size_t> turns;  // index of each turn's first operation
  };
  void keep_last_of_threads();

  Part last_of_threads_, older_, newer_;  // in the order of execution
  ByNumber<std::uint32_t> points_;        // by thread
};

}  // namespace heddle::shrink
