#pragma once
#include <string>
#include <string_view>

#include "support/result.h"
#include "support/unique_fd.h"

namespace heddle {

// Says why `path` cannot be read as a file, in the words of the command line: missing, a directory, no permission.
Status check_readable_file(const std::string& path);

// Says why nothing can be written at `path` (a directory, a folder that is missing or takes no files), before any work
// is done. Leaves nothing behind and overwrites nothing.
Status check_writable_path(const std::string& path);

// The same for a directory that files go into, and that is made, with those above it, where it is missing.
Status check_writable_directory(const std::string& path);

Result<std::string> read_file(const std::string& path);

// Whole or not at all: a temporary file beside it takes its name when it is complete. A link stays a link; a device or
// a pipe is written into.
Status write_file(const std::string& path, std::string_view content);

// False: not all of it could be written.
bool write_all(int fd, std::string_view content);

// A file without a name that goes away with its descriptor.
Result<UniqueFd> make_unnamed_file();

// What has been written to a descriptor that can seek, from its beginning, `size_max` bytes at most.
std::string read_all(int fd, std::size_t size_max);

// A device, a pipe or a socket: it is written into, not replaced.
bool is_special_file(const std::string& path);

// What a chain of links ends at, whether or not it is there: the file that a rename has to replace.
std::string file_behind_links(const std::string& path);

// `path` made absolute against the working directory; symbolic links stay.
std::string absolute_path(const std::string& path);

}  // namespace heddle
