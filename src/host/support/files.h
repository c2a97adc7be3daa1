#pragma once
#include <string>
#include <string_view>

#include "support/result.h"
#include "support/unique_fd.h"

namespace heddle {

// Checks that `path` can be read as a file. The error is a line for the user: missing, a directory, no permission.
Status check_readable_file(const std::string& path);

// Checks that a file can be written at `path`, before any work is done: not a directory, and in a folder that exists
// and accepts files. Neither creates nor overwrites a file.
Status check_writable_path(const std::string& path);

// The same for a directory of output files. The directory and its parents may be missing; they are created later.
Status check_writable_directory(const std::string& path);

Result<std::string> read_file(const std::string& path);

// Writes the whole file or nothing: writes a temporary file in the same folder and renames it. Preserves a link, and
// writes directly to a device or a pipe.
Status write_file(const std::string& path, std::string_view content);

// False: the content was not written completely.
bool write_all(int fd, std::string_view content);

// Creates a file without a name, which exists until its descriptor is closed.
Result<UniqueFd> make_unnamed_file();

// The first `size_max` bytes of a seekable file.
std::string read_all(int fd, std::size_t size_max);

// True for a device, a pipe or a socket, which write_file() does not replace.
bool is_special_file(const std::string& path);

// The target of a chain of symbolic links, which need not exist: the file that a rename must replace.
std::string file_behind_links(const std::string& path);

// `path` relative to the root; symbolic links are not resolved.
std::string absolute_path(const std::string& path);

}  // namespace heddle
