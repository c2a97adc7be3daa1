#include "runtime/record/session.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "runtime/control/environment.h"
#include "runtime/control/failure.h"
#include "runtime/memory/arena.h"
#include "runtime/os/raw_syscall.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"

namespace heddle::runtime {
namespace {

format::Session private_session;
constexpr std::uint64_t kPrivateRingWords = 64;
std::uint64_t private_ring[kPrivateRingWords + 4];
format::Session* the_session = &private_session;
const format::Session* the_inputs = &private_session;

// A ring that wraps over itself and is never read, so that writes have no effect.
void use_private_ring() {
  ring.positions = &private_session.ring;
  ring.words = private_ring;
  ring.mask = kPrivateRingWords - 1;
  ring.limit = ~std::uint64_t{0};
}

void use_private_session() {
  the_session = &private_session;
  hot.progress = &private_session.progress;
  use_private_ring();
}

}  // namespace

format::Session* session() { return the_session; }

const char* session_inputs() { return reinterpret_cast<const char*>(the_inputs); }

bool attach_session() {
  use_private_session();
  const char* text = take_variable(format::kSessionVariable);
  if (text == nullptr) return false;
  long descriptor = 0;
  for (const char* digit = text; *digit != 0; ++digit) {
    if (*digit < '0' || *digit > '9')
      refuse("HEDDLE_SESSION is not a file descriptor; start the program with `heddle run`");
    descriptor = descriptor * 10 + (*digit - '0');
  }
  struct stat status;
  if (raw_syscall(SYS_fstat, descriptor, &status) != 0)
    refuse("the session that HEDDLE_SESSION names is not open; start the program with `heddle run`");
  const long mapped = raw_syscall(SYS_mmap, 0, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (mapped < 0 && mapped > -4096) refuse("the session cannot be mapped");
  raw_syscall(SYS_close, descriptor);
  auto* shared = reinterpret_cast<format::Session*>(mapped);
  if (static_cast<std::uint64_t>(status.st_size) < sizeof(format::Session) || shared->magic != format::kSessionMagic ||
      shared->version != format::kSessionVersion)
    refuse("the session is of another version of Heddle; use the heddle and the libheddle_rt.so of one build");
  the_session = shared;
  the_inputs = shared;
  hot.progress = &shared->progress;
  hot.progress->event_hash = EventHash().value();
  hot.record = (shared->config.flags & format::kRecordEvents) != 0;
  hot.blocks = (shared->config.flags & format::kRecordBlocks) != 0 || shared->config.freeze_at != 0;
  // A slice, which also records blocks, follows each value from its write to its reads and does not need the values.
  hot.record_values = hot.record && (shared->config.flags & format::kRecordValues) != 0 && !hot.blocks;
  ring.positions = &shared->ring;
  ring.words = session_output<std::uint64_t>(shared->config.ring_offset);
  ring.mask = shared->config.ring_words - 1;
  ring.limit = 0;
  if ((shared->config.flags & format::kDiscardRing) != 0) use_private_ring();
  shared->attached = 1;
  return true;
}

void detach_session() {
  const format::SessionConfig config = the_session->config;
  private_session.config = config;
  private_session.progress.steps = the_session->progress.steps;
  private_session.progress.event_hash = the_session->progress.event_hash;
  use_private_session();
  hot.watch = false;
  hot.record = false;
  hot.record_values = false;
  close_compact();
  hot.blocks = false;
  hot.observe = false;
  hot.graph = GraphWork::None;
  hot.native_graph = GraphWork::None;
}

pid_t process_id() {
  pid_t& known = rt.processes.kernel_number;
  if (known == 0) known = static_cast<pid_t>(raw_syscall(SYS_getpid));
  return known;
}

}  // namespace heddle::runtime
