#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "binary/image/core_image.h"
#include "run/process/ring_sink.h"

namespace heddle::run {

// The image of a process that stands still, with the registers that it has left at `threads` (format/frozen.h).
Result<binary::CoreImage> read_process_snapshot(std::int32_t process, std::uint64_t threads);

// Reads the copy that a run leaves where its session asks for one (format::SessionConfig::freeze_at), and ends the
// copy.
class SnapshotSink final : public EventObserver {
 public:
  std::optional<Result<binary::CoreImage>> image;  // none: the run did not come there

 private:
  void observe(std::span<const trace::Event> events) override;
};

}  // namespace heddle::run
