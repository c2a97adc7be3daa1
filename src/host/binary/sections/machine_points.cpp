#include "binary/sections/machine_points.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "binary/elf_file.h"

namespace heddle::binary {
namespace {

// Little-endian numbers of a section; beyond its end everything is 0 and done() is true.
class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool done() const { return at_ >= bytes_.size(); }
  std::uint8_t byte() { return done() ? 0 : bytes_[at_++]; }
  std::uint64_t word() {
    std::uint64_t value = 0;
    if (bytes_.size() - std::min(at_, bytes_.size()) < 8) {
      at_ = bytes_.size();
      return 0;
    }
    std::memcpy(&value, bytes_.data() + at_, 8);
    at_ += 8;
    return value;
  }
  std::uint64_t unsigned_leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !done(); shift += 7) {
      const std::uint8_t next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7fu} << shift;
      if ((next & 0x80) == 0) break;
    }
    return value;
  }
  std::int64_t signed_leb() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t next = 0;
    do {
      next = byte();
      if (shift < 64) value |= std::uint64_t{next & 0x7fu} << shift;
      shift += 7;
    } while ((next & 0x80) != 0 && !done());
    if ((next & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }
  std::string text(std::uint64_t size) {
    size = std::min<std::uint64_t>(size, bytes_.size() - std::min(at_, bytes_.size()));
    std::string result(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
    at_ += size;
    return result;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

// Attributes of a probe (llvm/IR/PseudoProbe.h).
constexpr unsigned kSentinel = 2;
constexpr unsigned kHasDiscriminator = 4;

std::map<std::uint64_t, std::string> read_names(std::span<const std::uint8_t> section) {
  std::map<std::uint64_t, std::string> names;
  for (Bytes bytes(section); !bytes.done();) {
    const std::uint64_t guid = bytes.word();
    bytes.word();
    names[guid] = bytes.text(bytes.unsigned_leb());
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
  for (Bytes bytes(probes); !bytes.done();) {
    const std::uint64_t guid = bytes.word();
    const std::uint64_t count = bytes.unsigned_leb();
    const std::uint64_t inlined = bytes.unsigned_leb();
    if (inlined != 0)
      return Error{path + " has pseudo-probes of another tool; build it without -fpseudo-probe-for-profiling"};
    std::optional<std::uint64_t> address = begin_of(guid);
    for (std::uint64_t i = 0; i < count && !bytes.done(); ++i) {
      const std::uint64_t index = bytes.unsigned_leb();
      const std::uint8_t packed = bytes.byte();
      const unsigned attributes = packed >> 4 & 7u;
      const bool is_delta = (packed & 0x80) != 0;
      const std::uint64_t place = is_delta ? static_cast<std::uint64_t>(bytes.signed_leb()) : bytes.word();
      if ((attributes & kHasDiscriminator) != 0) bytes.unsigned_leb();
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

  for (Bytes bytes(file->section(".llvm_bb_addr_map").bytes); !bytes.done();) {
    const std::uint8_t version = bytes.byte();
    const std::uint8_t features = bytes.byte();
    constexpr std::uint8_t kVersion = 2;
    if (version != kVersion || features != 0) break;
    std::uint64_t at = bytes.word();
    const std::uint64_t blocks = bytes.unsigned_leb();
    for (std::uint64_t i = 0; i < blocks && !bytes.done(); ++i) {
      bytes.unsigned_leb();  // number of the machine block
      at += bytes.unsigned_leb();
      const std::uint64_t size = bytes.unsigned_leb();
      bytes.unsigned_leb();  // flags
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
