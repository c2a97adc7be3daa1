// Communication by atomic variables.
#include <atomic>
#include <cassert>

#include "noise.h"

namespace noise {
namespace {

class Counters : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    const std::size_t sample = 10 * worker + round % 7;
    samples_.fetch_add(1);
    sum_ += sample;
    raise_max(sample);
    if (sample % 2 == 1) odd_.fetch_xor(1);
    buckets_[sample % kBuckets].fetch_add(1);
    last_worker_.store(worker);
    assert(last_worker_.load() < kWorkers);
    assert(samples_.load() <= kWorkers * (round + 1));  // no worker is a round ahead: other workloads have barriers
  }

  void check(std::size_t rounds) const override {
    std::size_t in_buckets = 0;
    for (const std::atomic<std::size_t>& bucket : buckets_) in_buckets += bucket.load();
    assert(in_buckets == rounds * kWorkers);
    assert(samples_.load() == in_buckets);
    assert(sum_.load() % 2 == odd_.load());
    assert(max_.load() <= 10 * (kWorkers - 1) + 6);
  }

 private:
  static constexpr std::size_t kBuckets = 4;

  void raise_max(std::size_t sample) {
    std::size_t max = max_.load();
    while (max < sample && !max_.compare_exchange_weak(max, sample)) {
    }
  }

  std::atomic<std::size_t> samples_ = 0;
  std::atomic<std::size_t> sum_ = 0;
  std::atomic<std::size_t> max_ = 0;
  std::atomic<std::size_t> odd_ = 0;
  std::atomic<std::size_t> last_worker_ = 0;
  std::atomic<std::size_t> buckets_[kBuckets] = {};
};

// Treiber's stack. A node is pushed once and never freed, so that no pointer is reused.
class LockFreeStack : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    push(worker + round);
    push(worker);
    pop();
  }

  void check(std::size_t rounds) const override {
    std::size_t nodes = 0;
    std::size_t left = 0;
    for (const Node* node = top_.load(); node != nullptr; node = node->below) {
      ++nodes;
      left += node->value;
    }
    assert(nodes == rounds * kWorkers);
    assert(pushed_.load() == popped_.load() + left);
  }

 private:
  struct Node {
    std::size_t value;
    Node* below;
  };

  void push(std::size_t value) {
    Node* node = new Node{value, top_.load()};
    pushed_ += value;
    while (!top_.compare_exchange_weak(node->below, node)) {
    }
  }

  void pop() {
    Node* node = top_.load();
    while (node != nullptr && !top_.compare_exchange_weak(node, node->below)) {
    }
    assert(node != nullptr);
    popped_ += node->value;
  }

  std::atomic<Node*> top_ = nullptr;
  std::atomic<std::size_t> pushed_ = 0;
  std::atomic<std::size_t> popped_ = 0;
};

// Worker 1 publishes a new state each round by a pointer; readers see the old or the new state, always complete.
class PublishedSnapshot : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    if (worker == 1) publish(round + 1);
    look();
  }

  void check(std::size_t rounds) const override {
    assert(current_.load()->generation == rounds);
    assert(looks_.load() == rounds * kWorkers);
  }

 private:
  struct Snapshot {
    std::size_t generation;
    std::size_t doubled;
    std::size_t squared;
  };

  // Earlier snapshots are not freed, because a reader may still use them.
  void publish(std::size_t generation) {
    auto* snapshot = new Snapshot{};
    snapshot->generation = generation;
    snapshot->doubled = 2 * generation;
    snapshot->squared = generation * generation;
    current_.store(snapshot, std::memory_order_release);
  }

  void look() {
    const Snapshot* snapshot = current_.load(std::memory_order_acquire);
    const std::size_t generation = snapshot->generation;
    assert(snapshot->doubled == 2 * generation);
    assert(snapshot->squared == generation * generation);
    looks_.fetch_add(1, std::memory_order_relaxed);
  }

  std::atomic<Snapshot*> current_ = new Snapshot{};
  std::atomic<std::size_t> looks_ = 0;
};

// A ring with a ticket for every event; the slot records whether its event is complete. The worker
// that draws the last ticket of a lap empties the complete slots.
class EventRing : public Workload {
 public:
  void run(std::size_t worker, std::size_t round) override {
    const std::size_t ticket = tickets_.fetch_add(1);
    Slot& slot = slots_[ticket % kSlots];
    if (slot.state.exchange(kBusy) == kBusy) {
      dropped_.fetch_add(1);
      return;
    }
    slot.worker = worker;
    slot.event = 100 * worker + round % 100;
    slot.state.store(kComplete);
    if (ticket % kSlots == kSlots - 1) drain();
  }

  void check(std::size_t rounds) const override { assert(tickets_.load() == rounds * kWorkers); }

 private:
  static constexpr std::size_t kSlots = 4;
  static constexpr int kEmpty = 0;
  static constexpr int kBusy = 1;  // owned by the worker that set it
  static constexpr int kComplete = 2;

  struct Slot {
    std::atomic<int> state = kEmpty;
    std::size_t worker = 0;
    std::size_t event = 0;
  };

  void drain() {
    for (Slot& slot : slots_) {
      int complete = kComplete;
      if (!slot.state.compare_exchange_strong(complete, kBusy)) continue;
      assert(slot.event / 100 == slot.worker);
      drained_.fetch_add(1);
      slot.state.store(kEmpty);
    }
  }

  std::atomic<std::size_t> tickets_ = 0;
  std::atomic<std::size_t> dropped_ = 0;
  std::atomic<std::size_t> drained_ = 0;
  Slot slots_[kSlots];
};

}  // namespace

Workload* new_counters() {
  return new Counters;
}
Workload* new_lock_free_stack() {
  return new LockFreeStack;
}
Workload* new_published_snapshot() {
  return new PublishedSnapshot;
}
Workload* new_event_ring() {
  return new EventRing;
}

}  // namespace noise
