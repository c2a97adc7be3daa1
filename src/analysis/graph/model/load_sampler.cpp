#include "graph/model/load_sampler.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <tuple>

namespace heddle::graph {
namespace {

constexpr std::size_t kRingPages = 64;  // a power of two, within the memory that an ordinary user may lock

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
std::size_t ring_bytes() { return kRingPages * page_bytes(); }

// The event counts this thread and the processes that it forks, from the moment when the program is executed.
int open_event(const LoadEvent& event, std::uint64_t config, bool samples, int processor, int group,
               bool exclude_kernel) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = config;
  attributes.disabled = group == -1;
  attributes.enable_on_exec = group == -1;
  attributes.inherit = 1;
  attributes.exclude_kernel = exclude_kernel;
  attributes.exclude_hv = exclude_kernel;
  if (samples) {
    attributes.config1 = event.config1;
    attributes.precise_ip = event.precise;
    attributes.sample_period = event.period;
    attributes.sample_type = kLoadSampleType;
  }
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, processor, group, PERF_FLAG_FD_CLOEXEC));
}

// Older kernels cannot exclude themselves from AMD's samples. Kernel addresses are in none of the program's modules.
UniqueFd open_event(const LoadEvent& event, std::uint64_t config, bool samples, int processor, int group) {
  const int descriptor = open_event(event, config, samples, processor, group, true);
  if (descriptor >= 0 || errno != EINVAL) return UniqueFd(descriptor);
  return UniqueFd(open_event(event, config, samples, processor, group, false));
}

// After a failed call: false if the processor is offline, else the error for the user.
Result<bool> refusal() {
  if (errno == ENODEV) return false;
  const int problem = errno;
  std::string text = std::string("the kernel does not sample loads here: ") + std::strerror(problem);
  if (problem == EACCES || problem == EPERM) return Error{text + "; type: sysctl kernel.perf_event_paranoid=1"};
  return Error{text + "; use --native, which sees every access, or --model hw, a model of the caches"};
}

}  // namespace

Result<bool> LoadSampler::open(const LoadEvent& event, int processor) {
  Ring ring;
  if (event.leader_config) {
    ring.leader = open_event(event, *event.leader_config, false, processor, -1);
    if (!ring.leader.valid()) return refusal();
  }
  ring.event = open_event(event, event.config, true, processor, ring.leader.get());
  if (!ring.event.valid()) return refusal();
  ring.memory = mmap(nullptr, page_bytes() + ring_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, ring.event.get(), 0);
  if (ring.memory == MAP_FAILED) return refusal();
  rings_.push_back(std::move(ring));
  return true;
}

Result<std::unique_ptr<LoadSampler>> LoadSampler::start(const LoadEvent& event) {
  std::unique_ptr<LoadSampler> sampler(new LoadSampler);
  for (int processor = 0; processor < sysconf(_SC_NPROCESSORS_CONF); ++processor)
    if (const Result<bool> opened = sampler->open(event, processor); !opened) return opened.error();
  return sampler;
}

LoadSampler::~LoadSampler() {
  for (const Ring& ring : rings_) munmap(ring.memory, page_bytes() + ring_bytes());
}

void LoadSampler::drain() {
  for (const Ring& ring : rings_) {
    auto* page = static_cast<perf_event_mmap_page*>(ring.memory);
    const auto* data = static_cast<const std::byte*>(ring.memory) + page_bytes();
    const std::uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
    const std::uint64_t tail = page->data_tail;
    buffer_.resize(head - tail);
    const std::size_t from = tail % ring_bytes();
    const std::size_t first = std::min<std::size_t>(buffer_.size(), ring_bytes() - from);
    std::copy_n(data + from, first, buffer_.begin());
    std::copy_n(data, buffer_.size() - first, buffer_.begin() + static_cast<std::ptrdiff_t>(first));
    std::atomic_ref(page->data_tail).store(head, std::memory_order_release);
    lost_ += decode_samples(buffer_, [this](const LoadSample& sample) {
      if (is_transfer(sample)) transfers_.push_back(sample);
    });
  }
}

std::vector<LoadSample> LoadSampler::take_transfers() {
  std::sort(transfers_.begin(), transfers_.end(), [](const LoadSample& a, const LoadSample& b) {
    return std::tie(a.time, a.thread) < std::tie(b.time, b.thread);
  });
  return std::move(transfers_);
}

}  // namespace heddle::graph
