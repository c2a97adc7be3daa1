#include "run/run_options.h"

#include <utility>

namespace heddle::run {
namespace {

constexpr std::pair<format::StrategyKind, const char*> kStrategies[] = {
    {format::StrategyKind::Sequential, "sequential"},
    {format::StrategyKind::SequentialReverse, "reverse"},
    {format::StrategyKind::SequentialRandom, "sequential-random"},
    {format::StrategyKind::RoundRobin, "round-robin"},
    {format::StrategyKind::Random, "random"},
    {format::StrategyKind::Replay, "replay"},
    {format::StrategyKind::ReplayBySite, "replay-by-site"},
    {format::StrategyKind::Pct, "pct"},
    {format::StrategyKind::Pos, "pos"},
    {format::StrategyKind::Surw, "surw"},
    {format::StrategyKind::Systematic, "systematic"},
    {format::StrategyKind::Guided, "guided"},
    {format::StrategyKind::Turns, "turns"},
};

}  // namespace

const char* strategy_word(format::StrategyKind strategy) {
  for (const auto& [known, word] : kStrategies)
    if (known == strategy) return word;
  return nullptr;
}

bool parse_strategy(const std::string& word, format::StrategyKind& strategy) {
  for (const auto& [known, known_word] : kStrategies) {
    if (word != known_word) continue;
    strategy = known;
    return true;
  }
  return false;
}

const char* engine_word(format::EngineKind engine) { return engine == format::EngineKind::Fiber ? "fiber" : "thread"; }

bool parse_engine(const std::string& word, format::EngineKind& engine) {
  if (word != "fiber" && word != "thread") return false;
  engine = word == "fiber" ? format::EngineKind::Fiber : format::EngineKind::Thread;
  return true;
}

std::uint64_t quantum_of(const RunOptions& options) {
  if (options.quantum != 0 || options.strategy == format::StrategyKind::Guided) return options.quantum;
  return options.strategy == format::StrategyKind::RoundRobin ? kRoundRobinQuantumDefault : kRandomQuantumDefault;
}

}  // namespace heddle::run
