// The hooks of builds with HEDDLE_HOOKS=branches, which report every block that a thread reaches. From these records
// the host finds the position of a crashed execution; it can request a copy of the process at a block
// (docs/design/017_core_dumps.md).
#include "abi/blocks.h"

#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "abi/flow.h"
#include "runtime/copies/freeze.h"
#include "runtime/record/session.h"
#include "runtime/schedule/scheduler.h"

using namespace heddle::runtime;
namespace format = heddle::format;

namespace {

// `frame`: the base of the caller's frame, which is the same in all blocks of one invocation.
__attribute__((preserve_most, noinline)) void reach_block(const std::uint32_t* row, std::uint32_t point,
                                                          std::uint64_t frame) {
  Thread* self = current();
  const std::uint64_t ordinal = ++self->blocks;
  const format::SessionConfig& config = session()->config;
  if ((config.flags & format::kRecordBlocks) != 0)
    ring_write(format::ring_head(EventKind::Branch, format::kHasValue, 0, point), reinterpret_cast<std::uint64_t>(row),
               frame);
  if (ordinal == config.freeze_at && self->descent == config.freeze_descent) freeze();
}

// Only if values are recorded too. A run that is aligned with a core needs the blocks only.
bool records_private_accesses() {
  constexpr std::uint32_t kEverything = format::kRecordBlocks | format::kRecordValues;
  return hot.blocks && controlled() && (session()->config.flags & kEverything) == kEverything;
}

void record_private_access(const void* address, std::uint64_t access, std::uint64_t size) {
  const auto number = static_cast<std::uint32_t>(access) >> HEDDLE_PRIVATE_NUMBER_SHIFT;
  const std::uint16_t kind =
      (access & HEDDLE_PRIVATE_WRITE) != 0 ? HEDDLE_PRIVATE_EVENT_WRITE : HEDDLE_PRIVATE_EVENT_READ;
  ring_write(format::ring_head(EventKind::Branch, format::kHasValue, kind, number),
             reinterpret_cast<std::uint64_t>(address), size);
}

}  // namespace

void __heddle_private_access(void* address, std::uint64_t access) {
  if (records_private_accesses()) record_private_access(address, access, access >> HEDDLE_PRIVATE_SIZE_SHIFT);
}

void __heddle_private_write(void* address, std::uint64_t access, std::uint64_t) {
  __heddle_private_access(address, access);
}

void __heddle_private_range(void* address, std::uint64_t access, std::uint64_t size) {
  if (records_private_accesses()) record_private_access(address, access, size);
}

void __heddle_private_string(void* address, std::uint64_t access, const char* string) {
  if (records_private_accesses()) record_private_access(address, access, ::strlen(string) + 1);
}

void __heddle_block(const std::uint32_t* row, std::uint32_t point) {
  if (!hot.blocks) [[likely]]
    return;
  if (!controlled()) return;
  reach_block(row, point, *static_cast<const std::uint64_t*>(__builtin_frame_address(0)));
}
