#include "graph/run_source.h"

#include <algorithm>
#include <optional>

#include "binary/sections/site_names.h"
#include "explore/portfolio.h"
#include "graph/model/load_sampler.h"
#include "graph/model/transfer_model.h"
#include "run/process/fork_server.h"
#include "run/process/launcher.h"
#include "run/verdict/predicate.h"

namespace heddle::graph {
namespace {

constexpr std::uint32_t kHosts = 16;

run::SessionInputs plan_inputs(const CollectOptions& options, std::uint64_t index, const explore::Profile& profile) {
  run::SessionInputs inputs;
  inputs.config.steps_max = options.run.steps_max;
  if (options.strategy == format::StrategyKind::RoundRobin) {
    inputs.config.strategy = format::StrategyKind::RoundRobin;
    inputs.config.quantum = options.run.quantum != 0 ? options.run.quantum : run::kRoundRobinQuantumDefault;
    return inputs;
  }
  const explore::PlannedSchedule planned = explore::plan_schedule(options.seed, index, profile, options.strategy);
  inputs.config.strategy = planned.strategy;
  inputs.config.seed = planned.seed;
  inputs.config.quantum = planned.quantum;
  inputs.config.depth = planned.depth;
  inputs.config.length = planned.length;
  return inputs;
}

// Modules are read once, as long as no other is loaded.
class KnownSites {
 public:
  std::shared_ptr<const CodeSites> of(const format::SessionResult& result) {
    if (sites_ == nullptr || modules_ != result.module_count) {
      sites_ = std::make_shared<const CodeSites>(result);
      modules_ = result.module_count;
    }
    return sites_;
  }

 private:
  std::shared_ptr<const CodeSites> sites_;
  std::uint32_t modules_ = 0;
};

// Of runs that are copies of one process: its addresses are theirs, and a row once written stays.
class KnownCallSites {
 public:
  std::shared_ptr<const CallSites> of(const CodeSites& accesses, const run::SessionMemory& memory) {
    const std::uint64_t rows = memory.session().graph.call_sites.load(std::memory_order_acquire);
    if (sites_ == nullptr || rows_ != rows) {
      sites_ =
          std::make_shared<const CallSites>(accesses, symbolizer_, memory.session().result, memory.graph_call_sites());
      rows_ = rows;
    }
    return sites_;
  }

 private:
  binary::Symbolizer symbolizer_;
  std::shared_ptr<const CallSites> sites_;
  std::uint64_t rows_ = 0;
};

// Hears the events of a run as the machine would.
class HardwareListener final : public run::EventObserver {
 public:
  explicit HardwareListener(const CollectOptions& options) : model_(config_of(options)) {}
  const HardwareModel& model() const { return model_; }

 private:
  static HardwareConfig config_of(const CollectOptions& options) {
    HardwareConfig config = options.hardware;
    config.context_size = options.context_size;
    return config;
  }

  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events) model_.add(event);
  }

  HardwareModel model_;
};

// Copies of one process that stands before main.
class ServedRuns final : public RunSource {
 public:
  explicit ServedRuns(const CollectOptions& options) : options_(options) {}

  Status start(const binary::ProgramFile& program) {
    run::ServerOptions server;
    server.hosts = kHosts;
    server.record = options_.model == Model::Hardware;
    server.graph = graph_config(options_);
    Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program, options_.run, server);
    if (!started) return started.error();
    server_ = std::move(*started);
    before_main_ = read_edges(server_->memory().graph());
    return ok_status();
  }

  Result<ObservedRun> make(std::uint64_t index) override {
    server_->clear_graph();
    std::optional<HardwareListener> hardware;
    if (options_.model == Model::Hardware) hardware.emplace(options_);
    const Result<run::ServedRun> served =
        server_->run(plan_inputs(options_, index, profile_), 0, {}, hardware ? &*hardware : nullptr);
    if (!served) return served.error();
    ObservedRun made;
    made.outcome = served->outcome;
    made.interrupted = served->interrupted;
    made.steps = served->progress.steps;
    made.edges = before_main_;
    const std::vector<RunEdge> edges = read_edges(server_->memory().graph());
    made.edges.insert(made.edges.end(), edges.begin(), edges.end());
    if (hardware) {
      made.edges = hardware->model().edges();
      made.hardware = hardware->model().counters();
    }
    made.dropped = server_->memory().session().graph.dropped;
    made.sites = sites_.of(server_->last_result());
    made.call_sites = call_sites_.of(*made.sites, server_->memory());
    return made;
  }

 private:
  const CollectOptions& options_;
  const explore::Profile profile_;
  std::unique_ptr<run::ForkServer> server_;
  std::vector<RunEdge> before_main_;
  KnownSites sites_;
  KnownCallSites call_sites_;
};

class EdgeReader final : public run::SessionWatcher {
 public:
  EdgeReader(LoadSampler* sampler, KnownSites& sites, binary::Symbolizer& symbolizer)
      : sampler_(sampler), sites_(sites), symbolizer_(symbolizer) {}
  void look(const run::SessionMemory&) override {
    if (sampler_ != nullptr) sampler_->drain();
  }
  void end(const run::SessionMemory& memory) override {
    if (sampler_ != nullptr) sampler_->drain();
    edges = read_edges(memory.graph());
    sites = sites_.of(memory.session().result);
    call_sites =
        std::make_shared<const CallSites>(*sites, symbolizer_, memory.session().result, memory.graph_call_sites());
    dropped = memory.session().graph.dropped;
  }
  std::vector<RunEdge> edges;
  std::shared_ptr<const CodeSites> sites;
  std::shared_ptr<const CallSites> call_sites;
  std::uint64_t dropped = 0;

 private:
  LoadSampler* const sampler_;  // may be null
  KnownSites& sites_;
  binary::Symbolizer& symbolizer_;
};

// What the processor saw of a run.
void use_samples(LoadSampler& sampler, std::uint32_t context_size, const format::SessionResult& result, ObservedRun& made) {
  TransferModel model(context_size);
  for (const LoadSample& sample : sampler.take_transfers()) model.add(sample);
  made.edges = model.edges();
  made.sites = std::make_shared<const CodeSites>(result, model.instructions());
  made.dropped = sampler.lost();
}

// A process for each: native runs, and what cannot be copied.
class LaunchedRuns final : public RunSource {
 public:
  LaunchedRuns(const binary::ProgramFile& program, const CollectOptions& options) : program_(program), options_(options) {}

  Result<ObservedRun> make(std::uint64_t index) override {
    run::RunOptions run = options_.run;
    run::SessionInputs inputs = plan_inputs(options_, index, {});
    run::set_schedule(run, inputs.config);
    inputs.config = run::session_config(run);
    inputs.armed_names = binary::site_name_hashes(run.armed);
    inputs.graph = graph_config(options_);
    std::unique_ptr<LoadSampler> sampler;
    if (options_.load_event) {
      Result<std::unique_ptr<LoadSampler>> started = LoadSampler::start(*options_.load_event);
      if (!started) return started.error();
      sampler = std::move(*started);
    }
    EdgeReader reader(sampler.get(), sites_, symbolizer_);
    std::optional<HardwareListener> hardware;
    if (options_.model == Model::Hardware && !sampler) {
      hardware.emplace(options_);
      inputs.config.flags |= format::kRecordEvents;
    }
    const Result<run::Execution> execution = run::launch(program_, run, inputs, hardware ? &*hardware : nullptr, &reader);
    if (!execution) return execution.error();
    if (!execution->attached) {
      return Error{program_.path + " ran without Heddle: nothing that it started is instrumented; build it with "
                                   "CC=heddle-cc CXX=heddle-c++",
                   ExitCode::Uncontrolled};
    }
    ObservedRun made;
    Result<run::Outcome> outcome = run::judge(*execution, run);
    if (!outcome) return outcome.error();
    made.outcome = std::move(*outcome);
    made.interrupted = execution->interrupted;
    made.steps = execution->progress.steps;
    made.edges = hardware ? hardware->model().edges() : std::move(reader.edges);
    if (hardware) made.hardware = hardware->model().counters();
    made.dropped = reader.dropped;
    made.sites = reader.sites;
    made.call_sites = reader.call_sites;
    if (sampler) use_samples(*sampler, options_.context_size, *execution->result, made);
    return made;
  }

 private:
  const binary::ProgramFile& program_;
  const CollectOptions& options_;
  KnownSites sites_;
  binary::Symbolizer symbolizer_;
};

}  // namespace

Result<std::unique_ptr<RunSource>> make_run_source(const binary::ProgramFile& program, const CollectOptions& options) {
  const run::RunOptions& run = options.run;
  if (run.native || run.engine != format::EngineKind::Fiber || !run.driver.empty())
    return std::unique_ptr<RunSource>(std::make_unique<LaunchedRuns>(program, options));
  auto served = std::make_unique<ServedRuns>(options);
  if (Status started = served->start(program); !started) return started.error();
  return std::unique_ptr<RunSource>(std::move(served));
}

}  // namespace heddle::graph
