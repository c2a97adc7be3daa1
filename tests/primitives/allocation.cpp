// The whole malloc family and operator new from several threads at once: blocks are aligned, as
// large as asked, never shared, zeroed where promised, and may be freed by another thread.
#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

struct Block {
  unsigned char* bytes;
  std::size_t size;
  unsigned char pattern;
  void (*release)(void*);

  void fill() const { std::memset(bytes, pattern, size); }
  void check_and_release() const {
    for (std::size_t i = 0; i < size; ++i) EXPECT(bytes[i] == pattern);
    release(bytes);
  }
};

bool is_aligned(const void* address, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

void* resized(std::size_t size) {
  auto* bytes = static_cast<unsigned char*>(malloc(size / 2 + 1));
  std::memset(bytes, 0x5a, size / 2 + 1);
  bytes = static_cast<unsigned char*>(realloc(bytes, size));
  for (std::size_t i = 0; i < size / 2; ++i) EXPECT(bytes[i] == 0x5a);
  return bytes;
}

void* zeroed(std::size_t size) {
  auto* bytes = static_cast<unsigned char*>(calloc(size, 1));
  for (std::size_t i = 0; i < size; ++i) EXPECT(bytes[i] == 0);
  return bytes;
}

void* aligned_by_posix(std::size_t size) {
  void* address = nullptr;
  EXPECT(posix_memalign(&address, 64, size) == 0);
  EXPECT(is_aligned(address, 64));
  return address;
}

template <std::size_t kAlignment, void* (*kAllocate)(std::size_t)>
void* aligned(std::size_t size) {
  void* address = kAllocate(size);
  EXPECT(is_aligned(address, kAlignment));
  return address;
}

void* by_aligned_alloc(std::size_t size) { return aligned_alloc(128, (size + 127) / 128 * 128); }
void* by_memalign(std::size_t size) { return memalign(256, size); }
void* by_reallocarray(std::size_t size) { return reallocarray(nullptr, size, 1); }
void* by_new(std::size_t size) { return ::operator new(size); }
void* by_aligned_new(std::size_t size) { return ::operator new(size, std::align_val_t(512)); }

void* by_strdup(std::size_t size) {
  const std::vector<char> text(size + 1, 'x');
  char* copy = strndup(text.data(), size);
  EXPECT(std::strlen(copy) == size);
  return copy;
}

struct Way {
  void* (*allocate)(std::size_t);
  void (*release)(void*);
};

const Way kWays[] = {
    {malloc, free},
    {zeroed, free},
    {resized, free},
    {aligned_by_posix, free},
    {aligned<128, by_aligned_alloc>, free},
    {aligned<256, by_memalign>, free},
    {aligned<4096, valloc>, free},
    {by_reallocarray, free},
    {by_strdup, free},
    {by_new, [](void* address) { ::operator delete(address); }},
    {aligned<512, by_aligned_new>, [](void* address) { ::operator delete(address, std::align_val_t(512)); }},
};

// Blocks handed from the thread that made them to whichever frees them.
std::mutex mutex;
std::deque<Block> handed_over;

void allocate_and_free(unsigned thread) {
  std::uint32_t random = 2654435761u * (thread + 1);
  for (int round = 0; round < 150; ++round) {
    random = random * 1664525 + 1013904223;
    const Way& way = kWays[(random >> 16) % std::size(kWays)];
    const std::size_t size = 1 + (random >> 8) % (round % 10 == 0 ? 200000 : 500);
    auto* bytes = static_cast<unsigned char*>(way.allocate(size));
    EXPECT(bytes != nullptr);
    EXPECT(is_aligned(bytes, 16) || size < 16);
    EXPECT(malloc_usable_size(bytes) >= size);
    const Block block{bytes, size, static_cast<unsigned char>(random >> 24), way.release};
    block.fill();
    Block other{};
    {
      std::lock_guard guard(mutex);
      handed_over.push_back(block);
      if (handed_over.size() > 20) {
        other = handed_over.front();
        handed_over.pop_front();
      }
    }
    if (other.bytes != nullptr) other.check_and_release();
  }
}

// Through a volatile pointer, or the compiler takes the allocation away and its success for
// granted.
bool fails(void* result) {
  void* volatile seen = result;
  return seen == nullptr;
}

void edges_behave() {
  free(nullptr);
  free(malloc(0));
  void* volatile from_null = realloc(nullptr, 10);
  EXPECT(!fails(from_null));
  free(from_null);
  volatile std::size_t huge = SIZE_MAX / 2;
  EXPECT(fails(malloc(huge)));
  EXPECT(fails(calloc(huge, 4)));
  EXPECT(fails(reallocarray(nullptr, huge, 4)));
  void* address = nullptr;
  EXPECT(posix_memalign(&address, 3, 8) != 0);
  bool thrown = false;
  try {
    void* volatile block = ::operator new(huge);
    ::operator delete(block);
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  EXPECT(thrown);
  EXPECT(fails(::operator new(huge, std::nothrow)));
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back(allocate_and_free, i);
  for (std::thread& thread : threads) thread.join();
  for (const Block& block : handed_over) block.check_and_release();
  edges_behave();
  return finish();
}
