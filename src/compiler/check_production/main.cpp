// heddle-verify: checks a production build after it was linked.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>

#include "check_production/coverage.h"

namespace {

using heddle::verify::Coverage;
using heddle::verify::FunctionTally;
using heddle::verify::Instruction;
using heddle::verify::Placed;
using heddle::verify::Tally;

constexpr char kUsage[] =
    "usage: heddle-verify PROGRAM [--gaps FILE] [--points FILE]\n"
    "PROGRAM is built with HEDDLE_BUILD=production.\n"
    "--gaps appends to FILE the loops whose counters cannot be read everywhere; then build again with "
    "HEDDLE_COUNTER_GAPS=FILE.\n"
    "--points writes the calls and accesses with their blocks to FILE.\n";

bool write_gaps(const Coverage& coverage, const std::string& path) {
  // A loop that is listed N times has had N kinds of counter that were not sufficient, so the list is only appended to.
  std::ofstream file(path, std::ios::app);
  for (const FunctionTally& function : coverage.functions)
    for (std::size_t loop = 0; loop < function.loops.size(); ++loop)
      if (function.loops[loop].has_gaps()) file << function.name << ' ' << function.source << ' ' << loop << '\n';
  return static_cast<bool>(file.flush());
}

bool write_points(const Coverage& coverage, const std::string& path) {
  std::ofstream file(path);
  for (const Placed& placed : coverage.placed) {
    const FunctionTally& function = coverage.functions[placed.function];
    file << std::hex << placed.instruction.address << std::dec
         << (placed.instruction.kind == Instruction::Kind::Call ? " call " : " access ") << function.name << ' '
         << function.source << ' ' << placed.block << '\n';
  }
  return static_cast<bool>(file.flush());
}

void print_tally(const char* name, const Tally& tally, const char* after) {
  std::printf("\"%s\": {\"all\": %llu, \"mapped\": %llu, \"in_loops\": %llu, \"counted\": %llu}%s", name,
              static_cast<unsigned long long>(tally.mapped.of), static_cast<unsigned long long>(tally.mapped.good),
              static_cast<unsigned long long>(tally.counted.of), static_cast<unsigned long long>(tally.counted.good),
              after);
}

}  // namespace

int main(int argc, char** argv) {
  std::string program, gaps, points;
  for (int i = 1; i < argc; ++i) {
    std::string* value = std::strcmp(argv[i], "--gaps") == 0     ? &gaps
                         : std::strcmp(argv[i], "--points") == 0 ? &points
                                                                 : nullptr;
    if (value != nullptr && i + 1 < argc)
      *value = argv[++i];
    else if (value == nullptr && argv[i][0] != '-' && program.empty())
      program = argv[i];
    else
      program.clear(), i = argc;
  }
  if (program.empty()) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const heddle::Result<Coverage> coverage = heddle::verify::measure_coverage(program);
  if (!coverage) {
    std::fprintf(stderr, "heddle-verify: %s\n", coverage.error().message.c_str());
    return 2;
  }
  for (const auto& [path, write] : {std::pair{gaps, &write_gaps}, std::pair{points, &write_points}})
    if (!path.empty() && !write(*coverage, path)) {
      std::fprintf(stderr, "heddle-verify: cannot write %s\n", path.c_str());
      return 2;
    }
  std::printf("{");
  print_tally("calls", coverage->calls, ", ");
  print_tally("accesses", coverage->accesses, ", ");
  const auto& nestings = coverage->nestings;
  std::printf(
      "\"nestings\": {\"single\": %llu, \"aggregated\": %llu, \"not_aggregated\": %llu, \"loop\": %llu, "
      "\"none\": %llu}}\n",
      static_cast<unsigned long long>(nestings.single), static_cast<unsigned long long>(nestings.aggregated),
      static_cast<unsigned long long>(nestings.not_aggregated), static_cast<unsigned long long>(nestings.loop),
      static_cast<unsigned long long>(nestings.none));
  return 0;
}
