#pragma once
#include <vector>

namespace heddle {

// The processors that this process may use; {-1} where the system does not say.
std::vector<int> allowed_processors();

}  // namespace heddle
