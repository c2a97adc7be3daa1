#include "graph/model/software_model.h"

#include <algorithm>

#include "graph_rules/edge_table.h"
#include "graph_rules/operation_rules.h"

namespace heddle::graph {

using graph_rules::Cell;

struct SoftwareModel::Store {
  SoftwareModel& model;

  Cell& cell(std::uint64_t granule) { return model.granules_[granule].writer; }
  std::uint64_t& readers(std::uint64_t granule) { return model.granules_[granule].readers; }
  Cell& use(std::uint64_t granule) { return model.granules_[granule].use; }
  Context context(std::uint32_t thread) { return model.contexts_[thread]; }
  void push(std::uint32_t thread, graph_rules::Event event) {
    Context& context = model.contexts_[thread];
    context = graph_rules::push(context, event, model.mask_);
  }
  void add_edge(Cell source, std::uint32_t site, Context context) {
    const std::uint64_t from = graph_rules::make_end(graph_rules::cell_site(source), graph_rules::cell_context(source));
    model.edges_.add(from, graph_rules::make_end(site, context));
  }
};

void SoftwareModel::add(const trace::Event& event) {
  if (event.object == 0) return;
  if (!format::is_access(event.kind)) return operate(event);
  if (!format::touches_memory(event.kind)) return;
  const std::uint64_t size = std::max<std::uint64_t>(trace::access_size(event), 1);
  const graph_rules::Access access{number(event.thread) % graph_rules::kCellThreads, event.site,
                                   format::is_write_access(event.kind), event.object >> granule_shift_,
                                   (event.object + size - 1) >> granule_shift_};
  Store store{*this};
  if (readers_)
    graph_rules::communicate<true>(store, access);
  else
    graph_rules::communicate<false>(store, access);
}

void SoftwareModel::operate(const trace::Event& event) {
  const graph_rules::Role role = graph_rules::role_of(event.kind);
  if (role == graph_rules::Role::None || event.site == 0) return;
  Store store{*this};
  graph_rules::operate(
      store, {number(event.thread) % graph_rules::kCellThreads, event.site, role, event.object >> granule_shift_});
}

Context SoftwareModel::context_of(std::uint32_t thread) const {
  const auto context = contexts_.find(thread);
  return context == contexts_.end() ? 0 : context->second;
}

}  // namespace heddle::graph
