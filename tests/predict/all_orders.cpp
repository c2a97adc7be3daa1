// What can happen in a program at all: every schedule of it is run, depth first, and in each run the anomalies are
// listed that it shows or could show with the same reads (strict predictions, which reordering_property_test compares
// with exhaustive search). A reference for tools that claim to find them all from one run. With --random schedules are
// drawn instead, and counted by anomaly.
//
// usage: heddle_all_orders [--random] RUNS PROGRAM [ARGUMENTS]
// Prints one JSON object: how many were run, whether these were all, each anomaly with the runs that have it; and of
// the run in which threads go one after the other, which places touch the same memory in different threads and in no
// fixed order.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "binary/sections/site_table.h"
#include "explore/systematic/systematic_search.h"
#include "predict/model/contention.h"
#include "predict/model/model_builder.h"
#include "predict/predictor.h"
#include "reads_state.h"
#include "run/interrupt.h"
#include "run/process/fork_server.h"
#include "schedule/strategy.h"
#include "trace/ring_decoder.h"
#include "unordered_accesses.h"
#include "validate/prediction.h"

namespace heddle {
namespace {

constexpr std::uint64_t kLogWords = std::uint64_t{1} << 22;
constexpr std::uint64_t kQuantum = 4;
constexpr std::size_t kCandidatesMax = 1u << 20;  // a run has fewer: nothing is left out
constexpr std::uint64_t kProfileRuns = 20;
constexpr std::uint64_t kCheckedRuns = 2'000;  // each keeps all its states
// The analysis tries a few instances of many, and not the same ones in every run of a class.
constexpr std::uint64_t kAnalysedOfAClass = 2;

// Keeps a run's events as a trace.
class RunKeeper final : public run::EventObserver {
 public:
  trace::Trace take(binary::SiteTable& sites) {
    std::uint32_t last = 0;
    for (const trace::Event& event : trace_.events) {
      if (event.site == 0 || event.site == last) continue;
      last = event.site;
      if (trace_.tables.sites.contains(event.site_id())) continue;
      const binary::Site* const site = sites.find(event.site);
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
  void observe(std::span<const trace::Event> events) override {
    for (trace::Event event : events) {
      if (!format::is_event(event.kind)) continue;
      if (event.kind == format::EventKind::Fork)
        trace_.tables.threads.add(ThreadId{static_cast<std::uint32_t>(event.object)}, event.thread);
      event.step = trace_.events.size();
      trace_.events.push_back(event);
    }
  }

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
    Result<binary::ProgramFile> program = binary::find_program(options_.program);
    if (!program) return program.error();
    if (Status started = start(*program); !started) return started;
    return random_ ? draw() : search();
  }

  void print() const {
    std::printf("{\"runs\": %llu, \"unordered\": %zu, \"classes\": %zu, \"complete\": %s,\n \"anomalies\": {",
                static_cast<unsigned long long>(runs_), unordered_.size(), analysed_.size(),
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
  Status start(const binary::ProgramFile& program) {
    run::ServerOptions wanted;
    wanted.hosts = 16;
    wanted.log_words = kLogWords;
    wanted.record = true;
    wanted.observe = true;
    Result<std::unique_ptr<run::ForkServer>> started = run::ForkServer::start(program, options_, wanted);
    if (!started) return started.error();
    server_ = std::move(*started);
    return ok_status();
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

  // Every order of what can matter, as far as it is known. More may become known on the way: then from the start.
  Status search() {
    for (std::uint64_t seed = 1; seed <= kProfileRuns; ++seed) {
      const Result<trace::Trace> trace = traced(random_inputs(seed, options_.steps_max));
      if (!trace) return trace.error();
      note_what_matters(*trace);
    }
    do {
      runs_ = 0;
      if (Status searched = search_once(); !searched) return searched;
    } while (grown_ && runs_total_ < runs_max_ && !options_.stop.is_interrupted());
    return ok_status();
  }

  Status search_once() {
    grown_ = false;
    explore::SearchOptions mode;
    mode.mode = explore::SearchMode::Unbounded;
    mode.is_choice = [this](const explore::Decision& decision) { return matters(decision); };
    explore::SystematicSearch search(mode);
    while (!grown_ && runs_total_ < runs_max_ && !options_.stop.is_interrupted()) {
      const std::optional<explore::SearchItem> item = search.next();
      if (!item) break;
      run::SessionInputs inputs;
      inputs.config.strategy = format::StrategyKind::Systematic;
      inputs.config.default_order = explore::default_order_of(mode.mode);
      inputs.config.steps_max = options_.steps_max;
      inputs.deviations = item->deviations;
      if (Status made = one_run(inputs); !made) return made;
      note_last_choice();
      const Result<std::vector<std::uint64_t>> log = decisions_by_reads();
      if (!log) return log.error();
      search.finished(*item, *log, server_->memory().session().log.overflown != 0);
    }
    complete_ = search.complete() && !grown_;
    return ok_status();
  }

  // The runtime's own states are equal where, besides the reads, all locks were taken in the same order: what is equal
  // there has to be equal here.
  bool fits(const format::DecisionRecord& record, std::uint64_t state) {
    if (runs_total_ > kCheckedRuns) return true;
    const std::tuple asked(record.state, record.current, record.current_runnable);
    return reads_of_state_.emplace(asked, state).first->second == state;
  }

  // The run's decisions, with states that are equal wherever the reads are.
  Result<std::vector<std::uint64_t>> decisions_by_reads() {
    const std::span<const std::uint64_t> given = server_->memory().decision_log();
    std::vector<std::uint64_t> log(given.begin(), given.end());
    for (std::size_t at = 0; at < log.size();) {
      format::DecisionRecord record;
      if (log.size() - at < sizeof record / 8) break;
      std::memcpy(&record, &log[at], sizeof record);
      if (record.question == static_cast<std::uint8_t>(schedule::Question::Run)) {
        const std::uint64_t state = states_->at(record.step, record.current_runnable != 0);
        if (state == 0 || !fits(record, state))
          return Error{"the states of step " + std::to_string(record.step) + " do not fit"};
        record.state = state;
        std::memcpy(&log[at], &record, sizeof record);
      }
      at += sizeof record / 8 + record.count * (sizeof(format::PendingRecord) / 8);
    }
    return log;
  }

  // The end of the process is the end of all threads, so it comes before or after each of their actions: the thread
  // that ends it can be delayed before.
  void note_last_choice() {
    last_choice_ = 0;
    explore::DecisionReader reader(server_->memory().decision_log());
    while (const explore::Decision* const decision = reader.next())
      if (decision->record.current_runnable != 0) last_choice_ = decision->record.step;
  }

  // Whether it makes a difference that another thread comes before what would be done next.
  bool matters(const explore::Decision& decision) const {
    if (decision.record.question != static_cast<std::uint8_t>(schedule::Question::Run)) return true;
    if (decision.record.step == last_choice_) return true;
    if (decision.record.current_runnable != 0 && states_->is_settled(decision.record.step)) return false;
    const auto next =
        std::find_if(decision.pending.begin(), decision.pending.end(),
                     [&](const format::PendingRecord& pending) { return pending.thread == decision.record.chosen; });
    if (next == decision.pending.end()) return true;
    if (format::is_access(next->kind)) return unordered_.has(ThreadId{next->thread}, SiteId{next->site});
    return !is_ordered_anyway(next->kind);
  }

  // Nothing that another thread can do now could not be done after it as well, with the same outcome.
  bool is_ordered_anyway(format::EventKind kind) const {
    switch (kind) {
      case format::EventKind::Unlock:
      case format::EventKind::ReadUnlock:
        return !tries_locks_;  // only a thread that tries can find it held
      case format::EventKind::Fork:
      case format::EventKind::Join:
      case format::EventKind::Begin:
      case format::EventKind::Exit:
        return true;
      default:
        return false;
    }
  }

  Status draw() {
    while (runs_ < runs_max_ && !options_.stop.is_interrupted()) {
      if (Status made = one_run(random_inputs(runs_ + 1, options_.steps_max)); !made) return made;
    }
    return ok_status();
  }

  void note_what_matters(const trace::Trace& trace) {
    const bool tried_before = tries_locks_;
    for (const trace::Event& event : trace.events)
      tries_locks_ |= event.kind == format::EventKind::TryLock || event.kind == format::EventKind::TryReadLock;
    grown_ |= unordered_.add(trace) || tries_locks_ != tried_before;
  }

  Status one_run(const run::SessionInputs& inputs) {
    const Result<trace::Trace> kept = traced(inputs);
    if (!kept) return kept.error();
    const trace::Trace& trace = *kept;
    note_what_matters(trace);
    ++runs_;
    ++runs_total_;
    if (!random_) {
      states_.emplace(trace);
      if (++analysed_[states_->class_of_run()] > kAnalysedOfAClass) return ok_status();
    }
    const Result<predict::Model> model = predict::build_model(trace);
    if (!model) return model.error();
    if (runs_total_ == 1) note_meetings(*model);
    predict::PredictOptions strict;
    strict.weakest = predict::WitnessStrength::Strict;
    strict.candidates.candidates_max = kCandidatesMax;
    // Drawn runs are counted by anomaly; of all runs together it is enough to know each once.
    if (!random_)
      strict.wanted = [&](const predict::AnomalyCandidate& candidate) {
        return !known_.contains(lines_of(*model, candidate));
      };
    std::set<std::string> keys;
    for (const predict::Prediction& prediction : predict::predict(*model, strict).found) {
      keys.insert(validate::key_of(validate::describe(prediction, trace.tables)));
      known_.insert(lines_of(*model, prediction));
    }
    for (const std::string& key : keys) ++anomalies_[key];
    return ok_status();
  }

  // An anomaly by its lines: in the order of its events where that is part of it.
  using Lines = std::pair<predict::AnomalyKind, std::vector<std::string>>;

  static Lines in_canonical_order(predict::AnomalyKind kind, std::vector<std::string> places) {
    if (kind != predict::AnomalyKind::Atomicity) std::sort(places.begin(), places.end());
    return {kind, std::move(places)};
  }

  static std::string place_of(const predict::Model& model, SiteId id, predict::NodeKind kind) {
    const trace::TraceSite* const site = model.tables.find_site(id);
    if (site == nullptr) return "";
    return access_word(kind) + site->file.substr(site->file.rfind('/') + 1) + ":" + std::to_string(site->line);
  }

  static Lines lines_of(const predict::Model& model, const predict::AnomalyCandidate& candidate) {
    std::vector<std::string> places;
    for (const predict::NodeId id : candidate.instances.front().events)
      places.push_back(place_of(model, model.sites[model.node(id).site], model.node(id).kind));
    return in_canonical_order(candidate.kind, std::move(places));
  }

  static Lines lines_of(const predict::Model& model, const predict::Prediction& prediction) {
    std::vector<std::string> places;
    for (const predict::AnomalyEvent& event : prediction.events)
      places.push_back(place_of(model, event.site, event.kind));
    return in_canonical_order(prediction.kind, std::move(places));
  }

  void note_meetings(const predict::Model& model) {
    const predict::Contention contention(model);
    for (predict::LocationId location = 0; location < model.locations.size(); ++location) {
      if (!contention.has(location)) continue;
      std::set<std::pair<std::string, unsigned>> touched;  // place, thread
      for (const predict::NodeId id : model.locations[location]) {
        const predict::Node& node = model.node(id);
        if (std::string place = place_of(model, model.sites[node.site], node.kind); !place.empty())
          touched.emplace(std::move(place), node.thread);
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
  std::optional<binary::SiteTable> sites_;
  std::map<std::string, std::uint64_t> anomalies_;
  std::set<Lines> known_;
  std::map<std::uint64_t, std::uint64_t> analysed_;  // runs by StatesAtChoices::class_of_run()
  std::set<std::pair<std::string, std::string>> meetings_;
  UnorderedAccesses unordered_;
  std::uint64_t runs_ = 0;        // of the last search
  std::uint64_t runs_total_ = 0;  // of all searches
  bool tries_locks_ = false;
  std::uint64_t last_choice_ = 0;          // its step
  std::optional<StatesAtChoices> states_;  // of the last run
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint8_t>, std::uint64_t> reads_of_state_;
  bool grown_ = false;  // something turned out to matter that was not known to
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
  options.stop = run::interrupt_token();
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
