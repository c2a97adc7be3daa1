#pragma once
// The one stream of random numbers that the program gets from "outside", from the run's seed.
#include <cstddef>
#include <cstdint>

namespace heddle::runtime {

std::uint64_t random_word();
void fill_randomly(void* bytes, std::size_t size);

// What the kernel left for the program at AT_RANDOM. To be called once libc has made its canaries of it.
void replace_auxiliary_random_bytes();

// Opening the random devices gives a file of such numbers: a descriptor or -errno.
bool is_random_device(const char* path);
int open_random_device(int flags);

}  // namespace heddle::runtime
