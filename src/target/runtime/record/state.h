#pragma once
// What the recorder remembers of the program's code and of the run, besides the ring.
#include <cstdint>

#include "abi/hooks.h"
#include "format/compact_access.h"
#include "runtime/memory/pointer_map.h"
#include "runtime/record/call_chain.h"

namespace heddle::runtime {

// What the unwinder said of a return address.
struct ReturnAddress {
  std::uint32_t frame_size;  // of the function that it lies in, while the call is made; 0: the last one on its stack
  Owner owner;
  bool known;      // the frame's size has been seen
  bool irregular;  // ... and was not always the same
};

struct RecordingState {
  PointerMap<ReturnAddress> return_addresses;
  PointerMap<std::uint32_t> call_sites;  // by Chain::key
  std::uint32_t call_site_count;
  // Pairs of return addresses that followed each other on a stack. A frame whose size is not constant after all leads
  // the walk to a word that is no return address, or not one that comes from there: then the unwinder has to say.
  PointerMap<bool> links;
  RememberedWalks<64, 4> remembered_walks;

  HeddleSite* compact_sites[format::kCompactSlots];  // the dictionary, by format::compact_slot()
};

// Who touched a location last. An operation is named by a hash of its thread's descent and its ordinal there.
struct ObservedLocation {
  std::uint64_t write;  // 0: none yet
  std::uint64_t reads;  // sum of those since the last write
  std::uint32_t write_site;
  std::uint32_t write_thread;
  std::uint32_t read_site;
  std::uint32_t read_thread;
};

struct ObservationState {
  PointerMap<ObservedLocation> locations;
  std::uint64_t* pair_slots;  // of the whole process; nullptr: nobody asks
  std::uint64_t pair_mask;

  // No operation was observed in this run. REQUIRES: there is one thread.
  void reset();
};

}  // namespace heddle::runtime
