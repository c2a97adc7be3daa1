#include "graph/run_source.h"

#include <algorithm>
#include <optional>

#include "experiment/trial_runner.h"
#include "explore/portfolio.h"
#include "graph/model/load_sampler.h"
#include "graph/model/transfer_model.h"

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
  void forget() { sites_ = nullptr; }

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

class EdgeReader final : public run::SessionWatcher {
 public:
  EdgeReader(LoadSampler* sampler, KnownSites& sites, KnownCallSites& call_sites)
      : sampler_(sampler), sites_(sites), call_sites_(call_sites) {}
  void look(const run::SessionMemory&) override {
    if (sampler_ != nullptr) sampler_->drain();
  }
  void end(const run::SessionMemory& memory) override {
    if (sampler_ != nullptr) sampler_->drain();
    edges = read_edges(memory.graph());
    sites = sites_.of(memory.session().result);
    call_sites = call_sites_.of(*sites, memory);
    dropped = memory.session().graph.dropped;
  }
  std::vector<RunEdge> edges;
  std::shared_ptr<const CodeSites> sites;
  std::shared_ptr<const CallSites> call_sites;
  std::uint64_t dropped = 0;

 private:
  LoadSampler* const sampler_;  // may be null
  KnownSites& sites_;
  KnownCallSites& call_sites_;
};

// What the processor saw of a run.
void use_samples(LoadSampler& sampler, std::uint32_t context_size, const format::SessionResult& result,
                 ObservedRun& made) {
  TransferModel model(context_size);
  for (const LoadSample& sample : sampler.take_transfers()) model.add(sample);
  made.edges = model.edges();
  made.sites = std::make_shared<const CodeSites>(result, model.instructions());
  made.dropped = sampler.lost();
}

class GraphRuns final : public RunSource {
 public:
  GraphRuns(const binary::ProgramFile& program, const CollectOptions& options)
      : options_(options),
        trials_(program, options.run, {.hosts = kHosts, .graph = graph_config(options), .record = is_modelled(options)},
                runner_) {}

  Status start() {
    if (Status started = trials_.start(); !started) return started;
    if (trials_.server() != nullptr) before_main_ = read_edges(trials_.server()->memory().graph());
    return ok_status();
  }

  Result<ObservedRun> make(std::uint64_t index) override {
    std::unique_ptr<LoadSampler> sampler;
    if (options_.load_event) {
      Result<std::unique_ptr<LoadSampler>> started = LoadSampler::start(*options_.load_event);
      if (!started) return started.error();
      sampler = std::move(*started);
    }
    std::optional<HardwareListener> hardware;
    if (is_modelled(options_)) hardware.emplace(options_);
    // The addresses of another process are not those of the last one.
    if (trials_.server() == nullptr)
      call_sites_.forget();
    else
      trials_.server()->clear_graph();
    EdgeReader reader(sampler.get(), sites_, call_sites_);
    const Result<experiment::Trial> trial = trials_.run(plan_inputs(options_, index, profile_),
                                                        {.sink = hardware ? &*hardware : nullptr, .watcher = &reader});
    if (!trial) return trial.error();
    ObservedRun made;
    made.outcome = trial->outcome;
    made.interrupted = trial->interrupted;
    made.steps = trial->progress.steps;
    made.edges = before_main_;
    made.edges.insert(made.edges.end(), reader.edges.begin(), reader.edges.end());
    if (hardware) {
      made.edges = hardware->model().edges();
      made.hardware = hardware->model().counters();
    }
    made.dropped = reader.dropped;
    made.sites = std::move(reader.sites);
    made.call_sites = std::move(reader.call_sites);
    if (sampler) use_samples(*sampler, options_.context_size, trials_.last_result(), made);
    return made;
  }

 private:
  // The machine is modelled from the events of a run, unless the processor itself is sampled.
  static bool is_modelled(const CollectOptions& options) {
    return options.model == Model::Hardware && !options.load_event;
  }

  const CollectOptions& options_;
  const explore::Profile profile_;
  run::Runner runner_;
  experiment::TrialRunner trials_;
  std::vector<RunEdge> before_main_;
  KnownSites sites_;
  KnownCallSites call_sites_;
};

}  // namespace

Result<std::unique_ptr<RunSource>> make_run_source(const binary::ProgramFile& program, const CollectOptions& options) {
  auto source = std::make_unique<GraphRuns>(program, options);
  if (Status started = source->start(); !started) return started.error();
  return std::unique_ptr<RunSource>(std::move(source));
}

}  // namespace heddle::graph
