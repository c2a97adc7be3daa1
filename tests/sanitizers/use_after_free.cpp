// A reader that looks at the published block once more than it should. It goes wrong only when the owner takes the block
// back between the reader's look at the pointer and its look at the block, in the one round in which the owner does that.
#include <atomic>
#include <thread>

namespace {

struct Block {
  int value;
};

std::atomic<Block*> published{nullptr};
constexpr int kRounds = 3;

void read() {
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    Block* block = published.load();
    if (block == nullptr) break;
    sum += block->value;
  }
  asm volatile("" : : "r"(sum));
}

}  // namespace

int main() {
  auto* block = new Block{1};
  published = block;
  std::thread reader(read);
  published = nullptr;
  delete block;
  reader.join();
}
