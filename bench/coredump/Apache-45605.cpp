// Apache-45605 after a long time in service: every thread first answers requests from the scoreboard, for which no
// worker needs to be idle. Then connections arrive, and to read the request of each takes the listener more or less long.
//
// usage: Apache-45605 [workers] [generated requests per thread] [connections]
#define main kernel_main
#include "../../kernels/Apache-45605/kernel.cpp"
#undef main
#include <cstring>

#include "generated_input.h"

namespace {

struct Scoreboard {
  std::mutex lock;
  std::size_t hits[16] = {};
};

void answer_from_scoreboard(Scoreboard& scoreboard, std::size_t seed, std::size_t requests) {
  GeneratedInput input(seed);
  for (std::size_t i = 0; i < requests; ++i) {
    std::lock_guard guard(scoreboard.lock);
    ++scoreboard.hits[input.below(16)];
  }
}

// Searches for the end of a request.
std::size_t read_request(const std::vector<char>& buffer, std::size_t size) {
  const void* end = std::memchr(buffer.data() + buffer.size() - size, '\n', size);
  return static_cast<std::size_t>(static_cast<const char*>(end) - buffer.data());
}

void accept_connections(WorkerMpm& mpm, std::size_t connections) {
  constexpr std::size_t kRequestMax = 400'000;
  std::vector<char> buffer(kRequestMax, 'x');
  buffer.back() = '\n';
  GeneratedInput input(connections);
  for (std::size_t i = 0; i < connections; ++i) {
    const std::size_t end = read_request(buffer, 1 + input.below(kRequestMax));
    mpm.queue_info.wait_for_idler();
    mpm.worker_queue.push({end, kResponseSize});
  }
  mpm.worker_queue.terminate();
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t worker_count = argument(argc, argv, 1, 1);
  const std::size_t generated = argument(argc, argv, 2, 1000);
  const std::size_t connections = argument(argc, argv, 3, 100);

  Scoreboard scoreboard;
  WorkerMpm mpm(worker_count);
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < worker_count; ++i)
    workers.emplace_back([&mpm, &scoreboard, i, generated] {
      answer_from_scoreboard(scoreboard, i + 1, generated);
      worker_thread(mpm);
    });
  answer_from_scoreboard(scoreboard, 0, generated);
  accept_connections(mpm, connections);
  for (std::thread& worker : workers) worker.join();
  std::printf("%zu connections served\n", connections);
  return 0;
}
