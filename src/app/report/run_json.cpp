#include "report/run_json.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/findings/source_units_report.h"

namespace heddle::report {
namespace {

Json thread_json(const run::ThreadState& thread) {
  Json json;
  json["thread"] = thread.thread;
  json["name"] = thread.name;
  json["waits_for"] = nullable(thread.waits_for);
  json["object"] = thread.object_number;
  json["held_by"] = nullable(thread.holder);
  json["stack"] = stack_json(thread.stack);
  return json;
}

}  // namespace

std::string hash_text(std::uint64_t event_hash) { return fmt::format("{:016x}", event_hash); }

Json outcome_json(const run::Outcome& outcome) {
  Json json;
  json["kind"] = run::outcome_word(outcome.kind);
  json["signature"] = outcome.signature;
  json["message"] = outcome.message;
  json["exit_code"] = outcome.exit_code;
  json["signal"] = outcome.signal == 0 ? Json(nullptr) : Json(run::signal_word(outcome.signal));
  return json;
}

Json stack_json(const std::vector<binary::SourceFrame>& stack) {
  Json frames = Json::array();
  for (const binary::SourceFrame& frame : stack) {
    if (run::is_of_runtime(frame)) continue;
    frames.push_back({{"function", frame.function},
                      {"file", frame.file},
                      {"line", frame.line},
                      {"module", frame.module},
                      {"inlined", frame.inlined}});
  }
  return frames;
}

Json divergence_json(const std::optional<run::DivergenceReport>& divergence) {
  if (!divergence) return nullptr;
  return {{"step", divergence->step},
          {"run", divergence->run},
          {"expected", nullable(divergence->expected)},
          {"runnable", divergence->runnable},
          {"what", divergence->what}};
}

std::vector<std::string> uninstrumented_modules(const run::RunReport& report) {
  std::vector<std::string> paths;
  for (const clip::ModuleIdentity& module : report.modules) {
    const std::string name = module.path.substr(module.path.rfind('/') + 1);
    const bool expected = !module.path.starts_with('/') || name.starts_with("libc.so") ||
                          name.starts_with("ld-linux") || name.starts_with("libheddle_rt") ||
                          name.starts_with("libm.so") || name.starts_with("libpthread.so") ||
                          name.starts_with("libdl.so") || name.starts_with("librt.so") ||
                          name.starts_with("libresolv.so") || name.starts_with("libgcc_s.so");
    if (!module.instrumented && !expected) paths.push_back(module.path);
  }
  return paths;
}

Json early_timeouts_json(const run::RunReport& report) {
  Json json = Json::array();
  for (const run::EarlyTimeout& early : report.early) {
    const binary::SourceFrame* frame = run::first_own_frame(early.stack);
    json.push_back({{"thread", early.thread},
                    {"milliseconds", static_cast<double>(early.ns) / 1e6},
                    {"file", frame != nullptr ? Json(frame->file) : Json()},
                    {"line", frame != nullptr ? Json(frame->line) : Json()}});
  }
  return json;
}

Json run_json(const run::RunOptions& options, const run::RunReport& report, const clip::SourceUnits& units,
              const std::string& clip_path) {
  Json json;
  json["outcome"] = outcome_json(report.outcome);
  json["thread"] = nullable(report.thread);
  json["stack"] = stack_json(report.stack);
  json["threads_at_end"] = Json::array();
  for (const run::ThreadState& thread : report.threads_at_end) json["threads_at_end"].push_back(thread_json(thread));
  json["events"] = report.events;
  json["switches"] = report.switches;
  json["preemptions"] = report.preemptions;
  json["threads"] = report.threads;
  json["early_timeouts"] = early_timeouts_json(report);
  json["seconds"] = report.seconds;
  json["event_hash"] = hash_text(report.event_hash);
  json["engine"] = run::engine_word(options.engine);
  json["strategy"] = run::strategy_word(options.strategy);
  json["seed"] = options.seed;
  json["clip"] = nullable(clip_path);
  json["trace"] = nullable(options.record_path);
  json["uninstrumented"] = uninstrumented_modules(report);
  json["assertions"] = assertions_json(units);
  json["synchronisation_only"] = options.preload;
  json["problems"] = report.problems;
  return json;
}

Json replay_json(const run::ReplayReport& report) {
  Json json;
  json["verdict"] = run::verdict_word(report.verdict);
  json["exact"] = report.exact;
  json["runs"] = report.runs;
  json["reproduced_runs"] = report.reproduced_runs;
  json["preemptions_met"] = report.preemptions_met;
  json["preemptions_total"] = report.preemptions_total;
  json["event_hash"] = hash_text(report.event_hash);
  json["divergence"] = divergence_json(report.last.divergence);
  json["outcome"] = outcome_json(report.last.outcome);
  json["stack"] = stack_json(report.last.stack);
  json["assertions"] = assertions_json(report.units);
  json["problems"] = report.problems;
  return json;
}

std::string dump(const Json& document) { return document.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace heddle::report
