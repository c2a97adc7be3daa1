// A program with its own implementation of the runtime's side of a session, for tests of the host side alone. It
// attaches, writes the records of a small run of three threads, and ends as its first argument specifies. In a replay
// it takes the lengths of the runs from the inputs and diverges if there are not five.
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "format/session.h"

namespace {

using namespace heddle;
using format::EventKind;
using format::OutcomeKind;

format::Session* session = nullptr;
std::uint64_t* ring = nullptr;
EventHash hash;

void attach() {
  const char* variable = std::getenv(format::kSessionVariable);
  if (variable == nullptr) std::exit(77);
  const int fd = std::atoi(variable);
  struct stat status;
  if (::fstat(fd, &status) != 0) std::exit(78);
  void* base = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (base == MAP_FAILED) std::exit(79);
  session = static_cast<format::Session*>(base);
  ring = reinterpret_cast<std::uint64_t*>(static_cast<char*>(base) + session->config.ring_offset);
  session->attached = 1;
  session->progress.threads = 1;
}

void put(std::initializer_list<std::uint64_t> record) {
  const std::uint64_t capacity = session->config.ring_words;
  std::uint64_t at = session->ring.written.load();
  while (at + record.size() + 3 > session->ring.read.load() + capacity) ::usleep(100);
  if (at % capacity + record.size() > capacity) {
    while (at % capacity != 0) ring[at++ % capacity] = format::kPadWord;
  }
  for (const std::uint64_t word : record) ring[at++ % capacity] = word;
  session->ring.written.store(at, std::memory_order_release);
  session->ring.published.store(at, std::memory_order_release);
}

void step(std::uint64_t what) {
  ++session->progress.steps;
  hash.add(what);
  session->progress.event_hash = hash.value();
}

void fork_thread(std::uint32_t child) {
  put({format::ring_head(EventKind::Fork, 0, 0, 0), child});
  ++session->progress.threads;
}

void switch_to(std::uint32_t thread, std::uint32_t points, bool preemption, EventKind kind) {
  const std::uint64_t check = hash.value() & 0xffffffffu;
  const auto flags = static_cast<std::uint8_t>(format::kHasValue | (preemption ? format::kPreemption : 0));
  put({format::ring_head(EventKind::Switch, flags, 0, points), thread | check << 32,
       static_cast<std::uint64_t>(kind) << 32});
  if ((session->config.flags & format::kAnnotate) != 0) {
    put({format::ring_head(format::kOccurrence, 0, 0, 0), 1});
    put({format::ring_head(format::kFrame, 0, 0, 0), reinterpret_cast<std::uint64_t>(__builtin_return_address(0))});
  }
  ++session->progress.switches;
  if (preemption) ++session->progress.preemptions;
}

int report_module(dl_phdr_info* info, std::size_t, void*) {
  if (info->dlpi_name[0] != 0) return 0;
  format::ModuleReport& module = session->result.modules[session->result.module_count];
  module.bias = info->dlpi_addr;
  module.begin = ~std::uint64_t{0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    module.begin = std::min<std::uint64_t>(module.begin, info->dlpi_addr + header.p_vaddr);
    module.end = std::max<std::uint64_t>(module.end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
  }
  [[maybe_unused]] const ssize_t size = ::readlink("/proc/self/exe", module.path, sizeof module.path - 1);
  put({format::ring_head(format::kModule, 0, 0, 0), session->result.module_count});
  ++session->result.module_count;
  return 1;
}

[[gnu::noinline]] void note_stack(format::StackFrames& frames) {
  frames.count = 2;
  frames.pc[0] = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  frames.pc[1] = reinterpret_cast<std::uint64_t>(&note_stack);
}

// Main starts two threads that take turns; the lengths of the turns depend on the seed.
void make_run() {
  std::vector<std::uint32_t> lengths;
  Random random(session->config.seed);
  for (int i = 0; i < 4; ++i) lengths.push_back(static_cast<std::uint32_t>(2 + random.below(50)));
  const format::SessionConfig& config = session->config;
  if (config.strategy == format::StrategyKind::Replay) {
    const auto* runs =
        reinterpret_cast<const format::ReplayRun*>(reinterpret_cast<char*>(session) + config.runs_offset);
    for (std::size_t i = 0; i < lengths.size() && i < config.runs_count; ++i) lengths[i] = runs[i].points;
    if (config.runs_count != 5) {
      session->result.divergence.happened = 1;
      session->result.divergence.step = 3;
      std::strcpy(session->result.divergence.what, "other runs than expected");
      session->result.outcome = OutcomeKind::Diverged;
      std::_Exit(99);
    }
  }
  for (std::uint32_t i = 0; i < lengths[0]; ++i) step(1);
  fork_thread(1);
  fork_thread(2);
  switch_to(1, lengths[0], true, EventKind::Fork);
  for (std::uint32_t i = 0; i < lengths[1]; ++i) step(2);
  switch_to(2, lengths[1], true, EventKind::Lock);
  for (std::uint32_t i = 0; i < lengths[2]; ++i) step(3);
  fork_thread(3);  // a child of the second thread
  put({format::ring_head(EventKind::Choice, 0, 0, 0), 1});
  switch_to(3, lengths[2], false, EventKind::Join);
  for (std::uint32_t i = 0; i < lengths[3]; ++i) step(4);
  switch_to(0, lengths[3], false, EventKind::Exit);
  for (std::uint32_t i = 0; i < 5; ++i) step(5);
}

[[noreturn]] void fail(OutcomeKind kind, const char* message) {
  session->result.outcome = kind;
  session->result.thread = 2;
  std::strcpy(session->result.message, message);
  note_stack(session->result.stack);
  session->result.finished = 1;
  if (kind == OutcomeKind::Assert) std::abort();
  std::_Exit(99);
}

[[noreturn]] void deadlock() {
  session->result.report_count = 3;
  for (std::uint32_t i = 0; i < 3; ++i) {
    format::ThreadReport& report = session->result.reports[i];
    report.thread = i;
    report.waits_for = i == 0 ? EventKind::Join : EventKind::Lock;
    report.object_number = 10 + i;
    report.holder = i == 0 ? 1 : 3 - i;
    note_stack(report.stack);
  }
  fail(OutcomeKind::Deadlock, "threads wait for each other");
}

}  // namespace

int main(int argument_count, char** arguments) {
  const std::string what = argument_count > 1 ? arguments[1] : "ok";
  if (what == "never-attach") return 0;
  attach();
  ::dl_iterate_phdr(report_module, nullptr);
  make_run();
  if (what == "assert") fail(OutcomeKind::Assert, "balance == 300");
  if (what == "deadlock") deadlock();
  if (what == "segv") std::raise(SIGSEGV);
  if (what == "exit") return std::atoi(arguments[2]);
  if (what == "sleep") ::pause();
  if (what == "spin")
    for (volatile bool on = true; on;) {
    }
  if (what == "events") {
    for (int i = 0; i < std::atoi(arguments[2]); ++i) {
      put({format::ring_head(EventKind::Write, format::kHasValue, 8, 0), 0x1000u + 8 * (i % 100),
           static_cast<std::uint64_t>(i)});
    }
  }
  if (what == "print") {
    std::printf("%s\n", arguments[2]);
    std::fflush(stdout);
  }
  if (what == "cat") {
    char line[100];
    while (std::fgets(line, sizeof line, stdin) != nullptr) std::fputs(line, stdout);
    std::fflush(stdout);
  }
  if (what == "random-event") {
    put({format::ring_head(EventKind::Write, format::kHasValue, 8, 0), 0x1000, static_cast<std::uint64_t>(::getpid())});
  }
  if (what == "random-hash") step(static_cast<std::uint64_t>(::getpid()));
  session->result.outcome = OutcomeKind::Ok;
  session->result.finished = 1;
  return 0;
}
