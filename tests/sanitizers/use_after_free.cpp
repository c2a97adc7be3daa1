// The owner takes a block back and frees it. It goes wrong only when both happen between the reader's look at the
// pointer and its look at the block: natively as good as never.
#include <atomic>
#include <thread>

namespace {

struct Block {
  int value;
};

std::atomic<Block*> published{nullptr};
constexpr int kRounds = 3;

void read_published() {
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
  std::thread reader(read_published);
  published = nullptr;
  delete block;
  reader.join();
}
