#pragma once

namespace heddle::cli {

// The commit of the source tree of this build (cmake/HeddleCommit.cmake); empty: the tree is not a git repository.
extern const char* const kCommit;
extern const bool kCommitModified;

}  // namespace heddle::cli
