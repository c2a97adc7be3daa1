// What can happen in a program at all: every schedule of it is run, depth first, and in each run the anomalies are listed
// that it shows or could show with the same reads (strict predictions, which reordering_property_test compares with
// exhaustive search). For whoever claims to have found them all from one run. With --random schedules are drawn instead,
// and counted by anomaly.
//
// usage: heddle_all_orders [--random] RUNS PROGRAM [ARGUMENTS]
// Prints one JSON object: how many were run, whether these were all, each anomaly with the runs that have it; and of the run
// in which threads go one after the other, which places touch the same memory in different threads and in no fixed order.
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "explore/systematic_search.h"
#include "predict/contention.h"
#include "predict/model_builder.h"
#include "predict/predictor.h"
#include "run/fork_server.h"
#include "run/interrupt.h"
#include "run/site_table.h"
#include "trace/ring_decoder.h"
#include "trace/ring_event.h"
#include "validate/prediction.h"

namespace heddle {
namespace {

constexpr std::uint64_t kLogWords = std::uint64_t{1} << 22;
constexpr std::uint64_t kQuantum = 4;
constexpr std::uint64_t kProfileRuns = 20;

// Keeps a run's events as a trace.
class RunKeeper final : public run::RingSink {
 public:
  void begin(const format::SessionResult&) override {}
  void consume(std::span<const std::uint64_t> words) override {
    decoder_.decode(words, [this](const trace::RingRecord& record) { add(record); });
  }
  trace::Trace take(run::SiteTable& sites) {
    for (const trace::Event& event : trace_.events) {
      const run::Site* const site = event.site == 0 ? nullptr : sites.find(event.site);
      if (site == nullptr) continue;
      trace::TraceSite& row = trace_.tables.sites[event.site_id()];
      row.id = event.site_id();
      row.file = site->file;
      row.line = site->line;
      row.function = site->function;
      row.chain = site->chain;
      row.kind = site->kind;
      row.size = site->size;
    }
    return std::move(trace_);
  }

 private:
  void add(const trace::RingRecord& record) {
    if (static_cast<unsigned>(record.kind) >= static_cast<unsigned>(format::kOccurrence)) return;
    if (record.kind == format::EventKind::Fork)
      trace_.tables.threads.add(ThreadId{static_cast<std::uint32_t>(record.object)}, record.thread);
    trace::Event event = trace::event_of(record);
    event.step = trace_.events.size();
    trace_.events.push_back(event);
  }

  trace::RingDecoder decoder_;
  trace::Trace trace_;
};

// As validate::key_of() has them.
std::string access_word(predict::NodeKind kind) {
  if (kind == predict::NodeKind::Free) return "free@";
  if (!predict::writes(kind)) return "read@";
  return predict::reads(kind) ? "update@" : "write@";
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

class AllOrders {
 public:
  AllOrders(run::RunOptions options, std::uint64_t runs, bool random)
      : options_(std::move(options)), runs_max_(runs), random_(random) {}

  Status run() {
    const run::InterruptGuard guard;
    Result<run::ProgramFile> program = run::find_program(options_.program);
    if (!program) return program.error();
    if (Status started = start(*program); !started) return started;
    if (Status disarmed = disarm_private_sites(); !disarmed) return disarmed;
    if (Status started = start(*program); !started) return started;
    return random_ ? draw() : search();
  }

  void print() const {
    std::printf("{\"runs\": %llu, \"complete\": %s,\n \"anomalies\": {", static_cast<unsigned long long>(runs_),
                complete_ ? "true" : "false");
    const char* comma = "";
    for (const auto& [key, count] : anomalies_) {
      std::printf("%s\n  \"%s\": %llu", comma, escaped(key).c_str(), static_cast<unsigned long long>(count));
      comma = ",";
    }
    std::printf("},\n \"meetings\": [");
    comma = "";
    for (const auto& [place, other] : meetings_) {
      std::printf("%s\n  [\"%s\", \"%s\"]", comma, escaped(place).c_str(), escaped(other).c_str());
      comma = ",";
    }
    std::printf("]}\n");
  }

 private:
  Status start(const run::ProgramFile& program) {
    run::ServerOptions wanted;
    wanted.hosts = 16;
    wanted.log_words = kLogWords;
    wanted.record = true;
    wanted.observe = true;
    Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program, options_, wanted);
    if (!started) return started.error();
    server_ = std::move(*started);
    return done();
  }

  static run::SessionInputs random_inputs(std::uint64_t seed, std::uint64_t steps_max) {
    run::SessionInputs inputs;
    inputs.config.strategy = format::StrategyKind::Random;
    inputs.config.quantum = kQuantum;
    inputs.config.seed = seed;
    inputs.config.steps_max = steps_max;
    return inputs;
  }

  Result<trace::Trace> traced(const run::SessionInputs& inputs) {
    RunKeeper keeper;
    Result<run::ServedRun> served = server_->run(inputs, 0, {}, &keeper);
    if (!served) return served.error();
    if (!sites_) sites_.emplace(server_->last_result());
    return keeper.take(*sites_);
  }

  // Sites that only touched what one thread has are no choice of anybody: of some random runs, all armed.
  Status disarm_private_sites() {
    std::set<SiteId> seen, shared;
    for (std::uint64_t seed = 1; seed <= kProfileRuns; ++seed) {
      const Result<trace::Trace> trace = traced(random_inputs(seed, options_.steps_max));
      if (!trace) return trace.error();
      for (const auto& [id, site] : trace->tables.sites) seen.insert(id);
      const Result<predict::Model> model = predict::build_model(*trace);
      if (!model) return model.error();
      for (predict::NodeId id = 0; id < model->nodes.size(); ++id)
        if (predict::is_access(model->node(id).kind)) shared.insert(model->sites[model->node(id).site]);
    }
    options_.arm_mode = format::ArmMode::AllBut;
    for (const SiteId id : seen)
      if (!shared.contains(id)) options_.armed.push_back(sites_->find(number(id))->name);
    return done();
  }

  Status search() {
    explore::SearchOptions mode;
    mode.mode = explore::SearchMode::Unbounded;
    explore::SystematicSearch search(mode);
    while (runs_ < runs_max_ && run::interrupt_signal() == 0) {
      const std::optional<explore::SearchItem> item = search.next();
      if (!item) break;
      run::SessionInputs inputs;
      inputs.config.strategy = format::StrategyKind::Systematic;
      inputs.config.default_order = explore::default_order_of(mode.mode);
      inputs.config.steps_max = options_.steps_max;
      inputs.deviations = item->deviations;
      if (Status made = one_run(inputs); !made) return made;
      const format::Session& session = server_->memory().session();
      search.finished(*item, server_->memory().decision_log(), session.log.overflown != 0);
    }
    complete_ = search.complete();
    return done();
  }

  Status draw() {
    while (runs_ < runs_max_ && run::interrupt_signal() == 0) {
      if (Status made = one_run(random_inputs(runs_ + 1, options_.steps_max)); !made) return made;
    }
    return done();
  }

  Status one_run(const run::SessionInputs& inputs) {
    const Result<trace::Trace> kept = traced(inputs);
    if (!kept) return kept.error();
    const trace::Trace& trace = *kept;
    const Result<predict::Model> model = predict::build_model(trace);
    if (!model) return model.error();
    if (runs_ == 0) note_meetings(*model);
    predict::PredictOptions strict;
    strict.rung_max = predict::Rung::Strict;
    std::set<std::string> keys;
    for (const predict::Prediction& prediction : predict::predict(*model, strict).found)
      keys.insert(validate::key_of(validate::describe(prediction, trace.tables)));
    for (const std::string& key : keys) ++anomalies_[key];
    ++runs_;
    return done();
  }

  void note_meetings(const predict::Model& model) {
    const predict::Contention contention(model);
    for (predict::LocationId location = 0; location < model.locations.size(); ++location) {
      if (!contention.has(location)) continue;
      std::set<std::pair<std::string, unsigned>> touched;  // place, thread
      for (const predict::NodeId id : model.locations[location]) {
        const predict::Node& node = model.node(id);
        if (const trace::TraceSite* site = model.tables.find_site(model.sites[node.site]))
          touched.emplace(access_word(node.kind) + site->file.substr(site->file.rfind('/') + 1) + ":" +
                              std::to_string(site->line), node.thread);
      }
      for (const auto& [place, thread] : touched)
        for (const auto& [other_place, other_thread] : touched)
          if (thread != other_thread) meetings_.emplace(place, other_place);
    }
  }

  run::RunOptions options_;
  const std::uint64_t runs_max_;
  const bool random_;
  std::unique_ptr<run::ForkServer> server_;
  std::optional<run::SiteTable> sites_;
  std::map<std::string, std::uint64_t> anomalies_;
  std::set<std::pair<std::string, std::string>> meetings_;
  std::uint64_t runs_ = 0;
  bool complete_ = false;
};

int main_of(int argc, char** argv) {
  int at = 1;
  const bool random = at < argc && std::strcmp(argv[at], "--random") == 0;
  if (random) ++at;
  if (argc - at < 2) {
    std::fprintf(stderr, "heddle_all_orders: give the number of runs and a program\n");
    return 2;
  }
  const std::uint64_t runs = std::strtoull(argv[at++], nullptr, 10);
  run::RunOptions options;
  options.program = argv[at++];
  while (at < argc) options.arguments.push_back(argv[at++]);
  options.output = run::Output::Discard;
  options.stdin_file = "/dev/null";
  AllOrders all(options, runs, random);
  if (Status made = all.run(); !made) {
    std::fprintf(stderr, "heddle_all_orders: %s\n", made.error().message.c_str());
    return 2;
  }
  all.print();
  return 0;
}

}  // namespace
}  // namespace heddle

int main(int argc, char** argv) { return heddle::main_of(argc, argv); }
