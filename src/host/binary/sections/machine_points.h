#pragma once
// From addresses of a production binary to points of its functions: the late pseudo-probes say where each point begins,
// the block address map where machine blocks end.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "binary/sections/block_rows.h"
#include "support/result.h"

namespace heddle::binary {

struct MachinePoint {
  std::vector<std::uint32_t> points;  // at this place, as emitted; more than one where the compiler merged blocks
  bool sure = false;                  // a probe of the same machine block says so
};

class MachinePoints {
 public:
  // Fails when the file has no probes, with how to build it so that it has.
  static Result<MachinePoints> read(const std::string& path);

  // Empty points: nothing is known. `address` is of the file.
  MachinePoint at(std::uint64_t address) const;
  std::size_t probe_count() const { return probes_.size(); }

 private:
  struct Probe {
    std::uint64_t address;
    std::uint32_t number;  // in the order of emission
    std::uint32_t point;
  };
  std::vector<Probe> probes_;                         // by address, in the order of emission
  std::map<std::uint64_t, std::uint64_t> block_end_;  // by begin
};

// The point of a frame, of those that the compiler left at its address; none: nothing is known there. `is_call`: the
// frame has called somebody.
std::optional<std::uint32_t> choose_point(const FunctionRow& function, const MachinePoint& found, bool is_call);

}  // namespace heddle::binary
