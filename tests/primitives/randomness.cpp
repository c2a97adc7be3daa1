// Sources of randomness and of identity, read by several threads.
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

std::uint64_t from_urandom() {
  const int device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  EXPECT(device >= 0);
  std::uint64_t value = 0;
  EXPECT(read(device, &value, sizeof value) == sizeof value);
  close(device);
  return value;
}

void draw() {
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 4; ++i) {
    std::uint64_t value = 0;
    EXPECT(getrandom(&value, sizeof value, 0) == sizeof value);
    EXPECT(seen.insert(value).second);
    EXPECT(getentropy(&value, sizeof value) == 0);
    EXPECT(seen.insert(value).second);
    EXPECT(seen.insert(from_urandom()).second);
    std::random_device device;
    EXPECT(seen.insert(std::uint64_t{device()} << 32 | device()).second);
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 36)
    arc4random_buf(&value, sizeof value);
    EXPECT(seen.insert(value).second);
    EXPECT(arc4random_uniform(10) < 10);
#endif
#endif
    EXPECT(std::rand() >= 0);
    EXPECT(random() >= 0);
    unsigned seed = 1;
    EXPECT(rand_r(&seed) >= 0);
  }
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(draw);
  for (std::thread& thread : threads) thread.join();

  std::srand(7);
  const int first = std::rand();
  std::srand(7);
  EXPECT(std::rand() == first);

  const pid_t of_main = gettid();
  EXPECT(getpid() == of_main);
  pid_t of_worker = 0;
  std::thread([&] {
    of_worker = gettid();
    EXPECT(getpid() == of_main);
    std::this_thread::yield();
    EXPECT(gettid() == of_worker);
  }).join();
  EXPECT(of_worker != of_main);
  EXPECT(std::thread::hardware_concurrency() >= 1);
  return finish();
}
