#pragma once
// Maps addresses of a production binary to points of its functions. The late pseudo-probes give the beginning of each
// point, the block address map gives the end of each machine block.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "binary/sections/block_rows.h"
#include "support/result.h"

namespace heddle::binary {

struct MachinePoint {
  std::vector<std::uint32_t> points;  // in the order of emission; several where the compiler merged blocks
  bool sure = false;                  // the probe lies in the same machine block
};

class MachinePoints {
 public:
  // If the file has no probes, the error says how to build it.
  static Result<MachinePoints> read(const std::string& path);

  // Finds the points at an address of the file; none: unknown.
  MachinePoint at(std::uint64_t address) const;

 private:
  struct Probe {
    std::uint64_t address;
    std::uint32_t number;  // in the order of emission
    std::uint32_t point;
  };
  std::vector<Probe> probes_;                         // by address, then by number
  std::map<std::uint64_t, std::uint64_t> block_end_;  // begin -> end
};

// Chooses the point of a frame among those at its address; nullopt: unknown. `is_call`: the frame is in a call.
std::optional<std::uint32_t> choose_point(const FunctionRow& function, const MachinePoint& found, bool is_call);

}  // namespace heddle::binary
