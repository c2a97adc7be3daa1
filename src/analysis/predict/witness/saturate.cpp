// The rules by which predictive analyses close a partial order under reads-from and mutual exclusion.
#include <algorithm>

#include "predict/heuristics.h"
#include "predict/witness/window.h"

namespace heddle::predict {
namespace {

class Saturation {
 public:
  explicit Saturation(Window& window) : window_(window), width_(window.threads.size()) {}

  bool run() {
    if (window_.size() * width_ > kClockCellsMax) return true;
    index_by_thread();
    for (unsigned round = 0; round < kSaturationRoundsMax; ++round) {
      if (!compute_clocks()) return false;
      const std::size_t before = window_.edges.size();
      contradiction_ = false;
      if (window_.strength == WitnessStrength::Strict || window_.strength == WitnessStrength::BranchFree)
        order_writes();
      order_sections();
      if (contradiction_) return false;
      if (window_.edges.size() == before) return true;
    }
    return true;
  }

 private:
  using Local = Window::Local;

  // Groups the writes and sections of each slot by thread: along a thread clocks only grow, which permits binary
  // search.
  void index_by_thread() {
    const auto group = [](const auto& slots, auto& grouped, const auto& thread_of) {
      grouped.resize(slots.size());
      for (std::size_t slot = 0; slot < slots.size(); ++slot) {
        for (const auto& item : slots[slot]) {
          auto& groups = grouped[slot];
          if (groups.empty() || thread_of(groups.back().front()) != thread_of(item)) groups.emplace_back();
          groups.back().push_back(item);
        }
      }
    };
    group(window_.writes_of, writes_, [&](Local write) { return window_.thread_of(write); });
    group(window_.sections, sections_, [](const Window::Section& section) { return section.thread; });
  }

  // False if there is a cycle. clock(n)[t]: how many nodes of thread t precede n or are n.
  bool compute_clocks() {
    successors_.assign(window_);
    clocks_.assign(window_.size() * width_, 0);
    return visit_in_order(window_, successors_, [&](Local local) {
      const std::uint32_t thread = window_.thread_of(local);
      std::uint32_t* own = clock(local);
      if (local > window_.first[thread]) join(own, clock(local - 1));
      own[thread] = local - window_.first[thread] + 1;
      for (const Local after : successors_.of(local)) join(clock(after), own);
    });
  }

  std::uint32_t* clock(Local local) { return clocks_.data() + local * width_; }
  void join(std::uint32_t* into, const std::uint32_t* from) const {
    for (std::size_t t = 0; t < width_; ++t) into[t] = std::max(into[t], from[t]);
  }
  bool before(Local a, Local b) {
    const std::uint32_t thread = window_.thread_of(a);
    return a != b && clock(b)[thread] > a - window_.first[thread];
  }
  void add(Local a, Local b) {
    if (a == b || before(b, a))
      contradiction_ = true;
    else if (!before(a, b))
      window_.edges.push_back({a, b});
  }

  void order_writes() {
    for (std::size_t slot = 0; slot < writes_.size(); ++slot) {
      for (const Local read : window_.reads_of[slot]) {
        for (const std::vector<Local>& writes : writes_[slot]) order_writes_of_thread(read, writes);
      }
    }
  }

  void order_writes_of_thread(Local read, const std::vector<Local>& writes) {
    const Local source = window_.reads_from[read];
    // An update writes after it reads, so that its own write does not interfere.
    const auto first_after = std::ranges::partition_point(writes, [&](Local write) { return before(write, read); });
    if (first_after != writes.begin()) {
      const Local last_before = *std::prev(first_after);
      if (source == Window::kNone)
        contradiction_ = true;
      else if (last_before != source)
        add(last_before, source);
    }
    const auto overwriting =
        source == Window::kNone ? writes.begin() : std::ranges::partition_point(writes, [&](Local write) {
          return write == source || !before(source, write);
        });
    if (overwriting != writes.end() && *overwriting != read) add(read, *overwriting);
    if (overwriting != writes.end() && *overwriting == read && std::next(overwriting) != writes.end()) {
      add(read, *std::next(overwriting));
    }
  }

  void order_sections() {
    for (const auto& by_thread : sections_) {
      for (const auto& own : by_thread) {
        for (const Window::Section& section : own) {
          if (section.acquire == Window::kNone || section.release == Window::kNone) continue;
          for (const auto& others : by_thread) {
            if (others.front().thread != section.thread) order_section(section, others);
          }
        }
      }
    }
  }

  void order_section(const Window::Section& section, const std::vector<Window::Section>& others) {
    // The first section of the other thread that ends after this one begins must begin after this one ends.
    auto next = std::ranges::partition_point(others, [&](const Window::Section& other) {
      return other.release != Window::kNone && !before(section.acquire, other.release);
    });
    while (next != others.end() && next->shared && section.shared) ++next;
    if (next == others.end()) return;
    if (next->acquire == Window::kNone)
      contradiction_ = true;
    else if (next->release != Window::kNone)
      add(section.release, next->acquire);
  }

  Window& window_;
  const std::size_t width_;
  std::vector<std::vector<std::vector<Local>>> writes_;              // slot, thread
  std::vector<std::vector<std::vector<Window::Section>>> sections_;  // slot, thread
  Adjacency successors_;
  std::vector<std::uint32_t> clocks_;
  bool contradiction_ = false;
};

}  // namespace

bool saturate(Window& window) { return Saturation(window).run(); }

}  // namespace heddle::predict
