// Locks on files between two threads: flock on two descriptors, and open-file-description locks.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>

#include "expect.h"

namespace {

struct TwoDescriptors {
  std::string path = "/tmp/heddle_primitive_XXXXXX";
  int first;
  int second;

  TwoDescriptors() : first(mkstemp(path.data())), second(open(path.c_str(), O_RDWR)) {
    EXPECT(first >= 0 && second >= 0);
    unlink(path.c_str());
  }
  ~TwoDescriptors() {
    close(first);
    close(second);
  }
};

template <class Lock, class Unlock>
void excludes(const TwoDescriptors& file, Lock lock, Unlock unlock) {
  int counter = 0;
  const auto count = [&](int fd) {
    for (int i = 0; i < 30; ++i) {
      lock(fd);
      const int before = counter;
      std::this_thread::yield();
      counter = before + 1;
      unlock(fd);
    }
  };
  std::jthread other(count, file.first);
  count(file.second);
  other.join();
  EXPECT(counter == 60);
}

void ofd_lock(int fd, int command, short type) {
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  EXPECT(fcntl(fd, command, &lock) == 0);
}

}  // namespace

int main() {
  const TwoDescriptors file;
  excludes(file, [](int fd) { EXPECT(flock(fd, LOCK_EX) == 0); }, [](int fd) { EXPECT(flock(fd, LOCK_UN) == 0); });
  EXPECT(flock(file.first, LOCK_EX) == 0);
  EXPECT(flock(file.second, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK);
  EXPECT(flock(file.first, LOCK_UN) == 0);
  EXPECT(flock(file.first, LOCK_SH) == 0 && flock(file.second, LOCK_SH) == 0);
  EXPECT(flock(file.first, LOCK_UN) == 0 && flock(file.second, LOCK_UN) == 0);
  excludes(
      file, [](int fd) { ofd_lock(fd, F_OFD_SETLKW, F_WRLCK); }, [](int fd) { ofd_lock(fd, F_OFD_SETLK, F_UNLCK); });
  return finish();
}
