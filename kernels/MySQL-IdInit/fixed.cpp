// MySQL-IdInit, repaired: the node id is stored before the receiver is started.
//
// usage: fixed [nodes] [queries]
#include <cassert>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr int kNoNodeId = 0;

class SignalQueue;

struct Signal {
  enum class Kind { AllocateNodeId, CountNodes, QueryStatus, Reply, Stop } kind;
  int number;
  SignalQueue* reply;
};

class SignalQueue {
 public:
  void send(Signal signal) {
    std::lock_guard guard(mutex_);
    signals_.push_back(signal);
    arrived_.notify_one();
  }

  Signal receive() {
    std::unique_lock guard(mutex_);
    arrived_.wait(guard, [&] { return !signals_.empty(); });
    const Signal signal = signals_.front();
    signals_.pop_front();
    return signal;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Signal> signals_;
};

// Answers requests in sequence: for a node id, or for the number of nodes in the cluster.
class ManagementServer {
 public:
  explicit ManagementServer(int node_count) : node_count_(node_count), thread_([this] { serve(); }) {}

  int request(Signal::Kind kind) {
    SignalQueue reply;
    inbox_.send({kind, kNoNodeId, &reply});
    return reply.receive().number;
  }

  void stop() {
    inbox_.send({Signal::Kind::Stop, kNoNodeId, nullptr});
    thread_.join();
  }

 private:
  void serve() {
    for (int last_id = kNoNodeId;;) {
      const Signal signal = inbox_.receive();
      if (signal.kind == Signal::Kind::Stop) return;
      const int answer = signal.kind == Signal::Kind::AllocateNodeId ? ++last_id : node_count_;
      signal.reply->send({Signal::Kind::Reply, answer, nullptr});
    }
  }

  const int node_count_;
  SignalQueue inbox_;
  std::thread thread_;
};

class ClusterNode {
 public:
  void start(ManagementServer& server) {
    node_id_ = server.request(Signal::Kind::AllocateNodeId);
    receiver_ = std::thread([this] { receive_signals(); });
  }

  void stop() {
    inbox.send({Signal::Kind::Stop, kNoNodeId, nullptr});
    receiver_.join();
  }

  SignalQueue inbox;

 private:
  void receive_signals() {
    for (;;) {
      const Signal signal = inbox.receive();
      if (signal.kind == Signal::Kind::Stop) return;
      signal.reply->send({Signal::Kind::Reply, node_id_, nullptr});
    }
  }

  int node_id_ = kNoNodeId;
  std::thread receiver_;
};

// A client that waits for the start of the cluster.
void query_nodes(ManagementServer& server, std::vector<std::unique_ptr<ClusterNode>>& nodes, std::size_t queries) {
  const int node_count = server.request(Signal::Kind::CountNodes);
  for (std::size_t i = 0; i < queries; ++i) {
    for (auto& node : nodes) {
      SignalQueue reply;
      node->inbox.send({Signal::Kind::QueryStatus, kNoNodeId, &reply});
      const int node_id = reply.receive().number;
      assert(node_id > kNoNodeId && node_id <= node_count);
    }
  }
}

std::size_t argument(int argc, char** argv, int index, std::size_t otherwise) {
  return argc > index ? std::strtoul(argv[index], nullptr, 10) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t node_count = argument(argc, argv, 1, 1);
  const std::size_t queries = argument(argc, argv, 2, 1);

  ManagementServer server(static_cast<int>(node_count));
  std::vector<std::unique_ptr<ClusterNode>> nodes;
  for (std::size_t i = 0; i < node_count; ++i) nodes.push_back(std::make_unique<ClusterNode>());
  std::thread client(query_nodes, std::ref(server), std::ref(nodes), queries);
  for (auto& node : nodes) node->start(server);
  client.join();
  for (auto& node : nodes) node->stop();
  server.stop();

  std::printf("%zu nodes answered\n", node_count);
  return 0;
}
