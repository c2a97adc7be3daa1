#include "runtime/debug/injection.h"

#include <fcntl.h>
#include <heddle/breakpoint.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include <optional>

#include "abi/hooks.h"
#include "runtime/control/environment.h"
#include "runtime/control/failure.h"
#include "runtime/control/modules.h"
#include "runtime/record/session.h"
#include "runtime/runtime.h"
#include "runtime/schedule/scheduler.h"
#include "runtime/signals/signals.h"

namespace heddle::runtime {

namespace {

constexpr std::uint32_t kEntriesMax = 64;
constexpr std::uint32_t kGuardsMax = 8;  // per thread
constexpr std::uint32_t kFramesMax = 24;
constexpr std::size_t kBuildIdMax = 40;  // hex digits

enum class Action : std::uint8_t { Reach, Begin, Section, Call, End };

struct Entry {
  Action action;
  heddle_breakpoint place;
  std::uint64_t site;    // name; 0: a call
  std::uint64_t offset;  // of the return address in its file
  char build_id[kBuildIdMax + 1];
  std::uint64_t address;  // 0: its module has not been loaded
};

// Written once, before the program has threads, and only read afterwards.
constinit struct {
  Entry entries[kEntriesMax];
  std::uint32_t entry_count;
  bool has_calls;
  const char* file_name;
  pthread_key_t guards_key;

  Entry* begin() { return entries; }
  Entry* end() { return entries + entry_count; }
} injected{};

struct OpenGuard {
  heddle_breakpoint place;
  bool open;
  Action action;  // Begin, Section or Call, which end differently
  int locks;      // locks taken since then, minus those released

  void end() {
    if (open) heddle_breakpoint_done(&place);
    open = false;
  }
};
__thread OpenGuard guards[kGuardsMax];
__thread bool inside = false;  // the library itself calls interposed functions

[[noreturn]] void refuse(const char* why) {
  runtime::refuse("HEDDLE_BREAKPOINTS=", injected.file_name, ": ", why,
                  "; make it with: heddle breakpoints CLIP --out FILE");
}

void end_all_guards(void*) {
  inside = true;
  for (OpenGuard& guard : guards) guard.end();
  inside = false;
}

// False on an alternate stack, from which no thread is switched to.
bool can_reach_places() { return !inside && !(controlled() && on_alternate_stack()); }

void begin_guard(const heddle_breakpoint& place, Action action) {
  for (OpenGuard& guard : guards) {
    if (guard.open) continue;
    guard.place = place;
    guard.action = action;
    guard.locks = 0;
    heddle_breakpoint_begin(&guard.place);
    guard.open = guard.place.meeting != nullptr;
    // A thread that exits inside its guard ends the guard. Under control run_thread_destructors() does this.
    if (guard.open && !controlled()) pthread_setspecific(injected.guards_key, guards);
    return;
  }
}

void end_guard(const char* name) {
  for (OpenGuard& guard : guards)
    if (guard.open && strcmp(guard.place.name, name) == 0) guard.end();
}

void reach(const Entry& entry) {
  heddle_breakpoint place = entry.place;
  if (entry.action == Action::Reach)
    heddle_breakpoint_reach(&place);
  else if (entry.action == Action::End)
    end_guard(place.name);
  else
    begin_guard(place, entry.action);
}

struct Frames {
  std::uint32_t count;
  std::uint64_t addresses[kFramesMax];
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* argument) {
  auto* frames = static_cast<Frames*>(argument);
  frames->addresses[frames->count++] = _Unwind_GetIP(context);
  return frames->count == kFramesMax ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void unwind(Frames& frames) {
  std::optional<Uncontrolled> libc;
  if (controlled()) libc.emplace();
  _Unwind_Backtrace(add_frame, &frames);
}

// Splits off the next word of a line; words are separated by tabs.
char* next_word(char*& line) {
  char* const word = line;
  line = strchrnul(line, '\t');
  if (*line != 0) *line++ = 0;
  return word;
}

bool read_where(char*& rest, Entry& entry) {
  const char* const kind = next_word(rest);
  if (strcmp(kind, "site") == 0) {
    entry.site = strtoull(next_word(rest), nullptr, 16);
    return entry.site != 0;
  }
  if (strcmp(kind, "call") != 0) return false;
  const char* const build_id = next_word(rest);
  if (strlen(build_id) > kBuildIdMax || *build_id == 0) return false;
  strcpy(entry.build_id, build_id);
  entry.offset = strtoull(next_word(rest), nullptr, 16);
  injected.has_calls = true;
  return entry.offset != 0;
}

bool read_action(const char* word, Action& action) {
  constexpr const char* kWords[] = {"reach", "begin", "section", "call", "end"};  // in the order of Action
  for (std::uint8_t i = 0; i < 5; ++i) {
    action = Action{i};
    if (strcmp(word, kWords[i]) == 0) return true;
  }
  return false;
}

// reach|begin|section|call <name> <place> <places> <role> <ignore_first> <tries> <timeout_ms> <file:line> <where>
// end <name> <where>
bool read_entry(char* line, Entry& entry) {
  const char* const action = next_word(line);
  if (!read_action(action, entry.action)) return false;
  const char* const name = next_word(line);
  entry.place = heddle_bp_make(name, 0, HEDDLE_KIND_PLAIN, nullptr, nullptr, "", 0);
  if (entry.action == Action::End) return read_where(line, entry);
  entry.place.place = static_cast<unsigned>(strtoul(next_word(line), nullptr, 10));
  entry.place.places = static_cast<unsigned>(strtoul(next_word(line), nullptr, 10));
  entry.place.role = static_cast<unsigned>(strtoul(next_word(line), nullptr, 10));
  entry.place.ignore_first = strtoull(next_word(line), nullptr, 10);
  const unsigned long long tries = strtoull(next_word(line), nullptr, 10);
  entry.place.bound = entry.place.tries = tries == 0 ? HEDDLE_BREAKPOINT_UNBOUNDED : tries;
  entry.place.timeout_ms = strtoll(next_word(line), nullptr, 10);
  char* const where = next_word(line);
  if (char* const colon = strrchr(where, ':'); colon != nullptr) {
    *colon = 0;
    entry.place.file = where;
    entry.place.line = atoi(colon + 1);
  }
  return entry.place.places >= 2 && read_where(line, entry);
}

// Never unmapped, because the entries point into it.
char* read_text() {
  const int file = open(injected.file_name, O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) refuse("cannot be read");
  const std::size_t size = static_cast<std::size_t>(status.st_size);
  void* const memory = mmap(nullptr, size + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse("cannot be read");
  char* const text = static_cast<char*>(memory);
  if (read(file, text, size) != status.st_size) refuse("cannot be read");
  close(file);
  return text;
}

void read_entries(char* text) {
  constexpr const char* kHead = "heddle-breakpoints 1";
  bool first = true;
  for (char *line = text, *next; *line != 0; line = next) {
    next = strchrnul(line, '\n');
    if (*next != 0) *next++ = 0;
    if (first && strcmp(line, kHead) != 0) refuse("is not a file of breakpoints of this version");
    const bool has_no_entry = first || *line == 0 || *line == '#';
    first = false;
    if (has_no_entry) continue;
    if (injected.entry_count == kEntriesMax) refuse("has more than 64 places");
    if (!read_entry(line, injected.entries[injected.entry_count++])) refuse("is damaged");
  }
  if (injected.entry_count == 0) refuse("has no breakpoints");
}

bool same_build_id(const format::ModuleReport& module, const char* text) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::uint32_t i = 0; i < module.build_id_size; ++i)
    if (text[2 * i] != kDigits[module.build_id[i] >> 4] || text[2 * i + 1] != kDigits[module.build_id[i] & 15])
      return false;
  return module.build_id_size != 0 && text[2 * module.build_id_size] == 0;
}

// Reaches all places at a site or a call, in the order of the file: first the ends, then the others.
template <typename IsHere>
void reach_all(IsHere is_here) {
  for (const bool ends : {true, false})
    for (const Entry& entry : injected)
      if ((entry.action == Action::End) == ends && is_here(entry)) reach(entry);
}

// Computes the addresses of calls, which are known once their modules are loaded.
void find_injected_calls() {
  const format::SessionResult& result = session()->result;
  for (Entry& entry : injected) {
    if (entry.site != 0) continue;
    for (std::uint32_t i = 0; i < result.module_count; ++i)
      if (same_build_id(result.modules[i], entry.build_id)) entry.address = result.modules[i].bias + entry.offset;
  }
}

}  // namespace

void begin_injection() {
  injected.file_name = find_variable("HEDDLE_BREAKPOINTS");
  const char* const name = injected.file_name;
  if (name == nullptr || *name == 0 || strcmp(name, "on") == 0 || strcmp(name, "0") == 0 || strcmp(name, "off") == 0)
    return;
  read_entries(read_text());
  if (pthread_key_create(&injected.guards_key, end_all_guards) != 0) refuse("needs a thread key, and none is left");
  note_loaded_modules();
  find_injected_calls();
  for (const Entry& entry : injected)
    if (entry.site == 0 && entry.address == 0) refuse("was made for another build of the program or of a library");
  __atomic_store_n(&heddle_bp_state_v1.on, HEDDLE_BP_ON, __ATOMIC_RELAXED);
  rt.debug.injecting = true;
}

bool injects_calls() { return rt.debug.injecting && injected.has_calls; }

bool is_injected(std::uint64_t site_name) {
  for (const Entry& entry : injected)
    if (entry.site == site_name) return true;
  return false;
}

void end_injected_guards() { end_all_guards(nullptr); }

void inject_before_access(const HeddleSite* site) {
  if (!can_reach_places()) return;
  inside = true;
  reach_all([&](const Entry& entry) { return entry.site == site->name; });
  inside = false;
}

void inject_before_call() {
  if (!injected.has_calls || !can_reach_places()) return;
  inside = true;
  Frames frames{0, {}};
  unwind(frames);
  reach_all([&](const Entry& entry) {
    if (entry.site != 0) return false;
    for (std::uint32_t i = 0; i < frames.count; ++i)
      if (frames.addresses[i] == entry.address) return true;
    return false;
  });
  inside = false;
}

void inject_after_call(int locks) {
  if (inside) return;
  inside = true;
  for (OpenGuard& guard : guards) {
    if (!guard.open) continue;
    guard.locks += locks;
    const bool released = guard.action == Action::Section && locks < 0 && guard.locks <= 0;
    if (guard.action == Action::Call || released) guard.end();
  }
  inside = false;
}

}  // namespace heddle::runtime
