// Mapping, protecting, moving and unmapping memory from several threads; and memory shared through
// a file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kPagesMax = 5;

void map_and_unmap(unsigned char pattern) {
  const std::vector<unsigned char> expected(kPage * kPagesMax, pattern);
  for (int round = 0; round < 30; ++round) {
    const std::size_t size = kPage * (1 + round % kPagesMax);
    void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT(address != MAP_FAILED);
    auto* bytes = static_cast<unsigned char*>(address);
    EXPECT(bytes[size - 1] == 0);
    std::memset(bytes, pattern, size);
    std::this_thread::yield();
    address = mremap(address, size, 2 * size, MREMAP_MAYMOVE);
    EXPECT(address != MAP_FAILED);
    bytes = static_cast<unsigned char*>(address);
    EXPECT(mprotect(bytes, size, PROT_READ) == 0);
    EXPECT(std::memcmp(bytes, expected.data(), size) == 0);
    EXPECT(bytes[size] == 0);
    EXPECT(munmap(bytes, 2 * size) == 0);
  }
}

void two_mappings_of_one_file_agree() {
  const int file = memfd_create("heddle_primitive", MFD_CLOEXEC);
  EXPECT(file >= 0);
  EXPECT(ftruncate(file, kPage) == 0);
  void* first = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void* second = mmap(nullptr, kPage, PROT_READ, MAP_SHARED, file, 0);
  EXPECT(first != MAP_FAILED && second != MAP_FAILED && first != second);
  std::thread([&] { std::strcpy(static_cast<char*>(first), "shed"); }).join();
  EXPECT(std::strcmp(static_cast<const char*>(second), "shed") == 0);
  EXPECT(munmap(first, kPage) == 0);
  EXPECT(munmap(second, kPage) == 0);
  close(file);
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (unsigned char pattern : {1, 2, 3}) threads.emplace_back(map_and_unmap, pattern);
  for (std::thread& thread : threads) thread.join();
  two_mappings_of_one_file_agree();
  return finish();
}
