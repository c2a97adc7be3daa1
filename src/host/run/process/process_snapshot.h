#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "binary/image/core_image.h"
#include "run/process/ring_sink.h"

namespace heddle::run {

// The memory image of a stopped process, with the registers that it stored at address `threads` (format/frozen.h).
Result<binary::CoreImage> read_process_snapshot(std::int32_t process, std::uint64_t threads);

// Reads the copy that a run leaves at its freeze point (format::SessionConfig::freeze_at), and terminates the copy.
class SnapshotSink final : public EventObserver {
 public:
  std::optional<Result<binary::CoreImage>> image;  // nullopt: the run did not reach the point

 private:
  void observe(std::span<const trace::Event> events) override;
};

}  // namespace heddle::run
