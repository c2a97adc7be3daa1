#include "explore/explore_options.h"

namespace heddle::explore {
namespace {

struct MethodWord {
  Method method;
  const char* word;
};

constexpr MethodWord kMethods[] = {
    {Method::Portfolio, "portfolio"},
    {Method::Random, "random"},
    {Method::Pct, "pct"},
    {Method::Pos, "pos"},
    {Method::Surw, "surw"},
    {Method::Preemptions, "preemptions"},
    {Method::Delays, "delays"},
    {Method::DepthFirst, "dfs"},
};

}  // namespace

const char* method_word(Method method) {
  for (const MethodWord& row : kMethods) {
    if (row.method == method) return row.word;
  }
  return "unknown";
}

bool parse_method(const std::string& word, Method& method) {
  for (const MethodWord& row : kMethods) {
    if (word != row.word) continue;
    method = row.method;
    return true;
  }
  return false;
}

bool is_systematic(Method method) {
  return method == Method::Preemptions || method == Method::Delays || method == Method::DepthFirst;
}

}  // namespace heddle::explore
