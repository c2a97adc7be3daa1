#pragma once
// A clip: a run small enough to share, which reproduces its outcome. docs/clip_format.md has the grammar.
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
  std::string driver;                   // shell command of the client, if the program is a server; empty: none
  std::string stdin_file;               // empty: none (/dev/null)
  std::string working_directory;        // empty: that of the replay
  std::string build_id;                 // of the program, hex
  std::vector<ModuleIdentity> modules;  // all loaded modules; a replay that diverges names those that differ
  std::string processor;                // model name, for the same purpose
  format::EngineKind engine = format::EngineKind::Fiber;
  std::string strategy;  // word of --strategy
  std::uint64_t seed = 0;
  std::uint64_t quantum = 0;
  std::uint32_t processors = 0;
  bool spurious_wakeups = false;
  format::TimeModel time_model = format::TimeModel::Steps;  // that of clips that do not name one
  std::uint64_t steps_max = 0;                              // the bound at which a livelock ended; 0: not recorded
  format::ArmMode arm_mode = format::ArmMode::All;
  std::vector<std::string> armed;  // site names for Only and AllBut
  bool operator==(const ClipHead&) const = default;
};

// One thread runs for `points` scheduling points. `check` is the low half of the event hash at the end.
struct ClipRun {
  std::string thread;  // descent name
  std::uint32_t points = 0;
  std::uint32_t check = 0;
  bool forced = false;  // the thread blocked or ended; false: it was preempted at its last point
  bool operator==(const ClipRun&) const = default;
};

// A switch in readable form, with the data to find it again after a rebuild.
struct ClipSwitch {
  bool preemption = true;  // false: the thread blocked or ended
  std::string thread;      // descent names
  std::string to;
  std::string kind;  // event word of the next operation of `thread`
  std::string file;  // empty: unknown
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string function;  // linkage name
  std::uint32_t function_line = 0;
  std::string site;              // full site name (abi/site_name.h); empty for synchronisation
  std::uint32_t occurrence = 0;  // of the site in the thread, from 1; of the kind if there is no site
  std::string after_site{};      // of the thread's previous access; empty: unknown
  std::uint32_t after_function_line = 0;
  std::uint32_t after_occurrence = 0;
  std::uint32_t after_same = 0;  // number of operations of this kind since that access, from 1; 0 for an access
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
  std::vector<std::string> choices;    // descent names of the threads that were chosen to be woken, in order
  std::vector<std::int64_t> arrivals;  // results of reads from outside the program: bytes, or -errno
  Omitted omitted;
  std::vector<ClipSwitch> switches;  // all switches, in order; empty if the run was not annotated
  std::optional<ClipEnd> end;        // none: the file was cut short
  bool operator==(const Clip&) const = default;
};

}  // namespace heddle::clip
