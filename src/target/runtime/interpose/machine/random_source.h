#pragma once

namespace heddle::runtime {

// Overwrites the kernel's random bytes at AT_RANDOM. REQUIRES: libc has derived its canaries from them.
void replace_auxiliary_random_bytes();

}  // namespace heddle::runtime
