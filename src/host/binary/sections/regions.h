#pragma once
// The nesting of blocks in branches, for each loop of a function (multicore dumps, section 3.1).
//
// A *region* is one iteration of a loop, or the whole function. Each inner loop counts as one block, and the back edge
// to the header leaves the region; the loop counter gives the number of iterations. So no block depends on the branch
// that continued an earlier iteration. With such dependences nearly every block of optimised code would have two
// predicates.
#include <cstdint>
#include <map>
#include <vector>

#include "binary/sections/block_rows.h"
#include "binary/sections/post_dominators.h"

namespace heddle::binary {

// An edge from a block to its successor with this index.
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
  // The branches of the region that decide whether `block` executes. REQUIRES: contains(region, block).
  const std::vector<Branch>& dependences(std::int32_t region, std::uint32_t block);
  // Whether an execution at `from` may reach `to` before it leaves the region. True for equal blocks, and for two
  // blocks of one inner loop.
  bool reaches(std::int32_t region, std::uint32_t from, std::uint32_t to);

 private:
  struct Graph {
    std::vector<std::uint32_t> node_of_block;  // kOutside: not in the region
    BlockGraph successors;
    std::vector<std::vector<Branch>> dependences;
    std::map<std::uint32_t, std::vector<bool>> reached;
  };
  Graph& graph(std::int32_t region);
  Graph build(std::int32_t region) const;

  const FunctionRow& function_;
  std::map<std::int32_t, Graph> graphs_;
};

// The nesting of a block in its region, for Algorithm 1.
enum class Nesting : std::uint8_t {
  Region,      // not inside any branch
  Single,      // depends on one predicate
  Aggregated,  // depends on several predicates that form one condition, such as `a || b`
  Ancestor,    // depends on several other predicates; the parent is their closest common ancestor
};

struct Parent {
  Nesting nesting = Nesting::Region;
  std::vector<Branch> branches;  // at least one was taken
  std::uint32_t block = 0;       // the predicate; the next ancestors start here
};

Parent find_parent(Regions& regions, std::int32_t region, std::uint32_t block);

}  // namespace heddle::binary
