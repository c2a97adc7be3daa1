#pragma once
// The session: the memory that one controlled run shares with the process that started it. The host fills the
// configuration and the inputs, starts the program with HEDDLE_SESSION=<file descriptor>, and drains the ring while the
// program runs. The runtime writes the ring and the result. The memory is shared, so a program that is killed at any
// moment loses none of its records.
//
//   [Session][inputs: arrays at the offsets in SessionConfig][ring: ring_words * 8 bytes]
//
// It is never stored on disk. Both sides are of one build, which `version` checks.
#include <atomic>
#include <cstdint>

#include "format/decision_log.h"
#include "format/graph.h"
#include "format/ring.h"
#include "format/run_config.h"
#include "format/run_inputs.h"
#include "format/run_result.h"
#include "format/server_protocol.h"

namespace heddle::format {

inline constexpr std::uint64_t kSessionMagic = 0x4e4f'4953'5345'5348u;  // "HSESSION"
inline constexpr std::uint32_t kSessionVersion = 2;
inline constexpr const char* kSessionVariable = "HEDDLE_SESSION";

struct Session {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t attached;  // the runtime sets it to 1 when it has mapped the session; 0: the program has no runtime
  SessionConfig config;
  SessionProgress progress;
  Ring ring;
  DecisionLog log;
  std::uint64_t repeat_iteration;        // index of the current repetition
  std::atomic<std::uint32_t> listening;  // 1: the program accepts connections from outside ...
  std::uint32_t listening_port;          // ... on this port; 0: not on a port
  PairTable pairs;
  GraphTable graph;
  ServerControl server;
  SessionResult result;
};

}  // namespace heddle::format
