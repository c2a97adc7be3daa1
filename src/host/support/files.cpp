#include "support/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace heddle {
namespace {

Error trouble(const std::string& path, const char* what) { return {"cannot " + std::string(what) + " " + path}; }

Error trouble(const std::string& path, const char* what, int error) {
  return {"cannot " + std::string(what) + " " + path + ": " + std::strerror(error)};
}

}  // namespace

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

namespace {

// Tests it by creating a file, because permission bits do not show what root, a read-only file system or /proc allow.
Status check_takes_files(const std::string& folder) {
  if (UniqueFd(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)).valid()) return ok_status();
  std::string probe = folder + "/.heddle.XXXXXX";
  const UniqueFd fd(::mkostemp(probe.data(), O_CLOEXEC));
  if (!fd.valid()) return trouble("files in " + folder, "write", errno);
  ::unlink(probe.c_str());
  return ok_status();
}

Status write_into(const std::string& path, std::string_view content) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.valid() && write_all(fd.get(), content) ? ok_status() : Status(trouble(path, "write", errno));
}

}  // namespace

Status check_readable_file(const std::string& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return trouble(path, "read", errno);
  if (S_ISDIR(status.st_mode)) return Error{path + " is a directory; name a file"};
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return trouble(path, "read", errno);
  return ok_status();
}

Status check_writable_path(const std::string& path) {
  if (path.empty()) return Error{"the name of the file to write is empty"};
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
    return Error{path + " is a directory; name a file to write"};
  }
  if (is_special_file(path))
    return ::access(path.c_str(), W_OK) == 0 ? ok_status() : Status(trouble(path, "write", errno));
  const std::filesystem::path parent = std::filesystem::path(file_behind_links(path)).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (::stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    return Error{"cannot write " + path + ": there is no directory " + folder};
  }
  return check_takes_files(folder);
}

Status check_writable_directory(const std::string& path) {
  if (path.empty()) return Error{"the name of the directory is empty"};
  std::filesystem::path there = std::filesystem::path(absolute_path(path));
  struct stat status;
  while (::stat(there.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return trouble(path, "write into", errno);
    if (!there.has_relative_path()) return trouble(path, "write into", errno);
    there = there.parent_path();
  }
  if (!S_ISDIR(status.st_mode))
    return Error{"cannot write into " + path + ": " + there.string() + " is not a directory"};
  return check_takes_files(there.string());
}

Result<std::string> read_file(const std::string& path) {
  if (Status readable = check_readable_file(path); !readable) return readable.error();
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return trouble(path, "read", errno);
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = ::read(fd.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return trouble(path, "read", errno);
    if (count == 0) return content;
    content.append(buffer, static_cast<std::size_t>(count));
  }
}

Status write_file(const std::string& path, std::string_view content) {
  if (Status writable = check_writable_path(path); !writable) return writable;
  if (is_special_file(path)) return write_into(path, content);
  const std::string target = file_behind_links(path);
  std::string temporary = target + ".XXXXXX";
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) return trouble(path, "write", errno);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd.get(), 0666 & ~mask);
  if (write_all(fd.get(), content) && ::rename(temporary.c_str(), target.c_str()) == 0) return ok_status();
  const int error = errno;
  ::unlink(temporary.c_str());
  return trouble(path, "write", error);
}

Result<UniqueFd> make_unnamed_file() {
  const char* folder = std::getenv("TMPDIR");
  UniqueFd fd(::open(folder != nullptr ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!fd.valid()) fd = UniqueFd(::memfd_create("heddle-output", MFD_CLOEXEC));
  if (!fd.valid()) return trouble("a temporary file", "make");
  return fd;
}

std::string read_all(int fd, std::size_t size_max) {
  std::string content;
  char buffer[1 << 16];
  while (content.size() < size_max) {
    const std::size_t wanted = std::min(sizeof buffer, size_max - content.size());
    const ssize_t count = ::pread(fd, buffer, wanted, static_cast<off_t>(content.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    content.append(buffer, static_cast<std::size_t>(count));
  }
  return content;
}

bool is_special_file(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

std::string file_behind_links(const std::string& path) {
  constexpr int kLinksMax = 40;  // the kernel's limit
  std::filesystem::path at = path;
  std::error_code error;
  for (int i = 0; i < kLinksMax && std::filesystem::is_symlink(at, error); ++i)
    at = at.parent_path() / std::filesystem::read_symlink(at, error);
  return at.string();
}

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

}  // namespace heddle
