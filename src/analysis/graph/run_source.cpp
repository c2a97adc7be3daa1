#include "graph/run_source.h"

#include <memory>
#include <optional>

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

// The machine is modelled from the events of a run, unless the processor itself is sampled.
bool is_modelled(const CollectOptions& options) { return options.model == Model::Hardware && !options.load_event; }

class HardwareObserver final : public run::EventObserver {
 public:
  explicit HardwareObserver(const CollectOptions& options) : model(options.hardware, options.context_size) {}

  HardwareModel model;

 private:
  void observe(std::span<const trace::Event> events) override {
    for (const trace::Event& event : events) model.add(event);
  }
};

// Reads the edges when the run has ended, and empties the sampler's rings before they overflow.
class EdgeReader final : public run::SessionWatcher {
 public:
  // `sampler` may be null.
  EdgeReader(LoadSampler* sampler, RunSiteCache& sites, ObservedRun& run)
      : sampler_(sampler), sites_(sites), run_(run) {}
  void look(const run::SessionMemory&) override {
    if (sampler_ != nullptr) sampler_->drain();
  }
  void end(const run::SessionMemory& memory) override {
    if (sampler_ != nullptr) sampler_->drain();
    const std::vector<RunEdge> edges = read_edges(memory.graph());
    run_.edges.insert(run_.edges.end(), edges.begin(), edges.end());
    run_.sites = sites_.of(memory);
    run_.dropped = memory.session().graph.dropped;
  }

 private:
  LoadSampler* const sampler_;
  RunSiteCache& sites_;
  ObservedRun& run_;
};

void use_samples(LoadSampler& sampler, std::uint32_t context_size, const format::SessionResult& result,
                 ObservedRun& run) {
  TransferModel model(context_size);
  for (const LoadSample& sample : sampler.take_transfers()) model.add(sample);
  run.edges = model.edges();
  run.sites.accesses = std::make_shared<const CodeSites>(result, model.instructions());
  run.dropped = sampler.lost();
}

}  // namespace

RunSource::RunSource(const binary::ProgramFile& program, const CollectOptions& options)
    : options_(options),
      trials_(program, options.run, {.hosts = kHosts, .graph = graph_config(options), .record = is_modelled(options)},
              runner_) {}

Status RunSource::start() {
  if (Status started = trials_.start(); !started) return started;
  if (trials_.server() != nullptr) before_main_ = read_edges(trials_.server()->memory().graph());
  return ok_status();
}

Result<ObservedRun> RunSource::make(std::uint64_t index) {
  std::unique_ptr<LoadSampler> sampler;
  if (options_.load_event) {
    Result<std::unique_ptr<LoadSampler>> started = LoadSampler::start(*options_.load_event);
    if (!started) return started.error();
    sampler = std::move(*started);
  }
  std::optional<HardwareObserver> hardware;
  if (is_modelled(options_)) hardware.emplace(options_);
  // Another process has other addresses.
  if (trials_.server() == nullptr)
    sites_.forget_calls();
  else
    trials_.server()->clear_graph();
  ObservedRun run;
  run.edges = before_main_;
  EdgeReader reader(sampler.get(), sites_, run);
  const Result<experiment::Trial> trial = trials_.run(plan_inputs(options_, index, profile_),
                                                      {.sink = hardware ? &*hardware : nullptr, .watcher = &reader});
  if (!trial) return trial.error();
  run.outcome = trial->outcome;
  run.interrupted = trial->interrupted;
  run.steps = trial->progress.steps;
  if (hardware) {
    run.edges = hardware->model.edges();
    run.hardware = hardware->model.counters();
  }
  if (sampler) use_samples(*sampler, options_.context_size, trials_.last_result(), run);
  return run;
}

}  // namespace heddle::graph
