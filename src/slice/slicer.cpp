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

bool is_event(EventKind kind) { return kind != EventKind{} && kind != EventKind::Branch; }

}  // namespace

Invocations& Slicer::invocations(std::uint32_t thread) {
  while (threads_.size() <= thread)
    threads_.push_back(
        std::make_unique<Invocations>(static_cast<std::uint32_t>(threads_.size()), graph_, synchronisation_));
  return *threads_[thread];
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

const FunctionFlow* Slicer::flow_at(std::uint64_t row_address) {
  if (row_address == last_row_) return last_flow_;
  const auto [found, added] = rows_.try_emplace(row_address, nullptr);
  if (added && result_ != nullptr) {
    if (const format::ModuleReport* module = run::find_module(run::modules_of(*result_), row_address)) {
      const auto [rows, is_new] = modules_.try_emplace(module->path);
      if (is_new) {
        rows->second = read_flow(module->path);
        for (const auto& [address, flow] : rows->second) name_accesses(flow);
        bindings_.clear();
      }
      const auto row = rows->second.find(row_address - module->bias);
      if (row != rows->second.end()) found->second = &row->second;
    }
  }
  last_row_ = row_address;
  return last_flow_ = found->second;
}

// Names are known once a function of the site's module has been come to, which is before any of its accesses.
const Slicer::Binding& Slicer::binding_of(std::uint32_t site) {
  static const Binding none;
  if (site >= format::kFirstCallSite) return none;
  if (bindings_.size() <= site) bindings_.resize(site + 1);
  Binding& binding = bindings_[site];
  if (binding.known) return binding;
  binding.known = true;
  std::uint64_t name = site;
  if (result_ != nullptr) {
    if (sites_ == nullptr) sites_ = std::make_unique<run::SiteTable>(*result_);
    const run::Site* row = sites_->find(site);
    if (row == nullptr) {
      sites_ = std::make_unique<run::SiteTable>(*result_);  // a library that was loaded since
      row = sites_->find(site);
    }
    if (row == nullptr) return binding;
    name = row->name_hash;
  }
  const auto found = names_.find(name);
  if (found != names_.end()) std::tie(binding.flow, binding.place) = found->second;
  return binding;
}

NodeId Slicer::add_event(const trace::RingRecord& record, const Dependences& found) {
  return graph_.add({record.site, number(record.thread), record.kind}, found);
}

void Slicer::take(const trace::RingRecord& record) {
  ++records_;
  if (format::is_access(record.kind)) return take_access(record);
  switch (record.kind) {
    case EventKind::Branch:
      if (record.size != 0) return take_private_access(record);
      if (const FunctionFlow* flow = flow_at(record.object)) {
        has_flow_ = true;
        invocations(number(record.thread)).come_to(*flow, record.site, record.value);
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
  const std::uint32_t thread = number(record.thread);
  Invocations& self = invocations(thread);
  const Binding& binding = binding_of(record.site);
  found_.clear();
  const Step* step = binding.flow != nullptr ? self.begin_access(*binding.flow, binding.place, found_) : nullptr;
  // Of code that tells nothing, everything that it did before may matter.
  if (step == nullptr) found_.add(self.last());
  self.add_context(found_);
  const std::uint64_t size = trace::access_size(trace::event_of(record));
  const NodeId node = graph_.next();
  if (reads(record.kind)) memory_.read(record.object, size, thread, node, found_);
  if (format::is_write_access(record.kind)) memory_.write(record.object, size, thread, node, found_);
  add_event(record, found_);
  self.finish_access(step, node);
}

void Slicer::take_private_access(const trace::RingRecord& record) {
  const std::uint32_t thread = number(record.thread);
  Invocations& self = invocations(thread);
  found_.clear();
  const Step* step = self.begin_private_access(record.site, found_);
  if (step == nullptr) found_.add(self.last());
  self.add_context(found_);
  const bool write = record.size == HEDDLE_PRIVATE_EVENT_WRITE;
  const std::uint64_t size = std::min(record.value, trace::kRangeMax);
  const NodeId node = graph_.next();
  if (!write || (step != nullptr && step->slot != kNoSlot)) memory_.read(record.object, size, thread, node, found_);
  if (write) memory_.write(record.object, size, thread, node, found_);
  // Nobody else can see it: in the trace it is no event.
  graph_.add({0, thread, {}}, found_);
  self.finish_access(step, node);
}

void Slicer::take_synchronisation(const trace::RingRecord& record) {
  Invocations& self = invocations(number(record.thread));
  found_.clear();
  self.add_call(found_);
  if (!has_flow_) found_.add(self.last());
  self.add_context(found_);
  const NodeId node = graph_.next();
  synchronisation_.take(record, node, found_);
  add_event(record, found_);
  if (record.kind == EventKind::Begin) self.set_beginning(node);
  self.set_last(node);
}

void Slicer::take_memory(const trace::RingRecord& record) {
  const std::uint32_t thread = number(record.thread);
  Invocations& self = invocations(thread);
  if (record.kind == EventKind::Alloc) {
    allocated_[record.object] = record.value;
    return;
  }
  const auto known = allocated_.find(record.object);
  if (known == allocated_.end()) return;
  found_.clear();
  self.add_call(found_);
  self.add_context(found_);
  memory_.free(record.object, known->second, thread, graph_.next(), found_);
  allocated_.erase(known);
  self.set_last(add_event(record, found_));
}

void Slicer::take_iteration(const trace::RingRecord& record) {
  const std::uint32_t thread = number(record.thread);
  const auto at = static_cast<std::uint32_t>(record.value);
  if ((record.flags & format::kAfter) == 0) {
    last_iteration_[{thread, record.object}] = iterations_.size();
    iterations_.push_back({thread, record.object, at, graph_.next(), ~NodeId{0}});
    return;
  }
  const auto last = last_iteration_.find({thread, record.object});
  if (last != last_iteration_.end() && iterations_[last->second].number == at) iterations_[last->second].end = graph_.next();
}

Slice Slicer::slice(const std::vector<std::uint32_t>& failed) {
  std::vector<NodeId> criteria;
  for (const std::uint32_t thread : failed) {
    Invocations& self = invocations(thread);
    found_.clear();
    found_.add(self.last());
    self.add_context(found_);
    criteria.insert(criteria.end(), found_.nodes().begin(), found_.nodes().end());
  }
  const std::vector<bool> reached = graph_.reached_from(criteria);
  Slice result;
  std::vector<std::vector<NodeId>> of_thread(threads_.size());
  std::vector<std::uint64_t> of_site;
  for (NodeId id = 1; id < graph_.next(); ++id) {
    const Node node = graph_.node(id);
    if (!is_event(node.kind)) continue;
    ++result.events;
    result.by_event.push_back(reached[id]);
    if (!reached[id]) continue;
    ++result.relevant;
    of_thread[node.thread].push_back(id);
    if (node.site >= format::kFirstCallSite) continue;
    if (of_site.size() <= node.site) of_site.resize(node.site + 1);
    ++of_site[node.site];
  }
  for (std::uint32_t site = 1; site < of_site.size(); ++site)
    if (of_site[site] != 0) result.relevant_sites[site] = of_site[site];
  for (std::uint32_t thread = 0; thread < of_thread.size(); ++thread)
    if (!of_thread[thread].empty()) result.relevant_threads[thread] = of_thread[thread].size();
  for (const Iteration& iteration : iterations_) {
    const std::vector<NodeId>& nodes = of_thread[iteration.thread];
    const auto first = std::lower_bound(nodes.begin(), nodes.end(), iteration.begin);
    result.iterations.push_back({iteration.thread, iteration.loop, iteration.number,
                                 first != nodes.end() && *first < iteration.end});
  }
  return result;
}

}  // namespace heddle::slice
