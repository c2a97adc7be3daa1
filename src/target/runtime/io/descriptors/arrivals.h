#pragma once
// How much of what somebody outside sends is there when a thread reads is a matter of real time, not of the schedule.
// So each such read leaves in the clip what it gave, and an exact replay waits for as much and takes no more.
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

#include <cstdint>
#include <optional>

#include "runtime/os/raw_syscall.h"
#include "runtime/schedule/limits.h"

namespace heddle::runtime {

// Something that depends on the outside had this result: for the clip of this run.
void note_arrival(std::int64_t value);

// A replay waits, in real time, until the outside has done what it had done in the recorded run. When it does not for
// long, the replay goes on with what there is, and diverges.
template <typename Holds>
void await_outside(Holds holds) {
  constexpr timespec kInterval{0, limits::kReplayLookNs};
  for (int looks = 0; looks < limits::kReplayLooks && !holds(); ++looks)
    raw_syscall(SYS_ppoll, nullptr, 0, &kInterval, nullptr, 0);
}

// One read of a stream that others than this process's threads, or the kernel's network, may fill at any time. It is
// made when the read is about to happen: a replay then waits, in real time, until as much is there as the recorded read
// gave.
class Arrival {
 public:
  explicit Arrival(int descriptor);

  // What an exact replay must not even try, because there was nothing yet in the recorded run: -EAGAIN, noted.
  std::optional<long> recorded_failure() const;
  // At most what the recorded read gave.
  std::uint64_t limit(std::uint64_t size) const;
  bool is_limited() const { return recorded_.has_value() && *recorded_ > 0; }
  // To be called with what the read gave in the end.
  void note(long result) const;

 private:
  void wait() const;

  int descriptor_;
  bool uncertain_;
  std::optional<long> recorded_;
};

}  // namespace heddle::runtime
