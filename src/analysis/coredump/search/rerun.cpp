#include "coredump/search/rerun.h"

#include <algorithm>

#include "binary/symbolizer.h"
#include "run/process/process_snapshot.h"
#include "run/replay/clip_builder.h"

namespace heddle::coredump {
namespace {

using format::EventKind;

// Finds the function of an entry that a block event names, and caches the result.
class RowFinder {
 public:
  RowFinder(const binary::BlockTable& table, const std::string& program) : table_(table), program_(program) {}

  const binary::FunctionRow* find(std::uint64_t address, const format::SessionResult& result) {
    const auto [found, added] = known_.try_emplace(address, nullptr);
    if (!added) return found->second;
    const format::ModuleReport* module = binary::find_module(binary::modules_of(result), address);
    if (module != nullptr && module->path == program_) found->second = table_.at(address - module->bias);
    return found->second;
  }

 private:
  const binary::BlockTable& table_;
  const std::string& program_;
  std::map<std::uint64_t, const binary::FunctionRow*> known_;
};

// Records the events of a run, and feeds its blocks to the aligners of the threads.
class Recorder final : public run::EventObserver {
 public:
  Recorder(const CoreFacts& core, ControlFlow& flow, const std::string& program)
      : core_(core), flow_(flow), rows_(flow.table(), program) {}

  void begin(const format::SessionResult& result) override { result_ = &result; }

  std::vector<RunEvent> events;
  bool has_blocks = false;

  std::vector<ThreadAlignment> finish(const run::Decisions& decisions) {
    std::vector<ThreadAlignment> alignments;
    for (std::uint32_t i = 0; i < threads_.size(); ++i) {
      Thread& thread = *threads_[i];
      const bool before = thread.aligner.is_aligned();
      thread.aligner.finish();
      if (!before) thread.position = events.size();
      if (thread.in_core && !thread.points_in_core) {
        thread.in_core->finish();
        if (thread.in_core->is_aligned()) thread.points_in_core = thread.points;
      }
      alignments.push_back(
          {decisions.descent_name(i), thread.aligner.aligned(), thread.position, thread.points_in_core});
    }
    return alignments;
  }

 private:
  struct Thread {
    Thread(const FailureIndex& index, ControlFlow& flow) : aligner(index, flow) {}
    Aligner aligner;
    std::optional<Aligner> in_core;  // with the thread's position in the core, if it is not the failing one
    std::optional<std::uint32_t> points_in_core;
    std::string name;
    unsigned children = 0;
    std::size_t position = 0;
    bool in_aligned_block = false;
    std::uint32_t points = 0;
  };

  Thread& thread(ThreadId id) {
    const std::uint32_t index = number(id);
    while (threads_.size() <= index) threads_.push_back(std::make_unique<Thread>(core_.index, flow_));
    if (index == 0 && threads_[0]->name.empty()) name_thread(*threads_[0], "0");
    return *threads_[index];
  }

  void name_thread(Thread& thread, const std::string& name) {
    thread.name = name;
    const auto found = core_.other_indices.find(name);
    if (found != core_.other_indices.end()) thread.in_core.emplace(found->second, flow_);
  }

  void observe(std::span<const trace::Event> observed) override {
    for (const trace::Event& record : observed) take(record);
  }

  void take(const trace::Event& record) {
    Thread& self = thread(record.thread);
    if (record.kind == EventKind::Branch) {
      take_block(self, record);
      return;
    }
    if (format::is_point(record.kind, record.flags)) ++self.points;
    if (record.kind == EventKind::Fork) {
      Thread& child = thread(ThreadId{static_cast<std::uint32_t>(record.object)});
      Thread& parent = thread(record.thread);
      name_thread(child, parent.name + "." + std::to_string(++parent.children));
    }
    if (!format::is_event(record.kind) || format::class_of(record.kind) == format::EventClass::Schedule) return;
    RunEvent event;
    event.object = record.object;
    event.size = format::is_range_access(record.kind)
                     ? static_cast<std::uint32_t>(std::min<std::uint64_t>(record.value, 1u << 20))
                     : record.size;
    event.point = self.points;
    event.thread = number(record.thread);
    event.kind = record.kind;
    event.failed = !format::has_succeeded(record.kind, record.flags, record.value);
    events.push_back(event);
  }

  void take_block(Thread& self, const trace::Event& record) {
    has_blocks = true;
    const binary::FunctionRow* row = rows_.find(record.object, *result_);
    if (row == nullptr) {
      self.aligner.skip();
      return;
    }
    if (self.in_core && !self.points_in_core) {
      self.in_core->take(*row, record.site, record.value);
      if (self.in_core->is_aligned()) self.points_in_core = self.points;
    }
    const bool before = self.aligner.is_aligned();
    self.aligner.take(*row, record.site, record.value);
    if (self.in_aligned_block || (!before && self.aligner.is_aligned())) self.position = events.size();
    self.in_aligned_block = !before && self.aligner.is_aligned() && self.aligner.aligned()->exact;
  }

  const CoreFacts& core_;
  ControlFlow& flow_;
  RowFinder rows_;
  const format::SessionResult* result_ = nullptr;
  std::vector<std::unique_ptr<Thread>> threads_;
};

run::RunOptions quiet(run::RunOptions options) {
  options.output = run::Output::Discard;
  return options;
}

}  // namespace

experiment::Schedule sequential_schedule(const std::vector<std::string>& threads) {
  experiment::Schedule schedule;
  schedule.threads = threads;
  append_sequential_turns(schedule);
  return schedule;
}

void append_sequential_turns(experiment::Schedule& schedule) {
  for (std::uint32_t i = 0; i < schedule.threads.size(); ++i) schedule.turns.push_back({i, kUntilBlocked});
}

std::uint32_t index_of(const experiment::Schedule& schedule, const std::string& thread) {
  return static_cast<std::uint32_t>(std::ranges::find(schedule.threads, thread) - schedule.threads.begin());
}

Reruns::Reruns(const binary::ProgramFile& program, const run::RunOptions& options, const CoreFacts& core,
               ControlFlow& flow, run::Runner& runner)
    : program_(program), core_(core), flow_(flow), trials_(program, quiet(options), {}, runner) {
  trials_.run_apart();
}

Result<Rerun> Reruns::run(const experiment::Schedule& schedule, Freed freed) {
  const std::uint32_t ignored = freed == Freed::Ignored ? format::kIgnoreFreed : 0;
  Recorder recorder(core_, flow_, program_.path);
  Result<experiment::Trial> trial =
      trials_.run(schedule, {.flags = format::kRecordEvents | format::kRecordBlocks | ignored}, {.sink = &recorder});
  if (!trial) return trial.error();
  run::RunReport& report = *trial->report;
  Rerun rerun;
  rerun.outcome = std::move(report.outcome);
  rerun.stack = std::move(report.stack);
  rerun.decisions = std::move(report.decisions);
  rerun.schedule = experiment::schedule_of(rerun.decisions, {});
  rerun.alignments = recorder.finish(rerun.decisions);
  rerun.events = std::move(recorder.events);
  rerun.has_blocks = recorder.has_blocks;
  rerun.steps = report.events;
  rerun.seconds = report.seconds;
  return rerun;
}

Result<binary::CoreImage> Reruns::freeze(const experiment::Schedule& schedule, const std::string& thread,
                                         std::uint64_t ordinal) {
  const Result<std::uint64_t> descent = run::parse_descent(thread);
  if (!descent) return descent.error();
  run::SnapshotSink freezer;
  const Result<experiment::Trial> trial =
      trials_.run(schedule, {.freeze_descent = *descent, .freeze_at = ordinal}, {.sink = &freezer});
  if (!trial) return trial.error();
  if (!freezer.image)
    return Error{
        "a second run of the same schedule did not reach the aligned point; see: heddle check -- " + program_.path,
        ExitCode::Uncontrolled};
  return std::move(*freezer.image);
}

}  // namespace heddle::coredump
