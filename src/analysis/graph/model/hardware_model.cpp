#include "graph/model/hardware_model.h"

#include <algorithm>

#include "graph_rules/edge_table.h"
#include "support/check.h"

namespace heddle::graph {
namespace {

using graph_rules::Event;
using graph_rules::make_end;

constexpr std::uint32_t kCoresMax = 64;

}  // namespace

HardwareCounters& HardwareCounters::operator+=(const HardwareCounters& other) {
  operations += other.operations;
  read_misses += other.read_misses;
  write_misses += other.write_misses;
  coherence_misses += other.coherence_misses;
  metadata_writes += other.metadata_writes;
  table_writes += other.table_writes;
  traps += other.traps;
  discarded += other.discarded;
  return *this;
}

HardwareModel::HardwareModel(const HardwareConfig& config, std::uint32_t context_size)
    : config_(config),
      mask_(graph_rules::context_mask(context_size)),
      sets_(config.cache_bytes / (config.ways << kLineShift)),
      lines_(std::size_t{config.cores} * sets_ * config.ways),
      contexts_(config.cores) {
  HEDDLE_CHECK(config.cores <= kCoresMax && sets_ != 0);
}

void HardwareModel::add(const trace::Event& event) {
  if (!format::touches_memory(event.kind) || event.object == 0) return;
  const std::uint64_t size = std::max<std::uint64_t>(trace::access_size(event), 1);
  const std::uint64_t last = (event.object + size - 1) >> kLineShift;
  for (std::uint64_t line = event.object >> kLineShift; line <= last; ++line)
    access(number(event.thread) % config_.cores, event.site, line, format::is_write_access(event.kind));
}

void HardwareModel::access(std::uint32_t core, std::uint32_t site, std::uint64_t line, bool write) {
  ++counters_.operations;
  ++now_;
  Line* here = find(core, line);
  if (here != nullptr) here->used = now_;
  if (!write) {
    if (here == nullptr) read_miss(core, site, line);
  } else if (here == nullptr || here->state == State::Shared) {
    write_miss(core, site, line, here);
  } else {
    here->state = State::Modified;  // no bus transaction, so the metadata stays
  }
}

HardwareModel::Line* HardwareModel::find(std::uint32_t core, std::uint64_t line) {
  Line* set = &lines_[(std::size_t{core} * sets_ + line % sets_) * config_.ways];
  for (Line* way = set; way != set + config_.ways; ++way)
    if (way->state != State::Invalid && way->tag == line) return way;
  return nullptr;
}

// Replaces the least recently used line of the set, whose metadata is lost.
HardwareModel::Line& HardwareModel::fill(std::uint32_t core, std::uint64_t line, State state, Metadata writer) {
  Line* set = &lines_[(std::size_t{core} * sets_ + line % sets_) * config_.ways];
  Line* victim = set;
  for (Line* way = set; way != set + config_.ways && victim->state != State::Invalid; ++way)
    if (way->state == State::Invalid || way->used < victim->used) victim = way;
  if (victim->state != State::Invalid) {
    std::uint64_t& holders = holders_[victim->tag];
    holders &= ~(std::uint64_t{1} << core);
    if (holders == 0) holders_.erase(victim->tag);
  }
  *victim = {line, writer, now_, state};
  holders_[line] |= std::uint64_t{1} << core;
  return *victim;
}

void HardwareModel::read_miss(std::uint32_t core, std::uint32_t site, std::uint64_t line) {
  ++counters_.read_misses;
  ++counters_.metadata_writes;
  const Metadata sink = make_end(site, contexts_[core]);
  const auto holders = holders_.find(line);
  if (holders == holders_.end()) {
    write_table(make_end(0, 0), sink, true);
    fill(core, line, State::Exclusive, 0);
    return;
  }
  const auto supplier = static_cast<std::uint32_t>(__builtin_ctzll(holders->second));
  Line* supplied = find(supplier, line);
  const Metadata writer = supplied->writer;
  supplied->state = State::Shared;
  write_table(writer, sink, writer != 0);
  push(supplier, Event::RemoteRead);
  push(core, Event::LocalRead);
  fill(core, line, State::Shared, writer);
}

void HardwareModel::write_miss(std::uint32_t core, std::uint32_t site, std::uint64_t line, Line* here) {
  ++(here == nullptr ? counters_.write_misses : counters_.coherence_misses);
  ++counters_.metadata_writes;
  const Metadata own = make_end(site, contexts_[core]);
  Metadata answered = 0;
  const auto holders = holders_.find(line);
  for (std::uint64_t left = holders == holders_.end() ? 0 : holders->second & ~(std::uint64_t{1} << core); left != 0;
       left &= left - 1) {
    const auto holder = static_cast<std::uint32_t>(__builtin_ctzll(left));
    Line* there = find(holder, line);
    // Sharers of one line have the same metadata; it is written once.
    if (there->writer == 0 || there->writer != answered) write_table(there->writer, own, there->writer != 0);
    answered = there->writer;
    there->state = State::Invalid;
    push(holder, Event::RemoteWrite);
  }
  push(core, Event::LocalWrite);
  if (here == nullptr) {
    holders_[line] = 0;
    fill(core, line, State::Modified, own);
    return;
  }
  here->state = State::Modified;
  here->writer = own;
  holders_[line] = std::uint64_t{1} << core;
}

void HardwareModel::push(std::uint32_t core, Event event) {
  contexts_[core] = graph_rules::push(contexts_[core], event, mask_);
}

void HardwareModel::write_table(Metadata source, Metadata sink, bool is_edge) {
  if (now_ < trap_until_) {
    ++counters_.discarded;
    return;
  }
  ++counters_.table_writes;
  if (is_edge) edges_.add(source, sink);
  if (++table_used_ < config_.table_entries) return;
  table_used_ = 0;
  ++counters_.traps;
  trap_until_ = now_ + config_.trap_operations;
}

}  // namespace heddle::graph
