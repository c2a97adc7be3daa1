// Reads cores with flipped bytes, cores of any cut length, and cores of another program. Each is read, or refused with
// an error of one line.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/random.h"
#include "binary/image/comparison.h"
#include "coredump/index/failing_core.h"

using namespace heddle;

namespace {

std::vector<char> read_bytes(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Tally {
  unsigned read = 0, refused = 0;
};

bool is_clear(const std::string& line) { return line.size() > 20 && line.find('\n') == std::string::npos; }

void try_one(const std::vector<char>& bytes, const char* program, coredump::FailingCore& whole, Tally& tally) {
  const int file = ::memfd_create("core", 0);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::exit(3);
  binary::Symbolizer symbolizer;
  Result<coredump::FailingCore> core =
      coredump::read_failing_core("/proc/self/fd/" + std::to_string(file), program, symbolizer);
  if (core) {
    const binary::ComparisonReport report = binary::compare({*core->view, core->stack, core->other_stacks},
                                                            {*whole.view, whole.stack, whole.other_stacks}, nullptr);
    tally.read += report.variables > 0 || report.unreadable > 0;
  } else {
    if (!is_clear(core.error().message)) {
      std::fprintf(stderr, "not a clear line: %s\n", core.error().message.c_str());
      std::exit(1);
    }
    ++tally.refused;
  }
  ::close(file);
}

}  // namespace

// usage: damaged_cores CORE PROGRAM OTHER_PROGRAM CASES
int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const rlimit memory{std::uint64_t{4} << 30, std::uint64_t{4} << 30};
  ::setrlimit(RLIMIT_AS, &memory);
  const std::vector<char> original = read_bytes(argv[1]);
  binary::Symbolizer symbolizer;
  Result<coredump::FailingCore> whole = coredump::read_failing_core(argv[1], argv[2], symbolizer);
  if (!whole) {
    std::fprintf(stderr, "%s\n", whole.error().message.c_str());
    return 1;
  }
  Tally flips, cuts, wrong;
  const unsigned cases = static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10));
  for (unsigned i = 0; i < cases; ++i) {
    Random random(i + 1);
    std::vector<char> bytes = original;
    if (i % 5 < 3) {
      // Half of the cases flip bytes in headers and notes only.
      const std::size_t end = i % 2 == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 16'384);
      for (unsigned flip = 0; flip < 1 + i % 64; ++flip)
        bytes[random.below(end)] ^= static_cast<char>(1 + random.below(255));
      try_one(bytes, argv[2], *whole, flips);
    } else if (i % 5 == 3) {
      bytes.resize(random.below(bytes.size()));
      try_one(bytes, argv[2], *whole, cuts);
    } else {
      for (unsigned flip = 0; flip < i % 4; ++flip)
        bytes[random.below(bytes.size())] ^= static_cast<char>(1 + random.below(255));
      try_one(bytes, argv[3], *whole, wrong);
    }
  }
  std::printf("flipped: %u read, %u refused; cut: %u read, %u refused; of another program: %u read, %u refused\n",
              flips.read, flips.refused, cuts.read, cuts.refused, wrong.read, wrong.refused);
  return cuts.read != 0 || wrong.read != 0;
}
