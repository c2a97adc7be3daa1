#include "explore/explore_options.h"

#include <algorithm>
#include <iterator>

namespace heddle::explore {
namespace {

constexpr const char* kMethodWords[] = {"portfolio", "random", "pct", "pos", "surw", "preemptions", "delays", "dfs"};
static_assert(std::size(kMethodWords) == static_cast<std::size_t>(Method::DepthFirst) + 1);

}  // namespace

const char* method_word(Method method) { return kMethodWords[static_cast<std::size_t>(method)]; }

bool parse_method(const std::string& word, Method& method) {
  const auto found = std::find(std::begin(kMethodWords), std::end(kMethodWords), word);
  if (found == std::end(kMethodWords)) return false;
  method = static_cast<Method>(found - std::begin(kMethodWords));
  return true;
}

bool is_systematic(Method method) {
  return method == Method::Preemptions || method == Method::Delays || method == Method::DepthFirst;
}

}  // namespace heddle::explore
