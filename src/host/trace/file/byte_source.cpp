#include "trace/file/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "support/files.h"
#include "support/unique_fd.h"

namespace heddle::trace {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(UniqueFd fd, std::uint64_t size) : fd_(std::move(fd)), size_(size) {}

  std::uint64_t size() const override { return size_; }

  void read(std::uint64_t offset, std::size_t size, std::string& out) override {
    out.resize(std::min<std::uint64_t>(size, size_ - std::min(offset, size_)));
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t count = ::pread(fd_.get(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    out.resize(done);
  }

 private:
  UniqueFd fd_;
  std::uint64_t size_;
};

class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void read(std::uint64_t offset, std::size_t size, std::string& out) override {
    if (offset < bytes_.size())
      out.assign(bytes_, offset, size);
    else
      out.clear();
  }

 private:
  std::string bytes_;
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_file_source(const std::string& path) {
  if (Status readable = check_readable_file(path); !readable) return readable.error();
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!fd.valid() || ::fstat(fd.get(), &status) != 0) {
    return Error{"cannot read " + path + ": " + std::strerror(errno)};
  }
  return std::unique_ptr<ByteSource>(
      std::make_unique<FileSource>(std::move(fd), static_cast<std::uint64_t>(status.st_size)));
}

std::unique_ptr<ByteSource> make_memory_source(std::string bytes) {
  return std::make_unique<MemorySource>(std::move(bytes));
}

}  // namespace heddle::trace
