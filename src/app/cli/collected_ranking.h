#pragma once
#include <string>
#include <vector>

#include "graph/ranking/ranking.h"
#include "support/result.h"

namespace heddle::cli {

// What `heddle graph rank` says of these graph files and directories, the most suspicious first. No paths, no ranking.
Result<std::vector<graph::RankedPoint>> rank_collected(const std::vector<std::string>& paths);

}  // namespace heddle::cli
