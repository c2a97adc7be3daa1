// MySQL-12228 at the end of a long session: every connection first calls procedures that call no other.
//
// usage: MySQL-12228 [connections] [generated calls per connection] [calls per connection] [drops]
#define main kernel_main
#include "../../kernels/MySQL-12228/kernel.cpp"
#undef main
#include "generated_input.h"

namespace {

void run_session(ProcedureTable& table, std::size_t number, std::size_t generated, std::size_t calls) {
  Connection connection(table);
  GeneratedInput input(number);
  for (std::size_t i = 0; i < generated; ++i) {
    const long sum = connection.call(input.below(2) == 0 ? "inner" : "other");
    assert(sum == 10);
  }
  for (std::size_t i = 0; i < calls; ++i) {
    const long sum = connection.call("outer");
    assert(sum == 111);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t connections = argument(argc, argv, 1, 1);
  const std::size_t generated = argument(argc, argv, 2, 1000);
  const std::size_t calls = argument(argc, argv, 3, 20);
  const std::size_t drops = argument(argc, argv, 4, 500);

  ProcedureTable table;
  table.create({"inner", {{Instruction::Kind::Set, 10, ""}}});
  table.create({"other", {{Instruction::Kind::Set, 4, ""}, {Instruction::Kind::Set, 6, ""}}});
  table.create(
      {"outer",
       {{Instruction::Kind::Set, 1, ""}, {Instruction::Kind::Call, 0, "inner"}, {Instruction::Kind::Set, 100, ""}}});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < connections; ++i)
    threads.emplace_back(run_session, std::ref(table), i + 1, generated, calls);
  run_administrator(table, drops);
  for (std::thread& thread : threads) thread.join();
  std::printf("%zu calls\n", connections * calls);
  return 0;
}
