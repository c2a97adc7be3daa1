// MySQL-12212 at the end of a long session: clients first create and remove files without locking names, and main looks
// up and opens tables of its own. Then the clients drop tables while main drops databases.
//
// usage: MySQL-12212 [clients] [generated statements] [tables dropped per client] [databases dropped]
#define main kernel_main
#include "../../kernels/MySQL-12212/kernel.cpp"
#undef main
#include "generated_input.h"

namespace {

void run_statements(Directory& directory, std::size_t number, std::size_t generated) {
  GeneratedInput input(number);
  for (std::size_t i = 0; i < generated; ++i) {
    const std::string key = key_of("scratch" + std::to_string(number), "t" + std::to_string(input.below(16)));
    if (input.below(2) == 0)
      directory.create(key);
    else
      directory.remove(key);
  }
}

void run_client(TableCache& cache, Directory& directory, std::size_t client, std::size_t generated,
                std::size_t tables) {
  run_statements(directory, client, generated);
  drop_tables(cache, directory, client, tables);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t clients = argument(argc, argv, 1, 1);
  const std::size_t generated = argument(argc, argv, 2, 1000);
  const std::size_t tables = argument(argc, argv, 3, 20);
  const std::size_t databases = argument(argc, argv, 4, 20);

  TableCache cache;
  Directory directory;
  for (std::size_t i = 0; i < databases; ++i) cache.open("old" + std::to_string(i), "t");
  for (std::size_t client = 1; client <= clients; ++client) {
    for (std::size_t i = 0; i < tables; ++i) {
      cache.open("client" + std::to_string(client), "t" + std::to_string(i));
      directory.create(key_of("client" + std::to_string(client), "t" + std::to_string(i)));
    }
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i <= clients; ++i)
    threads.emplace_back(run_client, std::ref(cache), std::ref(directory), i, generated, tables);
  run_statements(directory, 0, generated);
  drop_databases(cache, databases);
  for (std::thread& thread : threads) thread.join();
  std::puts("all dropped");
  return 0;
}
