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

inline Goal meeting(const Model& model, std::uint32_t a, std::uint32_t b) {
  return {Goal::Shape::Together, {node_at(model, a), node_at(model, b)}};
}

inline Goal in_order(const Model& model, const std::vector<std::uint32_t>& steps) {
  Goal goal{Goal::Shape::InOrder};
  for (std::uint8_t i = 0; i < steps.size(); ++i) {
    goal.events.push_back(node_at(model, steps[i]));
    if (i > 0) goal.before.emplace_back(static_cast<std::uint8_t>(i - 1), i);
  }
  return goal;
}

}  // namespace heddle::predict
