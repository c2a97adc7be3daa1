#pragma once
// The amount of data that another process has sent by the time a thread reads depends on real time, not on the
// schedule. The clip therefore records the result of each such read, and an exact replay waits for the same amount and
// reads no more.
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include <cstdint>
#include <optional>

#include "runtime/os/raw_syscall.h"
#include "runtime/schedule/limits.h"

namespace heddle::runtime {

// Records in the clip the result of an operation that depends on another process.
void note_arrival(std::int64_t value);

// A replay waits, in real time, until other processes have reached the recorded state (`holds`). After the limit the
// replay continues with the present state, and diverges.
template <typename Holds>
void await_outside(Holds holds) {
  constexpr timespec kInterval{0, limits::kReplayLookNs};
  for (int polls = 0; polls < limits::kReplayLooks && !holds(); ++polls)
    raw_syscall(SYS_ppoll, nullptr, 0, &kInterval, nullptr, 0);
}

// One read of a stream that another process or the kernel's network may fill at any time. The constructor runs just
// before the read: in a replay it waits, in real time, for the amount of data of the recorded read.
class Arrival {
 public:
  explicit Arrival(int descriptor);

  // -EAGAIN if the recorded read found no data: an exact replay must skip the read. Notes the result.
  std::optional<long> recorded_failure() const;
  // `size`, limited to the result of the recorded read.
  std::uint64_t limit(std::uint64_t size) const;
  bool is_limited() const { return recorded_.has_value() && *recorded_ > 0; }
  // REQUIRES: `result` is the final result of the read.
  void note(long result) const;

 private:
  void wait() const;

  int descriptor_;
  bool uncertain_;
  std::optional<long> recorded_;
};

}  // namespace heddle::runtime
