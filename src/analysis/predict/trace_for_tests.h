#pragma once
// Traces for tests, from the STD form or the text form of traces.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "predict/model/model_builder.h"
#include "predict/predictor.h"
#include "trace/text/std_form.h"
#include "trace/text/trace_for_tests.h"

namespace heddle::predict {

inline trace::Trace std_trace(const std::string& text) {
  Result<trace::StdTrace> imported = trace::import_std(text);
  EXPECT_TRUE(imported.ok()) << imported.error().message;
  return std::move(imported->trace);
}

using trace::text_trace;

inline Model model_of(const trace::Trace& trace) {
  Result<Model> model = build_model(trace);
  EXPECT_TRUE(model.ok());
  return std::move(*model);
}

// The first node of the event at `step`; kNoNode if the event has none.
inline NodeId node_at(const Model& model, std::uint32_t step) {
  for (NodeId id = 0; id < model.nodes.size(); ++id)
    if (model.node(id).step == step) return id;
  return kNoNode;
}

// The steps of the schedule; for a meeting they end with `anomaly`. Defined in witness_test.cpp.
std::vector<trace::StepIndex> expand(const Witness& witness, const std::vector<trace::Event>& trace);

}  // namespace heddle::predict
