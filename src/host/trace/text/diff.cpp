#include "trace/text/diff.h"

#include <deque>

namespace heddle::trace {
namespace {

// One event at a time.
class EventStream {
 public:
  explicit EventStream(TraceReader& reader) : reader_(reader) {}

  const Event* next() {
    if (block_.empty()) block_ = reader_.next();
    if (block_.empty()) return nullptr;
    const Event* event = &block_.front();
    block_ = block_.subspan(1);
    return event;
  }

 private:
  TraceReader& reader_;
  std::span<const Event> block_;
};

bool same_site(const TraceTables& left, SiteId left_id, const TraceTables& right, SiteId right_id) {
  const TraceSite* left_site = left.find_site(left_id);
  const TraceSite* right_site = right.find_site(right_id);
  if (left_site == nullptr || right_site == nullptr || left_site->name.empty()) return left_id == right_id;
  return left_site->name == right_site->name;
}

class EventComparison {
 public:
  EventComparison(const TraceTables& left, const TraceTables& right)
      : left_(left), right_(right), same_sites_(left.sites == right.sites) {}

  bool equal(const Event& a, const Event& b) const {
    if (same_sites_) return a == b;
    return a.step == b.step && differing_fields(a, b).empty();
  }

  std::vector<std::string> differing_fields(const Event& a, const Event& b) const {
    std::vector<std::string> fields;
    const auto note = [&](bool differs, const char* field) {
      if (differs) fields.emplace_back(field);
    };
    note(a.thread != b.thread, "thread");
    note(a.kind != b.kind, "kind");
    if (a.kind == format::EventKind::Switch && b.kind == a.kind) {
      const Switch left = as_switch(a);
      const Switch right = as_switch(b);
      note(left.to != right.to, "object");
      note(left.points != right.points, "points");
      note(left.check != right.check, "check");
      note(left.kind != right.kind || !same_site(left_, left.site, right_, right.site), "value");
    } else {
      note(a.object != b.object, "object");
      const bool is_branch = a.kind == format::EventKind::Branch && b.kind == a.kind;
      note(is_branch ? a.site != b.site : !same_site(left_, a.site_id(), right_, b.site_id()), "site");
      note(a.value != b.value, "value");
    }
    note(a.size != b.size, "size");
    note(a.flags != b.flags, "flags");
    return fields;
  }

 private:
  const TraceTables& left_;
  const TraceTables& right_;
  bool same_sites_;
};

}  // namespace

std::optional<TraceDifference> find_first_difference(TraceReader& left, TraceReader& right,
                                                     std::size_t context_events) {
  EventStream left_events(left);
  EventStream right_events(right);
  const EventComparison comparison(left.tables(), right.tables());
  std::deque<Event> before;
  for (;;) {
    const Event* a = left_events.next();
    const Event* b = right_events.next();
    if (a == nullptr && b == nullptr) return std::nullopt;
    if (a == nullptr || b == nullptr || !comparison.equal(*a, *b)) {
      TraceDifference difference;
      difference.before.assign(before.begin(), before.end());
      // One trace has a gap if its next event has a later step.
      if (a != nullptr && b != nullptr && a->step != b->step) (a->step > b->step ? a : b) = nullptr;
      if (a != nullptr) difference.left = *a;
      if (b != nullptr) difference.right = *b;
      difference.step = a != nullptr ? a->step : b->step;
      if (a != nullptr && b != nullptr) difference.fields = comparison.differing_fields(*a, *b);
      return difference;
    }
    if (before.size() == context_events && !before.empty()) before.pop_front();
    if (context_events > 0) before.push_back(*a);
  }
}

}  // namespace heddle::trace
