#pragma once
// Loads as the processor samples them: their address, and the cache that supplied the data (perf_event_open(2)).
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "support/result.h"

namespace heddle::graph {

// Parameters of perf_event_open(2), read from /sys/bus/event_source/devices.
struct LoadEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  std::uint32_t precise = 0;
  std::uint64_t period = 0;
  std::optional<std::uint64_t> leader_config;  // newer Intel processors sample loads only in a group with this event
  bool operator==(const LoadEvent&) const = default;
};

inline constexpr const char* kEventDevices = "/sys/bus/event_source/devices";
// Fails on a machine without such an event, with an error that says what to type instead.
Result<LoadEvent> find_load_event(const std::string& devices = kEventDevices);

// Laid out as the kernel writes the body of a sample record.
struct LoadSample {
  std::uint64_t ip = 0;
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  std::uint64_t time = 0;
  std::uint64_t address = 0;
  std::uint64_t source = 0;  // perf_mem_data_src
  bool operator==(const LoadSample&) const = default;
};

static_assert(sizeof(LoadSample) == 40);

// PERF_SAMPLE_* of these fields.
extern const std::uint64_t kLoadSampleType;

// Whether the load got a line that another core had modified: a HITM of perf c2c.
bool is_transfer(const LoadSample& sample);

// Visits the samples of a ring up to the last whole record. Returns the number of samples that the kernel lost.
std::uint64_t decode_samples(std::span<const std::byte> records, const std::function<void(const LoadSample&)>& visit);

}  // namespace heddle::graph
