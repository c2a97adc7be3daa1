#pragma once
// A clip: a run small enough to share that reproduces its outcome. The grammar is in docs/clip_format.md; the reader
// and the writer stand beside this file.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clip/skipped.h"
#include "format/event.h"
#include "format/run_config.h"

namespace heddle::clip {

inline constexpr int kClipVersion = 1;

struct ModuleIdentity {
  std::string path;
  std::string build_id;  // hex
  bool instrumented = false;
  bool operator==(const ModuleIdentity&) const = default;
};

struct ClipHead {
  int version = kClipVersion;
  std::string program;
  std::vector<std::string> arguments;              // without the program
  std::map<std::string, std::string> environment;  // differences: --env
  std::vector<std::string> unset_environment;
  std::string driver;                   // shell command that is the client of this server; empty: none
  std::string stdin_file;               // empty: none (/dev/null)
  std::string working_directory;        // empty: wherever it is replayed
  std::string build_id;                 // of the program, hex
  std::vector<ModuleIdentity> modules;  // all that were loaded, for "a differing libc is named first"
  std::string processor;                // model name, likewise
  format::EngineKind engine = format::EngineKind::Fiber;
  std::string strategy;  // as typed: "random", "sequential" ...
  std::uint64_t seed = 0;
  std::uint64_t quantum = 0;
  std::uint32_t processors = 0;
  bool spurious_wakeups = false;
  format::TimeModel time_model = format::TimeModel::Steps;  // that of clips that do not name one
  std::uint64_t steps_max = 0;  // where a livelock ended; 0: not recorded
  format::ArmMode arm_mode = format::ArmMode::All;
  std::vector<std::string> armed;  // site names for Only and AllBut
  bool operator==(const ClipHead&) const = default;
};

// One thread keeps the turn for `points` scheduling points. `check` is the low half of the event hash when it ends.
struct ClipRun {
  std::string thread;  // descent name
  std::uint32_t points = 0;
  std::uint32_t check = 0;
  bool forced = false;  // the thread blocked or ended here, rather than being stopped at its last point
  bool operator==(const ClipRun&) const = default;
};

// A switch as a person reads it, and enough to find it again after a rebuild.
struct ClipSwitch {
  bool preemption = true;  // false: the thread had to stop here
  std::string thread;      // descent names
  std::string to;
  std::string kind;  // event word of what `thread` was about to do
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;  // linkage name
  std::uint32_t function_line = 0;
  std::string site;              // whole site name (abi/site_name.h); empty for synchronisation
  std::uint32_t occurrence = 0;  // of the site, or of the kind where there is no site, in that thread; from 1
  std::string after_site{};      // the last access of that thread before it; empty: not known
  std::uint32_t after_function_line = 0;
  std::uint32_t after_occurrence = 0;
  std::uint32_t after_same = 0;  // which operation of its kind it is since that access, from 1; 0 for an access
  bool operator==(const ClipSwitch&) const = default;
};

struct ClipEnd {
  std::string outcome;  // event kinds of the contract: ok assert abort signal exit deadlock ...
  std::string signature;
  std::string message;
  std::uint64_t events = 0;
  std::uint64_t event_hash = 0;
  std::uint32_t threads = 0;
  std::uint64_t switches = 0;
  std::uint64_t preemptions = 0;
  bool operator==(const ClipEnd&) const = default;
};

struct Clip {
  ClipHead head;
  std::vector<ClipRun> runs;
  std::vector<std::string> choices;    // descent names of threads chosen to be woken, in order
  std::vector<std::int64_t> arrivals;  // what each read from outside gave: bytes, or -errno
  Omitted omitted;
  std::vector<ClipSwitch> switches;  // all of them, in order; empty when the run was not annotated
  std::optional<ClipEnd> end;        // missing: the file was cut short
  bool operator==(const Clip&) const = default;
};

}  // namespace heddle::clip
