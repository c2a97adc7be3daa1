#include "graph/software_model.h"

#include <algorithm>

#include "communication/edge_table.h"
#include "communication/operation_rules.h"

namespace heddle::graph {

using communication::Cell;

struct SoftwareModel::Store {
  SoftwareModel& model;

  Cell& cell(std::uint64_t granule) { return model.granules_[granule].writer; }
  std::uint64_t& readers(std::uint64_t granule) { return model.granules_[granule].readers; }
  Cell& use(std::uint64_t granule) { return model.granules_[granule].use; }
  Context context(std::uint32_t thread) { return model.contexts_[thread]; }
  void push(std::uint32_t thread, communication::Event event) {
    Context& context = model.contexts_[thread];
    context = communication::push(context, event, model.mask_);
  }
  void add_edge(Cell source, std::uint32_t site, Context context) {
    const std::uint64_t from =
        communication::make_end(communication::cell_site(source), communication::cell_context(source));
    model.edges_.add(from, communication::make_end(site, context));
  }
};

void SoftwareModel::add(const trace::Event& event) {
  if (event.object == 0) return;
  if (!format::is_access(event.kind)) return operate(event);
  if (event.kind == format::EventKind::Fence) return;
  const std::uint64_t size = std::max<std::uint64_t>(trace::access_size(event), 1);
  const communication::Access access{number(event.thread) % communication::kCellThreads, event.site,
                                     format::is_write_access(event.kind), event.object >> granule_shift_,
                                     (event.object + size - 1) >> granule_shift_};
  Store store{*this};
  if (readers_)
    communication::communicate<true>(store, access);
  else
    communication::communicate<false>(store, access);
}

void SoftwareModel::operate(const trace::Event& event) {
  const communication::Role role = communication::role_of(event.kind);
  if (role == communication::Role::None || event.site == 0) return;
  Store store{*this};
  communication::operate(
      store, {number(event.thread) % communication::kCellThreads, event.site, role, event.object >> granule_shift_});
}

Context SoftwareModel::context_of(std::uint32_t thread) const {
  const auto context = contexts_.find(thread);
  return context == contexts_.end() ? 0 : context->second;
}

}  // namespace heddle::graph
