#pragma once
#include <vector>

namespace heddle {

// The processors that this process may use; {-1} if they are unknown.
std::vector<int> allowed_processors();

}  // namespace heddle
