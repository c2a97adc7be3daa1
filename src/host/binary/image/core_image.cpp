#include "binary/image/core_image.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>

#include "support/bytes.h"
#include "support/unique_fd.h"

namespace heddle::binary {

void CoreImage::set_segments(std::vector<Segment> segments) {
  std::sort(segments.begin(), segments.end(), [](const Segment& a, const Segment& b) { return a.begin < b.begin; });
  segments_.clear();
  for (const Segment& segment : segments) {
    if (!segments_.empty()) {
      Segment& last = segments_.back();
      if (segment.begin < last.end) continue;  // overlapping segments are damage: keep the first
      if (last.end == segment.begin && last.bytes + (last.end - last.begin) == segment.bytes) {
        last.end = segment.end;
        continue;
      }
    }
    segments_.push_back(segment);
  }
  last_ = 0;
}

void CoreImage::add_file_contents(const std::string& program) {
  const MappedFile* own = program_file();
  const std::string own_path = own == nullptr ? "" : own->path;
  std::map<std::string, FileBytes> contents;
  std::vector<Segment> all = segments_;
  for (const MappedFile& file : files) {
    auto found = contents.find(file.path);
    if (found == contents.end()) {
      Result<FileBytes> bytes = map_file(file.path == own_path ? program : file.path);
      found = contents.emplace(file.path, bytes ? *bytes : FileBytes{}).first;
      if (bytes) keep(bytes->owner);
    }
    const FileBytes& bytes = found->second;
    if (bytes.bytes == nullptr || file.offset >= bytes.size) continue;
    const std::uint64_t end = std::min(file.end, file.begin + (bytes.size - file.offset));
    std::uint64_t at = file.begin;
    while (at < end) {
      const auto next =
          std::upper_bound(segments_.begin(), segments_.end(), at,
                           [](std::uint64_t address, const Segment& segment) { return address < segment.end; });
      if (next != segments_.end() && next->begin <= at) {
        at = next->end;
        continue;
      }
      const std::uint64_t gap_end = next == segments_.end() ? end : std::min(end, next->begin);
      all.push_back({at, gap_end, bytes.bytes + file.offset + (at - file.begin)});
      at = gap_end;
    }
  }
  set_segments(std::move(all));
}

const std::uint8_t* CoreImage::at(std::uint64_t address, std::uint64_t size) const {
  const auto holds = [&](const Segment& segment) {
    return address >= segment.begin && address < segment.end && size <= segment.end - address;
  };
  if (last_ < segments_.size() && holds(segments_[last_]))
    return segments_[last_].bytes + (address - segments_[last_].begin);
  const auto found = std::upper_bound(segments_.begin(), segments_.end(), address,
                                      [](std::uint64_t value, const Segment& segment) { return value < segment.end; });
  if (found == segments_.end() || !holds(*found)) return nullptr;
  last_ = static_cast<std::size_t>(found - segments_.begin());
  return found->bytes + (address - found->begin);
}

const MappedFile* CoreImage::program_file() const {
  for (const MappedFile& file : files)
    if (program_headers >= file.begin && program_headers < file.end) return &file;
  return nullptr;
}

std::string CoreImage::program_build_id() const {
  constexpr std::uint64_t kHeadersMax = 256;
  std::uint64_t bias = 0;
  std::vector<Elf64_Phdr> headers;
  for (std::uint64_t i = 0; i < std::min(program_header_count, kHeadersMax); ++i) {
    Elf64_Phdr header;
    if (!read(program_headers + i * sizeof header, header)) return {};
    if (header.p_type == PT_PHDR) bias = program_headers - header.p_vaddr;
    headers.push_back(header);
  }
  for (const Elf64_Phdr& header : headers) {
    if (header.p_type != PT_NOTE) continue;
    std::uint64_t at = header.p_vaddr + bias;
    const std::uint64_t end = at + std::min<std::uint64_t>(header.p_memsz, 4096);
    while (at + sizeof(Elf64_Nhdr) <= end) {
      Elf64_Nhdr note;
      if (!read(at, note)) break;
      const std::uint64_t description = at + sizeof note + (std::uint64_t{note.n_namesz} + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= 64) {
        const std::uint8_t* id = this->at(description, note.n_descsz);
        return id == nullptr ? "" : hex_text({id, note.n_descsz});
      }
      at = description + (std::uint64_t{note.n_descsz} + 3) / 4 * 4;
    }
  }
  return {};
}

bool CoreImage::bias_of(const std::string& mapped_path, std::uint64_t first_address, std::uint64_t& bias) const {
  for (const MappedFile& file : files) {
    if (file.path != mapped_path || file.offset != 0) continue;
    bias = file.begin - first_address;
    return true;
  }
  return false;
}

Result<FileBytes> map_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return Error{"cannot read " + path + ": " + std::strerror(errno)};
  struct stat status;
  if (::fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return Error{path + " is not a file"};
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return Error{path + " is empty"};
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (mapped == MAP_FAILED) return Error{"cannot map " + path + ": " + std::strerror(errno)};
  return FileBytes{
      std::shared_ptr<const void>(mapped, [size](const void* at) { ::munmap(const_cast<void*>(at), size); }),
      static_cast<const std::uint8_t*>(mapped), size};
}

}  // namespace heddle::binary
