#pragma once

namespace heddle::cli {

// The commit of the source tree that this build is of (cmake/HeddleCommit.cmake); empty: the tree has no git.
extern const char* const kCommit;
extern const bool kCommitModified;

}  // namespace heddle::cli
