#pragma once

namespace heddle::runtime {

// What the kernel left for the program at AT_RANDOM. To be called once libc has made its canaries of it.
void replace_auxiliary_random_bytes();

}  // namespace heddle::runtime
