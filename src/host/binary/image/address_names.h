#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "binary/debug_info/debug_view.h"

namespace heddle::binary {

struct AddressName {
  std::string name;
  bool is_owned = true;  // false: by the type of what somebody points to, as "Job.next"; there may be many of them
};
// What the memory at these addresses is called, by the variable that it belongs to or that leads there:
// "table.head->count", "main::runtime.total". Addresses that nothing leads to have no entry.
std::map<std::uint64_t, AddressName> name_addresses(DebugView& view, const std::vector<std::uint64_t>& addresses);

}  // namespace heddle::binary
