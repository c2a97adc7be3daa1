// MySQL-21587 at the end of a long session: every connection first uses one handler only, which a flush cannot break.
//
// usage: MySQL-21587 [connections] [generated statements per connection] [handlers per connection] [flushes]
#define main kernel_main
#include "../../kernels/MySQL-21587/kernel.cpp"
#undef main
#include "generated_input.h"

namespace {

void run_session(std::size_t number, std::size_t generated, std::size_t handlers) {
  HandlerConnection connection;
  GeneratedInput input(number);
  connection.handler_open(0, 0);
  for (std::size_t i = 0; i < generated; ++i) {
    if (input.below(8) == 0)
      connection.handler_open(0, input.below(2));
    else
      connection.handler_read(0, 0);
  }
  for (std::size_t alias = 1; alias <= handlers; ++alias) connection.handler_open(alias, alias % 2);
  for (std::size_t alias = 1; alias <= handlers; ++alias) {
    const std::size_t row = connection.handler_read(alias, alias % 2);
    assert(row == 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t connections = argument(argc, argv, 1, 1);
  const std::size_t generated = argument(argc, argv, 2, 1000);
  const std::size_t handlers = argument(argc, argv, 3, 20);
  const std::size_t flushes = argument(argc, argv, 4, 1000);

  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < connections; ++i) threads.emplace_back(run_session, i + 1, generated, handlers);
  for (std::size_t i = 0; i < flushes; ++i) flush_tables();
  for (std::thread& thread : threads) thread.join();
  std::printf("%zu handlers read\n", connections * handlers);
  return 0;
}
