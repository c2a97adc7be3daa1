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

// The same for a directory of output files. It may be missing, together with its parents; they are created later.
Status check_writable_directory(const std::string& path);

Result<std::string> read_file(const std::string& path);

// Writes the whole file or nothing: a temporary file in the same folder is renamed when it is complete. A link stays a
// link. Content for a device or a pipe is written directly.
Status write_file(const std::string& path, std::string_view content);

// False: the content was not written completely.
bool write_all(int fd, std::string_view content);

// Makes a file without a name, which exists until its descriptor is closed.
Result<UniqueFd> make_unnamed_file();

// The first `size_max` bytes of a file that can seek, from its beginning.
std::string read_all(int fd, std::size_t size_max);

// True for a device, a pipe or a socket, which is written to and not replaced.
bool is_special_file(const std::string& path);

// The end of a chain of symbolic links, which need not exist: the file that a rename has to replace.
std::string file_behind_links(const std::string& path);

// `path` made absolute against the working directory; symbolic links stay.
std::string absolute_path(const std::string& path);

}  // namespace heddle
