#pragma once
#include <string>
#include <vector>

#include "graph/ranking/ranking.h"
#include "support/result.h"

namespace heddle::cli {

// The ranking of `heddle graph rank` for these graph files and directories, most suspicious first; empty without paths.
Result<std::vector<graph::RankedPoint>> rank_collected(const std::vector<std::string>& paths);

}  // namespace heddle::cli
