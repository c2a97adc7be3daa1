#pragma once
// The state of the recorder: known frames and call sites, the compact dictionary, and observations.
#include <cstdint>

#include "abi/hooks.h"
#include "format/compact_access.h"
#include "runtime/memory/pointer_map.h"
#include "runtime/record/call_chain.h"

namespace heddle::runtime {

// The unwinder's findings about a return address.
struct ReturnAddress {
  std::uint32_t frame_size;  // of its function during the call; 0: the outermost frame of its stack
  Owner owner;
  bool known;      // frame_size is known
  bool irregular;  // frame_size is not constant
};

struct RecordingState {
  PointerMap<ReturnAddress> return_addresses;
  PointerMap<std::uint32_t> call_sites;  // by Chain::key
  std::uint32_t call_site_count;
  // Pairs of consecutive return addresses. If the size of a frame turns out not to be constant, a walk reaches a word
  // that is not a return address, or not that of a known caller; then the unwinder decides.
  PointerMap<bool> links;
  RememberedWalks<64, 4> remembered_walks;

  HeddleSite* compact_sites[format::kCompactSlots];  // the dictionary, by format::compact_slot()
};

// The last accesses to a location. An operation is identified by a hash of its thread's descent and its ordinal there.
struct ObservedLocation {
  std::uint64_t write;  // 0: none yet
  std::uint64_t reads;  // sum of the reads since the last write
  std::uint32_t write_site;
  std::uint32_t write_thread;
  std::uint32_t read_site;
  std::uint32_t read_thread;
};

struct ObservationState {
  PointerMap<ObservedLocation> locations;
  std::uint64_t* pair_slots;  // in the session, kept from run to run; nullptr: pairs are not observed
  std::uint64_t pair_mask;

  // Starts a run without observed operations. REQUIRES: one thread exists.
  void reset();
};

}  // namespace heddle::runtime
