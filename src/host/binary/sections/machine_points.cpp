#include "binary/sections/machine_points.h"

#include <algorithm>
#include <span>

#include "binary/elf_file.h"
#include "support/bytes.h"

namespace heddle::binary {
namespace {

std::int64_t signed_varint(ByteReader& bytes) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  std::uint8_t next = 0;
  do {
    next = bytes.fixed<std::uint8_t>();
    if (shift < 64) value |= std::uint64_t{next & 0x7fu} << shift;
    shift += 7;
  } while ((next & 0x80) != 0 && bytes.ok());
  if ((next & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
  return static_cast<std::int64_t>(value);
}

// Attributes of a probe (llvm/IR/PseudoProbe.h).
constexpr unsigned kSentinel = 2;
constexpr unsigned kHasDiscriminator = 4;

std::map<std::uint64_t, std::string> read_names(std::span<const std::uint8_t> section) {
  std::map<std::uint64_t, std::string> names;
  for (ByteReader bytes(section); !bytes.at_end();) {
    const std::uint64_t guid = bytes.fixed<std::uint64_t>();
    bytes.fixed<std::uint64_t>();
    names[guid] = bytes.string();
  }
  return names;
}

}  // namespace

Result<MachinePoints> MachinePoints::read(const std::string& path) {
  Result<ElfFile> file = ElfFile::open(path);
  if (!file) return file.error();
  const auto probes = file->section(".pseudo_probe").bytes;
  if (probes.empty())
    return Error{path + " has no pseudo-probes; build it with HEDDLE_BUILD=production heddle-c++, and do not strip it"};
  const std::map<std::uint64_t, std::string> names = read_names(file->section(".pseudo_probe_desc").bytes);
  // Functions of one name that are local to several files appear in link order.
  std::map<std::string, std::vector<std::uint64_t>> addresses = file->function_addresses();
  std::map<std::string, std::size_t> used;
  const auto begin_of = [&](std::uint64_t guid) -> std::optional<std::uint64_t> {
    const auto name = names.find(guid);
    const auto symbol = name == names.end() ? addresses.end() : addresses.find(name->second);
    if (symbol == addresses.end() || used[name->second] >= symbol->second.size()) return std::nullopt;
    return symbol->second[used[name->second]++];
  };

  MachinePoints result;
  for (ByteReader bytes(probes); !bytes.at_end();) {
    const std::uint64_t guid = bytes.fixed<std::uint64_t>();
    const std::uint64_t count = bytes.varint();
    const std::uint64_t inlined = bytes.varint();
    if (inlined != 0)
      return Error{path + " has pseudo-probes of another tool; build it without -fpseudo-probe-for-profiling"};
    std::optional<std::uint64_t> address = begin_of(guid);
    for (std::uint64_t i = 0; i < count && !bytes.at_end(); ++i) {
      const std::uint64_t index = bytes.varint();
      const std::uint8_t packed = bytes.fixed<std::uint8_t>();
      const unsigned attributes = packed >> 4 & 7u;
      const bool is_delta = (packed & 0x80) != 0;
      const std::uint64_t place =
          is_delta ? static_cast<std::uint64_t>(signed_varint(bytes)) : bytes.fixed<std::uint64_t>();
      if ((attributes & kHasDiscriminator) != 0) bytes.varint();
      if ((attributes & kSentinel) != 0) {
        address = begin_of(place);  // a part of the function at another place
        continue;
      }
      if (!address) continue;
      address = is_delta ? *address + place : place;
      if (index != 0)
        result.probes_.push_back(
            {*address, static_cast<std::uint32_t>(result.probes_.size()), static_cast<std::uint32_t>(index - 1)});
    }
  }
  std::sort(result.probes_.begin(), result.probes_.end(), [](const Probe& a, const Probe& b) {
    return a.address != b.address ? a.address < b.address : a.number < b.number;
  });

  for (ByteReader bytes(file->section(".llvm_bb_addr_map").bytes); !bytes.at_end();) {
    const std::uint8_t version = bytes.fixed<std::uint8_t>();
    const std::uint8_t features = bytes.fixed<std::uint8_t>();
    constexpr std::uint8_t kVersion = 2;
    if (version != kVersion || features != 0) break;
    std::uint64_t at = bytes.fixed<std::uint64_t>();
    const std::uint64_t blocks = bytes.varint();
    for (std::uint64_t i = 0; i < blocks && !bytes.at_end(); ++i) {
      bytes.varint();  // number of the machine block
      at += bytes.varint();
      const std::uint64_t size = bytes.varint();
      bytes.varint();  // flags
      result.block_end_[at] = at + size;
      at += size;
    }
  }
  return result;
}

MachinePoint MachinePoints::at(std::uint64_t address) const {
  MachinePoint found;
  auto block = block_end_.upper_bound(address);
  if (block == block_end_.begin()) return found;
  --block;
  if (address >= block->second) return found;
  const auto after = std::upper_bound(probes_.begin(), probes_.end(), address,
                                      [](std::uint64_t value, const Probe& probe) { return value < probe.address; });
  if (after == probes_.begin()) return found;
  const std::uint64_t at_probe = std::prev(after)->address;
  auto first = after;
  while (first != probes_.begin() && std::prev(first)->address == at_probe) --first;
  for (auto probe = first; probe != after; ++probe) found.points.push_back(probe->point);
  found.sure = at_probe >= block->first;
  return found;
}

std::optional<std::uint32_t> choose_point(const FunctionRow& function, const MachinePoint& found, bool is_call) {
  std::optional<std::uint32_t> chosen;
  for (const std::uint32_t point : found.points) {
    if (point >= function.point_count()) continue;
    // An outer frame is in a call, so a call point is preferred over the beginning of a block.
    if (chosen && is_call && !function.is_block(*chosen) && function.is_block(point)) continue;
    chosen = point;
  }
  return chosen;
}

}  // namespace heddle::binary
