#pragma once
// Loads as the processor samples them: with their address, and where their data came from (perf_event_open(2)).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "support/result.h"

namespace heddle::graph {

// What to ask the kernel for, read from /sys/bus/event_source/devices.
struct LoadEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint32_t precise = 0;
  std::uint64_t period = 0;
  std::optional<std::uint64_t> leader_config;  // newer processors of Intel sample loads only behind this event
  bool operator==(const LoadEvent&) const = default;
};

inline constexpr const char* kEventDevices = "/sys/bus/event_source/devices";
// An error that says what to type instead, where the machine has no such event.
Result<LoadEvent> find_load_event(const std::string& devices = kEventDevices);

struct LoadSample {
  std::uint64_t ip = 0;
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::uint64_t time = 0;
  std::uint64_t address = 0;
  std::uint64_t source = 0;  // perf_mem_data_src
  bool operator==(const LoadSample&) const = default;
};

// PERF_SAMPLE_* of the fields above: they come in this order.
extern const std::uint64_t kLoadSampleType;

// From another core's cache, where the line was modified: a HITM of perf c2c.
bool is_transfer(const LoadSample& sample);

// The records of a ring, whole ones. Returns how many samples the kernel says were lost.
std::uint64_t decode_samples(std::span<const std::byte> records, const std::function<void(const LoadSample&)>& visit);

}  // namespace heddle::graph
