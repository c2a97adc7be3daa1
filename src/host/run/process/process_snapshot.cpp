#include "run/process/process_snapshot.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>

#include "format/frozen.h"
#include "support/unique_fd.h"

namespace heddle::run {
namespace {

struct Mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  std::string permissions, path;
};

std::vector<Mapping> read_mappings(std::int32_t process) {
  std::vector<Mapping> mappings;
  std::ifstream file("/proc/" + std::to_string(process) + "/maps");
  for (std::string line; std::getline(file, line);) {
    Mapping mapping;
    char permissions[5] = {};
    int path_at = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %*s %n", &mapping.begin, &mapping.end, permissions,
                    &mapping.offset, &path_at) < 4)
      continue;
    mapping.permissions = permissions;
    if (path_at > 0 && static_cast<std::size_t>(path_at) < line.size())
      mapping.path = line.substr(static_cast<std::size_t>(path_at));
    mappings.push_back(std::move(mapping));
  }
  return mappings;
}

bool is_copied(const Mapping& mapping) {
  if (mapping.permissions[0] != 'r' || mapping.path == "[vvar]" || mapping.path == "[vsyscall]") return false;
  if (mapping.path.starts_with("/memfd:")) return false;  // the session
  const bool from_file = mapping.path.starts_with("/");
  constexpr std::uint64_t kSmall = 1u << 20;  // read-only data with relocations
  return !from_file || mapping.permissions[1] == 'w' ||
         (mapping.permissions[2] != 'x' && mapping.end - mapping.begin <= kSmall);
}

// Skips untouched pages of the reserved ranges of heap and stacks, which are zero and numerous.
constexpr std::uint64_t kPage = 4096;
std::vector<std::pair<std::uint64_t, std::uint64_t>> present_ranges(int pagemap, const Mapping& mapping) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  constexpr std::uint64_t kChunk = 65'536;
  std::vector<std::uint64_t> entries(kChunk);
  for (std::uint64_t at = mapping.begin; at < mapping.end;) {
    const std::uint64_t pages = std::min(kChunk, (mapping.end - at) / kPage);
    const ssize_t got = ::pread(pagemap, entries.data(), pages * 8, static_cast<off_t>(at / kPage * 8));
    if (got != static_cast<ssize_t>(pages * 8)) return {{mapping.begin, mapping.end}};
    for (std::uint64_t i = 0; i < pages; ++i) {
      if (entries[i] >> 62 == 0) continue;
      const std::uint64_t begin = at + i * kPage;
      if (!ranges.empty() && ranges.back().second == begin)
        ranges.back().second += kPage;
      else
        ranges.emplace_back(begin, begin + kPage);
    }
    at += pages * kPage;
  }
  return ranges;
}

bool copy_range(std::int32_t process, std::uint64_t begin, std::uint64_t end, binary::CoreImage& image,
                std::vector<binary::CoreImage::Segment>& segments) {
  const std::size_t size = end - begin;
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  const std::shared_ptr<const void> owner(memory, [size](const void* at) { ::munmap(const_cast<void*>(at), size); });
  const iovec local{memory, size}, remote{reinterpret_cast<void*>(begin), size};
  const ssize_t got = ::process_vm_readv(process, &local, 1, &remote, 1, 0);
  if (got <= 0) return false;
  image.keep(owner);
  image.size_bytes += static_cast<std::uint64_t>(got);
  segments.push_back({begin, begin + static_cast<std::uint64_t>(got), static_cast<const std::uint8_t*>(memory)});
  return true;
}

void read_auxiliary(std::int32_t process, binary::CoreImage& image) {
  std::ifstream file("/proc/" + std::to_string(process) + "/auxv", std::ios::binary);
  std::uint64_t entry[2];
  while (file.read(reinterpret_cast<char*>(entry), sizeof entry)) {
    if (entry[0] == AT_PHDR) image.program_headers = entry[1];
    if (entry[0] == AT_PHNUM) image.program_header_count = entry[1];
  }
}

Status read_threads(std::uint64_t address, binary::CoreImage& image) {
  std::uint64_t count = 0;
  if (!image.read(address, count) || count == 0 || count > format::kFrozenThreadsMax)
    return Error{"the snapshot of the program at the aligned point cannot be read", ExitCode::Uncontrolled};
  for (std::uint64_t i = 0; i < count; ++i) {
    format::FrozenThread from;
    if (!image.read(address + offsetof(format::FrozenThreads, threads) + i * sizeof from, from)) break;
    binary::ImageThread thread;
    thread.id = static_cast<std::int32_t>(i + 1);
    thread.thread_pointer = from.thread_pointer;
    thread.descent = from.descent;
    thread.registers[binary::kRip] = from.registers.rip;
    thread.registers[binary::kRsp] = from.registers.rsp;
    thread.registers[binary::kRbp] = from.registers.rbp;
    thread.registers[binary::kRbx] = from.registers.rbx;
    thread.registers[binary::kR12] = from.registers.r12;
    thread.registers[binary::kR12 + 1] = from.registers.r13;
    thread.registers[binary::kR12 + 2] = from.registers.r14;
    thread.registers[binary::kR12 + 3] = from.registers.r15;
    image.threads.push_back(thread);
  }
  return ok_status();
}

}  // namespace

Result<binary::CoreImage> read_process_snapshot(std::int32_t process, std::uint64_t threads) {
  binary::CoreImage image;
  const UniqueFd pagemap(::open(("/proc/" + std::to_string(process) + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<binary::CoreImage::Segment> segments;
  for (const Mapping& mapping : read_mappings(process)) {
    if (mapping.path.starts_with("/") && !mapping.path.starts_with("/memfd:"))
      image.files.push_back({mapping.begin, mapping.end, mapping.offset, mapping.path});
    if (!is_copied(mapping)) continue;
    const bool sparse = !mapping.path.starts_with("/");
    const auto ranges = sparse ? present_ranges(pagemap.get(), mapping)
                               : std::vector<std::pair<std::uint64_t, std::uint64_t>>{{mapping.begin, mapping.end}};
    for (const auto& [begin, end] : ranges) copy_range(process, begin, end, image, segments);
  }
  if (segments.empty())
    return Error{"the snapshot of the program at the aligned point cannot be read (process_vm_readv: " +
                     std::string(std::strerror(errno)) +
                     "); allow ptrace of children: sysctl kernel.yama.ptrace_scope=1",
                 ExitCode::Uncontrolled};
  image.set_segments(std::move(segments));
  read_auxiliary(process, image);
  if (Status read = read_threads(threads, image); !read) return read.error();
  return image;
}

void SnapshotSink::observe(std::span<const trace::Event> events) {
  for (const trace::Event& event : events) {
    if (event.kind != format::kFrozen) continue;
    const auto process = static_cast<std::int32_t>(event.object);
    image = read_process_snapshot(process, event.value);
    ::kill(process, SIGKILL);
  }
}

}  // namespace heddle::run
