// A new kind of event is one line of format/event_kinds.def. This test is built with a copy of the table that has the
// line HEDDLE_EVENT_KIND(Seize, 22, "seize", Lock, Address, Acquires | Waits), and with no other change: the text form,
// the exports, lock sets, sharing, predictions, dependences and slices treat "seize" as the lock operation that it is.
#include <gtest/gtest.h>

#include <sstream>

#include "graph_rules/operation_rules.h"
#include "predict/model/model_builder.h"
#include "shrink/profile/execution_reduction.h"
#include "slice/log/synchronisation.h"
#include "trace/sharing/held_locks.h"
#include "trace/sharing/shared_sites.h"
#include "trace/text/perfetto_export.h"
#include "trace/text/std_form.h"
#include "trace/text/text_form.h"

namespace heddle {
namespace {

using format::EventKind;

constexpr char kTwoCriticalSections[] =
    "0 t0 fork t1\n"
    "1 t0 seize 0x10\n"
    "2 t0 write 0x50 size=8 site=1\n"
    "3 t0 unlock 0x10\n"
    "4 t1 seize 0x10\n"
    "5 t1 write 0x50 size=8 site=2\n"
    "6 t1 unlock 0x10\n";

trace::Trace two_critical_sections() {
  const Result<trace::Trace> trace = trace::parse_trace_text(std::string("htrace text 1\n") + kTwoCriticalSections);
  EXPECT_TRUE(trace.ok()) << trace.error().message;
  return *trace;
}

TEST(AddedKind, is_read_and_written_as_text) {
  std::string text;
  for (const trace::Event& event : two_critical_sections().events) text += trace::event_text(event) + "\n";
  EXPECT_EQ(text, kTwoCriticalSections);
}

TEST(AddedKind, is_exported_by_its_class) {
  const trace::Trace trace = two_critical_sections();
  std::ostringstream std_form, perfetto;
  const trace::StdNames names;
  trace::StdExporter exporter(trace.tables, names, std_form);
  trace::PerfettoExporter perfetto_exporter(trace.tables, perfetto);
  for (const trace::Event& event : trace.events) {
    EXPECT_TRUE(exporter.add(event).ok());
    perfetto_exporter.add(event);
  }
  perfetto_exporter.finish();
  EXPECT_NE(std_form.str().find("|acq(0x10)|"), std::string::npos) << std_form.str();
  EXPECT_NE(perfetto.str().find(R"("cat":"order","name":"lock")"), std::string::npos) << perfetto.str();
}

TEST(AddedKind, holds_its_lock) {
  const trace::Trace trace = two_critical_sections();
  trace::HeldLocks locks;
  trace::SharedSiteFinder finder;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].kind == EventKind::Write) EXPECT_EQ(locks.of(trace.events[i].thread).size(), 1u);
    locks.add(trace.events[i], i);
    finder.add(trace.events[i]);
  }
  EXPECT_TRUE(finder.result().shared.empty());
}

TEST(AddedKind, excludes_in_predictions) {
  const Result<predict::Model> model = predict::build_model(two_critical_sections());
  ASSERT_TRUE(model.ok());
  ASSERT_EQ(model->locations.size(), 1u);
  const std::vector<predict::NodeId>& writes = model->locations[0];
  ASSERT_EQ(writes.size(), 2u);
  EXPECT_TRUE(model->lock_sets.exclude(model->node(writes[0]).locks, model->node(writes[1]).locks));
}

TEST(AddedKind, depends_on_what_gave_the_lock_up) {
  const trace::Trace trace = two_critical_sections();
  shrink::ExecutionReduction dependences;
  slice::Synchronisation synchronisation;
  slice::Dependences found;
  for (const trace::Event& event : trace.events) {
    dependences.add(event);
    found.clear();
    if (slice::Synchronisation::is_known(event.kind))
      synchronisation.take(event, static_cast<slice::NodeId>(event.step + 1), found);
    if (event.step == 4) {
      ASSERT_EQ(found.nodes().size(), 1u);
      EXPECT_EQ(found.nodes()[0], 4u);  // the unlock
    }
  }
  EXPECT_TRUE(dependences.relevant({1})[3]);
  EXPECT_EQ(graph_rules::role_of(EventKind::Seize), graph_rules::Role::Use);
}

}  // namespace
}  // namespace heddle
