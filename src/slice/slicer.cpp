#include "slice/slicer.h"

#include <algorithm>
#include <tuple>

#include "abi/flow.h"
#include "run/symbolizer.h"
#include "trace/event.h"
#include "trace/ring_event.h"

namespace heddle::slice {
namespace {

using format::EventKind;

bool reads(EventKind kind) {
  return kind == EventKind::Read || kind == EventKind::AtomicRead || kind == EventKind::AtomicUpdate ||
         kind == EventKind::RangeRead;
}

}  // namespace

Slicer::Thread& Slicer::find_thread(std::uint32_t number) {
  while (threads_.size() <= number) threads_.push_back({Invocations(static_cast<std::uint32_t>(threads_.size()), log_)});
  return threads_[number];
}

void Slicer::add_function(std::uint64_t row_address, FunctionFlow flow) {
  flow.index();
  added_.push_back(std::make_unique<FunctionFlow>(std::move(flow)));
  rows_[row_address] = added_.back().get();
  name_accesses(*added_.back());
}

void Slicer::name_accesses(const FunctionFlow& flow) {
  for (std::uint32_t block = 0; block < flow.blocks.size(); ++block)
    for (std::uint32_t i = 0; i < flow.blocks[block].steps.size(); ++i) {
      const Step& step = flow.blocks[block].steps[i];
      if (step.kind == StepKind::Access && !step.is_private) names_[step.name] = {&flow, {block, i}};
    }
}

const FunctionFlow* Slicer::find_flow(std::uint64_t row_address) {
  const auto [found, added] = rows_.try_emplace(row_address, nullptr);
  if (added && result_ != nullptr) {
    if (const format::ModuleReport* module = run::find_module(run::modules_of(*result_), row_address)) {
      const auto [rows, is_new] = modules_.try_emplace(module->path);
      if (is_new) {
        rows->second = read_flow(module->path);
        for (const auto& [address, flow] : rows->second) name_accesses(flow);
        placeless_.clear();
      }
      const auto row = rows->second.find(row_address - module->bias);
      if (row != rows->second.end()) found->second = &row->second;
    }
  }
  recent_rows_[row_address / sizeof(std::uint64_t) % kRecentRows] = {row_address, found->second};
  return found->second;
}

// Names are known once a function of the site's module has been come to, which is before any of its accesses.
const SitePlace& Slicer::find_place(std::uint32_t site) {
  static const SitePlace none;
  if (site >= format::kFirstCallSite) return none;
  if (places_.size() <= site) places_.resize(site + 1);
  if (placeless_.size() <= site) placeless_.resize(site + 1);
  SitePlace& place = places_[site];
  if (placeless_[site]) return place;
  placeless_[site] = true;
  std::uint64_t name = site;
  if (result_ != nullptr) {
    if (sites_ == nullptr) sites_ = std::make_unique<run::SiteTable>(*result_);
    const run::Site* row = sites_->find(site);
    if (row == nullptr) {
      sites_ = std::make_unique<run::SiteTable>(*result_);  // a library that was loaded since
      row = sites_->find(site);
    }
    if (row == nullptr) return place;
    name = row->name_hash;
  }
  const auto found = names_.find(name);
  if (found != names_.end()) place = found->second;
  return place;
}

void Slicer::consume(std::span<const std::uint64_t> words) {
  while (!words.empty()) {
    if (decoder_.at_record()) {
      const std::size_t taken = take_in_place(words);
      decoder_.skip(taken);
      words = words.subspan(taken);
      if (words.empty()) return;
    }
    words = words.subspan(decoder_.decode_one(words, [this](const trace::RingRecord& record) {
      if (collector_ != nullptr) collector_->take(record);
      take(record);
    }));
  }
}

// Nearly all there is: blocks, and accesses told in short. How many words of such records `words` begins with, all of one thread.
std::size_t Slicer::take_in_place(std::span<const std::uint64_t> words) {
  constexpr std::size_t kBlockWords = 3;
  constexpr std::uint64_t kBlockHead = format::ring_head(EventKind::Branch, format::kHasValue, 0, 0);
  Invocations& self = thread(number(decoder_.current_thread())).invocations;
  std::size_t at = 0;
  std::uint64_t records = 0;
  for (; words.size() - at >= kBlockWords; ++records) {
    const std::uint64_t head = words[at];
    if (format::is_compact(head)) {
      const ShortAccess& access = short_accesses_[format::compact_slot_of(head)];
      if (access.place.flow == nullptr) break;
      const InvocationId invocation = self.at_access(*access.place.flow, access.place.place);
      if (invocation == kNoInvocation) break;
      log_.add_access(access.form, format::compact_address(head), invocation);
      ++at;
    } else {
      if (static_cast<std::uint32_t>(head) != kBlockHead) break;
      const std::uint64_t row = words[at + 1], base = words[at + 2];
      const auto point = static_cast<std::uint32_t>(head >> 32);
      if (!self.move_inside(row, point, base)) {
        const FunctionFlow* flow = flow_at(row);
        if (flow == nullptr) break;
        has_flow_ = true;
        self.come_to(*flow, row, point, base);
      }
      at += kBlockWords;
    }
  }
  records_ += records;
  return at;
}

void Slicer::take(const trace::RingRecord& record) {
  ++records_;
  if (format::is_access(record.kind)) return take_access(record);
  switch (record.kind) {
    case EventKind::Branch:
      if (record.size != 0) return take_private_access(record);
      if (const FunctionFlow* flow = flow_at(record.object)) {
        has_flow_ = true;
        thread(number(record.thread)).invocations.come_to(*flow, record.object, record.site, record.value);
      }
      return;
    case EventKind::Iteration:
      return take_iteration(record);
    case EventKind::Alloc:
    case EventKind::Free:
      return take_memory(record);
    default:
      if (Synchronisation::is_known(record.kind)) take_synchronisation(record);
  }
}

void Slicer::take_access(const trace::RingRecord& record) {
  Invocations& self = thread(number(record.thread)).invocations;
  const SitePlace& place = place_of(record.site);
  InvocationId invocation = place.flow != nullptr ? self.at_access(*place.flow, place.place) : kNoInvocation;
  std::uint8_t flags = reads(record.kind) ? entry::kReads : 0;
  if (format::is_write_access(record.kind)) flags |= entry::kWrites;
  if (invocation == kNoInvocation) {
    flags |= entry::kPlaceless;
    invocation = self.current();
  }
  const std::uint64_t size = trace::access_size(trace::event_of(record));
  log_.add_access(flags, record.object, size, invocation, record.site);
  if (format::is_introduction(format::ring_head(record.kind, record.flags, record.size, record.site)))
    learn_short_access(record.site, place, flags, size);
}

void Slicer::learn_short_access(std::uint32_t site, const SitePlace& place, std::uint8_t flags, std::uint64_t size) {
  ShortAccess& access = short_accesses_[format::compact_slot(site)];
  access = {};
  if (place.flow == nullptr) return;
  if (const AccessForm form = log_.form_of(static_cast<std::uint8_t>(flags & ~entry::kPlaceless), size, site))
    access = {place, form};
}

void Slicer::take_private_access(const trace::RingRecord& record) {
  Invocations& self = thread(number(record.thread)).invocations;
  const Step* step = nullptr;
  InvocationId invocation = self.at_private_access(record.site, step);
  const bool write = record.size == HEDDLE_PRIVATE_EVENT_WRITE;
  std::uint8_t flags = entry::kPrivate;
  if (write) flags |= entry::kWrites;
  if (!write || (step != nullptr && step->slot != kNoSlot)) flags |= entry::kReads;
  if (step == nullptr) {
    flags |= entry::kPlaceless;
    invocation = self.current();
  }
  log_.add_access(flags, record.object, std::min(record.value, trace::kRangeMax), invocation, record.site);
}

void Slicer::take_synchronisation(const trace::RingRecord& record) {
  Thread& self = thread(number(record.thread));
  const NodeId lock = synchronisation_.innermost_lock(number(record.thread));
  const NodeId wait = synchronisation_.last_wait(number(record.thread));
  const NodeId node = log_.next_synchronisation();
  found_.clear();
  synchronisation_.take(record, node, found_);
  log_.add_synchronisation(self.invocations.current(), record.site, lock, wait, found_);
  if (record.kind == EventKind::Begin) self.beginning = node;
}

void Slicer::take_memory(const trace::RingRecord& record) {
  if (record.kind == EventKind::Alloc) {
    allocated_[record.object] = record.value;
    return;
  }
  const auto known = allocated_.find(record.object);
  if (known == allocated_.end()) return;
  log_.add_free(record.object, known->second, thread(number(record.thread)).invocations.current(), record.site);
  allocated_.erase(known);
}

void Slicer::take_iteration(const trace::RingRecord& record) {
  if ((record.flags & format::kFailed) != 0) return;  // it was left out
  const std::uint32_t thread = number(record.thread);
  const auto at = static_cast<std::uint32_t>(record.value);
  if ((record.flags & format::kAfter) == 0) {
    open_iterations_[{thread, record.object}].push_back(iterations_.size());
    iterations_.push_back({thread, record.object, at, log_.next(), ~std::uint32_t{0}});
    return;
  }
  std::vector<std::size_t>& open = open_iterations_[{thread, record.object}];
  if (open.empty()) return;
  iterations_[open.back()].end = log_.next();
  open.pop_back();
}

Slice Slicer::slice(const std::vector<std::uint32_t>& failed, Relations relations) {
  for (const std::uint32_t number : failed) thread(number);
  std::vector<ThreadEnd> ends;
  for (std::uint32_t i = 0; i < threads_.size(); ++i) {
    const Invocations& self = threads_[i].invocations;
    ends.push_back({self.current(), self.is_inside() ? self.place() : FunctionFlow::Place{}, threads_[i].beginning,
                    synchronisation_.innermost_lock(i), synchronisation_.last_wait(i)});
  }
  BackwardPass pass(log_, places_, ends, relations);
  for (const std::uint32_t number : failed) pass.want_end_of(number);
  Slice result;
  result.events = log_.events();
  result.by_event.resize(log_.events());
  std::vector<std::vector<std::uint32_t>> of_thread(threads_.size());  // places in the log, descending
  std::vector<std::uint64_t> of_site, events_of_thread(threads_.size());
  pass.run([&](std::uint32_t at, const Entry& entry, std::uint32_t thread, std::uint64_t event) {
    of_thread[thread].push_back(at);
    if (event == ExecutionLog::kNoEvent) return;
    ++result.relevant;
    ++events_of_thread[thread];
    result.by_event[event] = true;
    if (entry.number >= format::kFirstCallSite) return;
    if (of_site.size() <= entry.number) of_site.resize(entry.number + 1);
    ++of_site[entry.number];
  });
  for (std::uint32_t site = 1; site < of_site.size(); ++site)
    if (of_site[site] != 0) result.relevant_sites[site] = of_site[site];
  for (std::uint32_t thread = 0; thread < of_thread.size(); ++thread) {
    std::reverse(of_thread[thread].begin(), of_thread[thread].end());
    if (events_of_thread[thread] != 0) result.relevant_threads[thread] = events_of_thread[thread];
  }
  for (const Iteration& iteration : iterations_) {
    const std::vector<std::uint32_t>& entries = of_thread[iteration.thread];
    const auto first = std::lower_bound(entries.begin(), entries.end(), iteration.begin);
    result.iterations.push_back({iteration.thread, iteration.loop, iteration.number,
                                 first != entries.end() && *first < iteration.end});
  }
  return result;
}

}  // namespace heddle::slice
