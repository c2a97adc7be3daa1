#pragma once
// Which blocks of a function nest in which branches (multicore dumps, section 3.1), loop by loop.
//
// A *region* is one iteration of a loop, or the whole function. Inside of it the loops that it contains count as one
// block each, and going back to its header leaves it: how often that happened is what the loop's counter says. So a
// dependence never means "an earlier iteration went on", which is what makes nearly every block of optimised code
// depend on two predicates.
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "binary/sections/block_rows.h"

namespace heddle::binary {

// The `successor`-th way out of a block.
struct Branch {
  std::uint32_t block = 0;
  std::uint32_t successor = 0;
  auto operator<=>(const Branch&) const = default;
};

class Regions {
 public:
  explicit Regions(const FunctionRow& function) : function_(function) {}

  const FunctionRow& function() const { return function_; }
  // `region`: a loop, or kNoLoop for the whole function.
  bool contains(std::int32_t region, std::uint32_t block) const;
  // The branches of this region on which it depends whether `block` is executed. REQUIRES: the region contains it.
  const std::vector<Branch>& dependences(std::int32_t region, std::uint32_t block);
  // Whether an execution that is at `from` may still come to `to` before it leaves the region. True for equal ones, and
  // within a loop that the region contains.
  bool reaches(std::int32_t region, std::uint32_t from, std::uint32_t to);

 private:
  struct Graph {
    std::vector<std::uint32_t> node_of_block;  // kOutside: not in the region
    std::vector<std::vector<std::uint32_t>> successors;
    std::vector<std::vector<Branch>> dependences;
    std::map<std::uint32_t, std::vector<bool>> reached;
  };
  Graph& graph(std::int32_t region);
  Graph build(std::int32_t region) const;

  const FunctionRow& function_;
  std::map<std::int32_t, Graph> graphs_;
};

// How a block nests in its region, as Algorithm 1 needs it.
enum class Nesting : std::uint8_t {
  Region,      // in no branch
  Single,      // one predicate
  Aggregated,  // several that form one, as in `a || b`
  Ancestor,    // several that do not: their closest common ancestor
};

struct Parent {
  Nesting nesting = Nesting::Region;
  std::vector<Branch> branches;  // any of them was taken
  std::uint32_t block = 0;       // to go on from
};

Parent find_parent(Regions& regions, std::int32_t region, std::uint32_t block);

}  // namespace heddle::binary
