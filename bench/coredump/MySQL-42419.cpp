// MySQL-42419 at the end of a long session: every connection first runs transactions on rows that no other one locks.
//
// usage: MySQL-42419 [pairs of connections] [generated transactions per connection] [transactions per connection]
#define main kernel_main
#include "../../kernels/MySQL-42419/kernel.cpp"
#undef main
#include "generated_input.h"

namespace {

void run_session(RowLocks& locks, Transaction id, std::size_t generated, std::size_t transactions) {
  constexpr std::size_t kOwnRows = 16;
  Connection connection(locks, id);
  GeneratedInput input(id);
  const std::size_t first_row = 1000 + kOwnRows * id;
  for (std::size_t i = 0; i < generated; ++i)
    if (!connection.run_transaction(first_row + input.below(kOwnRows), first_row + input.below(kOwnRows))) std::abort();
  run_connection(locks, id, transactions);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t pairs = argument(argc, argv, 1, 1);
  const std::size_t generated = argument(argc, argv, 2, 500);
  const std::size_t transactions = argument(argc, argv, 3, 20);

  RowLocks locks;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2 * pairs; ++i)
    threads.emplace_back(run_session, std::ref(locks), i, generated, transactions);
  for (std::thread& thread : threads) thread.join();
  std::printf("%zu transactions\n", 2 * pairs * transactions);
  return 0;
}
